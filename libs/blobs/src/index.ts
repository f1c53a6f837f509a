export { type BlobRemains, blobRemains } from './blob-remains';
export {
  type BlobAddressing,
  type BlobStore,
  type ByteRange,
  type Content,
  checkKey,
  type StoredBlob,
} from './blob-store';
export { diskStore } from './disk-store';
export { type BlobConfig, blobVariables, openBlobStore } from './open-blob-store';
export { pruneBlobs } from './prune-blobs';

export { type ArchiveProblem, inspectArchive } from './application/inspect-archive';
export { longestUploadMs } from './application/receive-content';
export { type Contents, composeContents, verifyBlobs } from './compose';
export type { ContentDigests, ReceivedContent } from './domain/content';
export { ownerOf, withBoundedUploads } from './transport/bounded-uploads';
export { sendBody, sendJson } from './transport/send-body';
export { type SentFile, sendContent } from './transport/send-content';
export { isKnown, sendDocument } from './transport/send-document';
export { withinLimit } from './transport/within-limit';

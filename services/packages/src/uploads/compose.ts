import { importedPeople } from '@switchyard/directory';
import { configuredOutbound } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { importUpload } from './application/import-upload';
import { manageUploads } from './application/manage-uploads';
import { transferUploads } from './application/transfer-uploads';
import { uploadStore } from './storage/upload.store';
import { archiveUploadsOf } from './transport/archive-uploads.client';
import { uploadHandler } from './transport/upload.handler';
import { uploadHttp } from './transport/upload.http';
import { uploadImportHandler } from './transport/upload-import.handler';
import { uploadTransferHandler } from './transport/upload-transfer.handler';

/** Builds files that texts of projects link to. */
export function composeUploads(
  { db, blobs, config, observe, peer }: Edges,
  given: { readonly contents: Contents; readonly packages: Pick<PackagesArea, 'measureSoon'> },
): Area {
  const { contents, packages } = given;
  const limit = config.SWITCHYARD_UPLOAD_LIMIT;
  const store = uploadStore(db);
  const { measureSoon } = packages;
  const uploads = observe('uploads', { ...manageUploads({ db, uploads: store, contents, measureSoon, limit }) });
  const outbound = configuredOutbound(config);
  const imports = importUpload({ outbound, uploads: store, keep: uploads.keep, limit });
  const transfers = transferUploads({
    blobs,
    uploads: store,
    keepAll: uploads.keepAll,
    limit,
    readArchive: archiveUploadsOf(peer('imports-exports')),
    // Nobody stands for an uploader: the list of uploads names them alone.
    uploadersOf: async (rights, usernames) => {
      const standIns = { users: new Map(), areAll: true };
      return (await importedPeople(db, { ...rights, standIns }, usernames)).decider;
    },
  });
  return {
    services: [uploadHandler(uploads), uploadImportHandler(imports), uploadTransferHandler(transfers)],
    http: uploadHttp({ uploads, blobs, limit }),
    close: () => outbound.close(),
  };
}

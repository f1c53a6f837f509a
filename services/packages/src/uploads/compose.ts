import { configuredOutbound } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import { importUpload } from './application/import-upload';
import { manageUploads } from './application/manage-uploads';
import { uploadStore } from './storage/upload.store';
import { uploadHandler } from './transport/upload.handler';
import { uploadHttp } from './transport/upload.http';
import { uploadImportHandler } from './transport/upload-import.handler';

/** Builds files that texts of projects link to. */
export function composeUploads(
  { db, blobs, config, observe }: Edges,
  { contents }: { readonly contents: Contents },
): Area {
  const limit = config.SWITCHYARD_UPLOAD_LIMIT;
  const store = uploadStore(db);
  const uploads = observe('uploads', { ...manageUploads({ db, uploads: store, contents, limit }) });
  const outbound = configuredOutbound(config);
  const imports = importUpload({ outbound, uploads: store, keep: uploads.keep, limit });
  return {
    services: [uploadHandler(uploads), uploadImportHandler(imports)],
    http: uploadHttp({ uploads, blobs, limit }),
    close: () => outbound.close(),
  };
}

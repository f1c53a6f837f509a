import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import { manageUploads } from './application/manage-uploads';
import { uploadStore } from './storage/upload.store';
import { uploadHandler } from './transport/upload.handler';
import { uploadHttp } from './transport/upload.http';

/** Builds files that texts of projects link to. */
export function composeUploads(
  { db, blobs, config, observe }: Edges,
  { contents }: { readonly contents: Contents },
): Area {
  const limit = config.SWITCHYARD_UPLOAD_LIMIT;
  const uploads = observe('uploads', { ...manageUploads({ db, uploads: uploadStore(db), contents, limit }) });
  return { services: [uploadHandler(uploads)], http: uploadHttp({ uploads, blobs, limit }) };
}

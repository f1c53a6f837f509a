import { UploadServiceService } from '@switchyard/protos/packages/v1/upload';
import { fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { Uploads } from '../application/manage-uploads';
import { presentUpload } from '../presenters/upload.presenter';

/** Serves `UploadService`; the gateway has resolved the project that requests name. */
export const uploadHandler = (uploads: Uploads): ServiceImplementation =>
  implement(UploadServiceService, {
    async listUploads(request) {
      const wanted = fixedOrder(request.page, 'created_at', 'desc');
      const found = await uploads.list(request.projectId, wanted);
      return page(found.rows.map(presentUpload), { ...found.page, keyset: wanted.mode === 'keyset' });
    },

    async deleteUpload({ projectId, uploadId }) {
      await uploads.remove(projectId, uploadId);
      return nothing();
    },

    async deleteUploadBySecret({ projectId, secret, filename: fileName }) {
      await uploads.removeAt({ projectId, secret, fileName });
      return nothing();
    },
  });

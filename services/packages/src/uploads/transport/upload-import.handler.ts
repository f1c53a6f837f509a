import { UploadImportServiceService } from '@switchyard/protos/packages/v1/upload_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportUpload } from '../application/import-upload';
import { linkOf, markdownOf } from '../presenters/upload.presenter';

/** Serves `UploadImportService`. */
export const uploadImportHandler = (imports: ImportUpload): ServiceImplementation =>
  implement(
    UploadImportServiceService,
    {
      async importUpload({ uploaderId, ...file }, { signal }) {
        const outcome = await imports({ ...file, uploaderId: uploaderId || undefined }, signal);
        const none = { link: '', markdown: '', reason: '', mayPass: false, retryAfter: 0 };
        return 'reason' in outcome
          ? { ...none, ...outcome }
          : { ...none, link: linkOf(outcome), markdown: markdownOf(outcome).markdown };
      },
    },
    { importUpload: { callers: ['imports-exports'] } },
  );

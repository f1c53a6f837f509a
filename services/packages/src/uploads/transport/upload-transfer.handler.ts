import { UploadTransferServiceService } from '@switchyard/protos/packages/v1/upload_transfer';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { UploadTransfers } from '../application/transfer-uploads';

const rule = { callers: ['imports-exports'] };

/** Serves `UploadTransferService`. */
export const uploadTransferHandler = ({ read, bring }: UploadTransfers): ServiceImplementation =>
  implement(
    UploadTransferServiceService,
    {
      readProjectUploads: ({ projectId }) => read(projectId),
      importArchiveUploads: async (request, { signal }) => ({ leftOut: await bring(request, signal) }),
    },
    { readProjectUploads: rule, importArchiveUploads: rule },
  );

import type { BlobStore } from '@switchyard/blobs';
import type { ForwardedEndpoint } from '@switchyard/rpc';
import { sendDownload } from '../../downloads';
import { type Exports, noFile } from '../application/manage-exports';

/** Serves the files of exports of projects on the internal HTTP port; they stream. */
export const projectExportHttp = (exports: Pick<Exports, 'file'>, blobs: BlobStore): readonly ForwardedEndpoint[] => [
  {
    methods: ['GET', 'HEAD'],
    path: /^\/projects\/(\d{1,15})\/export\/download$/,
    async run(call) {
      const { file, name } = await exports.file(call.projectId, String(call.request.headers['x-request-id'] ?? ''));
      await sendDownload(call, blobs, { ...file, name, contentType: 'application/gzip' }, noFile);
    },
  },
];

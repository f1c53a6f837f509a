import type { BlobStore } from '@switchyard/blobs';
import { AppError } from '@switchyard/errors';
import type { ForwardedEndpoint } from '@switchyard/rpc';
import { sendDownload } from '../../downloads';
import type { Exports } from '../application/manage-exports';
import { fileNameOf } from '../domain/dependency-list-export';

const gone = () => new AppError('not_found', '404 DependencyListExport Not Found');

/** Serves the files of exports on the internal HTTP port (G-4.14-4); they stream. */
export const dependencyListExportHttp = (
  exports: Pick<Exports, 'file'>,
  blobs: BlobStore,
): readonly ForwardedEndpoint[] => [
  {
    methods: ['GET', 'HEAD'],
    target: 'instance',
    path: /^\/dependency_list_exports\/(\d{1,15})\/download$/,
    async run(call) {
      const { file, export: one } = await exports.file(Number(call.parts[0]), call.claims.actor?.userId ?? 0);
      const download = { ...file, name: fileNameOf(one), contentType: 'application/json' };
      await sendDownload(call, blobs, download, gone);
    },
  },
];

import type { BlobStore } from '@switchyard/blobs';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import { sendContent } from '../../contents';
import type { Packages } from '../application/manage-packages';

/** Serves the files of packages by their ids on the internal HTTP port (G-4.17-6); they stream. */
export function packageFileHttp(
  packages: Packages,
  recordDownload: (packageId: number) => void,
  blobs: BlobStore,
): readonly ForwardedEndpoint[] {
  async function download(call: ForwardedCall): Promise<void> {
    const [packageId, fileId] = call.parts.map(Number) as [number, number];
    const file = await packages.getFile(call.projectId, packageId, fileId);
    if (call.request.method === 'GET') recordDownload(packageId);
    await sendContent(call, blobs, file);
  }
  return [
    {
      methods: ['GET', 'HEAD'],
      path: /^\/projects\/(\d{1,15})\/packages\/(\d{1,15})\/package_files\/(\d{1,15})\/download$/,
      run: download,
    },
  ];
}

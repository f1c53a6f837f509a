import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '@switchyard/blobs';
import { AppError } from '@switchyard/errors';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import type { Exports } from '../application/manage-exports';
import { fileNameOf } from '../domain/dependency-list-export';

/** Serves the files of exports on the internal HTTP port (G-4.14-4); they stream. */
export function dependencyListExportHttp(
  exports: Pick<Exports, 'file'>,
  blobs: BlobStore,
): readonly ForwardedEndpoint[] {
  async function download({ request, response, parts, claims }: ForwardedCall): Promise<void> {
    const { file, export: one } = await exports.file(Number(parts[0]), claims.actor?.userId ?? 0);
    const tag = `"${file.sha256}"`;
    const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
    const head = {
      ETag: `W/${tag}`,
      'Cache-Control': 'max-age=0, private, must-revalidate',
      'Content-Type': 'application/json',
      'Content-Disposition': `attachment; filename="${fileNameOf(one)}"`,
      'X-Checksum-SHA256': file.sha256,
    };
    if (known.includes('*') || known.includes(tag)) {
      response.writeHead(304, head).end();
      return;
    }
    const whole = { ...head, 'Content-Length': String(file.size) };
    if (request.method === 'HEAD') {
      response.writeHead(200, whole).end();
      return;
    }
    const found = await blobs.open(file.blob);
    if (found === undefined) throw new AppError('not_found', '404 DependencyListExport Not Found');
    response.writeHead(200, whole);
    await pipeline(found.content, response);
  }
  const path = /^\/dependency_list_exports\/(\d{1,15})\/download$/;
  return [{ methods: ['GET', 'HEAD'], target: 'instance', path, run: download }];
}

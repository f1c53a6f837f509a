import type { BlobStore } from '@switchyard/blobs';
import { badRequest, invalidParams, notFound } from '@switchyard/errors';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import { sendContent, sendJson, withinLimit } from '../../contents';
import { type PackageKey, type PackagesArea, type Published, presentPackageFile, publisherOf } from '../../packages';
import { type GenericPath, pathProblems } from '../domain/generic-package';

/** What the endpoints work with. */
export interface GenericEdges {
  readonly packages: Pick<PackagesArea, 'publishFile' | 'findFile' | 'recordDownload'>;
  readonly blobs: BlobStore;
  /** Bytes of the largest file. */
  readonly limit: number;
}

const pathOf = ({ parts: [name = '', version = '', filePath = ''] }: ForwardedCall): GenericPath => ({
  name,
  version,
  filePath,
});

const keyOf = (projectId: number, { name, version }: GenericPath): PackageKey => ({
  projectId,
  format: 'generic',
  name,
  version,
});

const statusOf = (query: URLSearchParams): 'default' | 'hidden' | undefined =>
  (query.get('status') as 'default' | 'hidden' | null) ?? undefined;

/** Refuses a file that has another digest than the client announces in the header that downloads have. */
function checkOf({ request }: ForwardedCall): ((received: { readonly sha256: string }) => void) | undefined {
  const announced = request.headers['x-checksum-sha256'];
  if (announced === undefined) return undefined;
  return ({ sha256 }) => {
    if (sha256 !== String(announced).trim().toLowerCase()) throw badRequest('File does not match X-Checksum-SHA256');
  };
}

/** Files by name and version on the internal HTTP port (G-4.17-10, G-4.17-11); uploads and downloads stream. */
export function genericHttp({ packages, blobs, limit }: GenericEdges): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const path = pathOf(call);
    const problems = pathProblems(path);
    if (problems.length > 0) throw invalidParams(...problems);
    const publication = {
      key: keyOf(call.projectId, path),
      fileName: path.filePath,
      publisher: publisherOf(call),
      status: statusOf(call.query),
      check: checkOf(call),
    };
    const published = await withinLimit(call.request, limit, () =>
      packages.publishFile(publication, call.request, limit),
    );
    sendJson(call, 201, call.query.get('select') === 'package_file' ? recordOf(published, path) : created);
  }

  async function download(call: ForwardedCall): Promise<void> {
    const path = pathOf(call);
    const file =
      pathProblems(path).length > 0 ? undefined : await packages.findFile(keyOf(call.projectId, path), path.filePath);
    if (file === undefined) throw notFound();
    if (call.request.method === 'GET') packages.recordDownload(file.packageId);
    await sendContent(call, blobs, file);
  }

  const path = /^\/projects\/(\d{1,15})\/packages\/generic\/([^/]+)\/([^/]+)\/(.+)$/;
  return [
    { methods: ['PUT'], path, run: upload },
    { methods: ['GET', 'HEAD'], path, run: download },
  ];
}

const created = { message: '201 Created' };

const recordOf = ({ fileId, createdAt, ...published }: Published, { filePath }: GenericPath) =>
  presentPackageFile({ ...published, id: fileId, fileName: filePath, createdAt });

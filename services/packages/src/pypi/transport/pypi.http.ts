import type { BlobStore } from '@switchyard/blobs';
import { invalidParams } from '@switchyard/errors';
import { type ForwardedCall, type ForwardedEndpoint, readUploadForm, type TakeFormFile } from '@switchyard/rpc';
import { pythonName } from '@switchyard/texts';
import { longestUploadMs, sendContent, sendDocument, sendJson, withinLimit } from '../../contents';
import { nothingFound, type PackagesArea, placeOf, publisherOf } from '../../packages';
import type { PypiFiles } from '../application/manage-pypi-files';
import { formProblems, isFileName, isName, isSha256, type PypiForm } from '../domain/pypi-file';
import { linkFile, namesHtml, namesJson, negotiate, projectHtml, projectJson } from '../presenters/simple-index';

/** What the endpoints work with. */
export interface PypiHttpEdges {
  readonly files: PypiFiles;
  readonly packages: Pick<PackagesArea, 'recordDownload'>;
  readonly blobs: BlobStore;
  /** Bytes of the largest file. */
  readonly limit: number;
  /** Path at which the installation lies, without a trailing slash. */
  readonly root: string;
}

/** What is read of the form. Publishing tools send all they know of the package, its description included. */
const wanted: ReadonlySet<string> = new Set(['name', 'version', 'requires_python', 'sha256_digest', 'md5_digest']);
const form = {
  fileField: 'content',
  keepsPath: true,
  wanted,
  fields: 2_000,
  fieldSize: 1 << 20,
  overhead: 4 << 20,
  timeoutMs: longestUploadMs,
} as const;

/** Fields of the body win over the query (G-1-2). */
function formOf(fields: ReadonlyMap<string, string>, query: URLSearchParams, fileName: string | undefined): PypiForm {
  const given = (name: string): string | undefined => fields.get(name) ?? query.get(name) ?? undefined;
  return {
    fileName,
    name: given('name'),
    version: given('version'),
    requiresPython: given('requires_python'),
    sha256: given('sha256_digest'),
    md5: given('md5_digest'),
  };
}

/** An index of Python packages on the internal HTTP port, of a project or a group; files stream. */
export function pypiHttp({ files, packages, blobs, limit, root }: PypiHttpEdges): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const { projectId, query, request } = call;
    let isTaken = false;
    const take: TakeFormFile = (fileName, content, fields) => {
      isTaken = true;
      const given = async () => formOf(await fields, query, fileName);
      return files.publish({ projectId, publisher: publisherOf(call) }, content, given, limit);
    };
    const fields = await withinLimit(request, limit + form.overhead, () =>
      readUploadForm(request, { ...form, file: limit }, take),
    );
    if (!isTaken) throw invalidParams(...formProblems(formOf(fields, query, undefined)));
    sendJson(call, 201, { message: '201 Created' });
  }

  const baseOf = ({ projectId, groupId }: ForwardedCall): string =>
    projectId > 0
      ? `${root}/api/v4/projects/${projectId}/packages/pypi`
      : `${root}/api/v4/groups/${groupId}/-/packages/pypi`;

  function send(call: ForwardedCall, { html, json }: { html: () => string; json: () => string }): Promise<void> {
    const asked = negotiate(call.request.headers.accept);
    const type = asked.type === 'text/html' ? 'text/html; charset=utf-8' : asked.type;
    return sendDocument(call, asked.json ? json() : html(), type);
  }

  async function listNames(call: ForwardedCall): Promise<void> {
    const names = await files.names(placeOf(call));
    await send(call, { html: () => namesHtml(baseOf(call), names), json: () => namesJson(names) });
  }

  async function listFiles(call: ForwardedCall): Promise<void> {
    const written = call.parts[0] ?? '';
    const found = isName(written) ? await files.filesOf(placeOf(call), written) : [];
    if (found.length === 0) throw nothingFound(call);
    const name = pythonName(written);
    const links = found.map((file) => linkFile(baseOf(call), file));
    await send(call, { html: () => projectHtml(name, links), json: () => projectJson(name, links) });
  }

  async function download(call: ForwardedCall): Promise<void> {
    const [sha256 = '', fileName = ''] = call.parts;
    const isPath = isSha256(sha256) && isFileName(fileName);
    const file = isPath ? await files.find(placeOf(call), { sha256, fileName }) : undefined;
    if (file === undefined) throw nothingFound(call);
    if (call.request.method === 'GET') packages.recordDownload(file.packageId);
    await sendContent(call, blobs, file);
  }

  const places = [
    ['project', 'projects'],
    ['group', 'groups'],
  ] as const;
  const methods = ['GET', 'HEAD'];
  return [
    { methods: ['POST'], path: /^\/projects\/(\d{1,15})\/packages\/pypi$/, run: upload },
    ...places.flatMap(([kind, plural]): ForwardedEndpoint[] => {
      const target = kind === 'group' ? { target: kind } : {};
      const path = (rest: string) => new RegExp(`^/${plural}/(\\d{1,15})/packages/pypi/${rest}$`);
      return [
        { ...target, methods, path: path('simple'), run: listNames },
        { ...target, methods, path: path('simple/([^/]+)'), run: listFiles },
        { ...target, methods, path: path('files/([^/]+)/([^/]+)'), run: download },
      ];
    }),
  ];
}

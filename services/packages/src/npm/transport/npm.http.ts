import type { BlobStore } from '@switchyard/blobs';
import { isAppError } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import { sendContent } from '../../contents';
import { type PackagesArea, publisherOf } from '../../packages';
import type { NpmPackages, NpmTarget } from '../application/npm-packages';
import { asNpmError, npmError } from '../domain/npm-error';
import { isForwardable } from '../domain/npm-names';
import type { Place, PlaceViewer } from '../domain/place';
import { presentSearch } from '../presenters/npm-search.presenter';
import { sendJson, sendNothing } from './npm.replies';

/** What the endpoints work with. */
export interface NpmHttpEdges {
  readonly npm: NpmPackages;
  readonly packages: Pick<PackagesArea, 'recordDownload'>;
  readonly blobs: BlobStore;
  /** Registry to which callers are sent for names that are not here, without a trailing slash; undefined for none. */
  readonly forwardUrl: string | undefined;
}

/** Bytes of the bodies of small requests: the name of a version, the names that an audit asks for. */
const smallBody = 1 << 10;
const auditBody = 32 << 20;

async function read({ request }: ForwardedCall, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > limit) throw npmError('too_large', 'the body is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Reads a body that has no effect. */
async function drop({ request }: ForwardedCall, limit: number): Promise<void> {
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > limit) throw npmError('too_large', 'the body is too large');
  }
}

/** The body; where it is left before its end, the connection stays for the reply. */
const bodyOf = ({ request }: ForwardedCall): AsyncIterable<Uint8Array> => request.iterator({ destroyOnReturn: false });

const nameOf = ({ parts: [name = ''] }: ForwardedCall): string => name;
const targetOf = (call: ForwardedCall): NpmTarget => ({ projectId: call.projectId, name: nameOf(call) });

/** Who looks into a group or the instance. A deploy token has no user: where it reaches, it reads every project. */
function viewerOf({ claims: { actor, access } }: ForwardedCall): PlaceViewer {
  const { userId = 0, admin = false, external = false } = actor ?? {};
  const reaches = actor?.deployTokenId !== undefined && (access?.level ?? 0) >= levels.reporter;
  return { userId, admin: admin || reaches, external, onlyProject: actor?.job?.projectId };
}

/** The place that a call names. */
function placeOf(call: ForwardedCall): Place {
  if (call.projectId > 0) return { kind: 'project', id: call.projectId };
  const viewer = viewerOf(call);
  return call.groupId > 0 ? { kind: 'group', id: call.groupId, viewer } : { kind: 'instance', viewer };
}

const isShort = ({ request }: ForwardedCall): boolean =>
  (request.headers.accept ?? '').includes('application/vnd.npm.install-v1+json');

const numberOf = (query: URLSearchParams, name: string): number => Number(query.get(name) ?? 0);

const noVulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
const quickAudit = {
  actions: [],
  advisories: {},
  muted: [],
  metadata: { vulnerabilities: noVulnerabilities, dependencies: 0, devDependencies: 0, optionalDependencies: 0 },
};

/** What npm asks a registry for, on the internal HTTP port (G-4.17-13 … -15); tarballs stream both ways. */
export function npmHttp({ npm, packages, blobs, forwardUrl }: NpmHttpEdges): readonly ForwardedEndpoint[] {
  async function metadata(call: ForwardedCall): Promise<void> {
    const name = nameOf(call);
    try {
      await sendJson(call, await npm.metadata(placeOf(call), name, isShort(call) ? 'short' : 'full'));
    } catch (error) {
      if (forwardUrl === undefined || !isAppError(error, 'not_found') || !isForwardable(name)) throw error;
      call.response
        .writeHead(302, { Location: `${forwardUrl}/${name.replace('/', '%2f')}`, 'Content-Length': '0' })
        .end();
    }
  }

  async function publish(call: ForwardedCall): Promise<void> {
    await npm.publish(targetOf(call), bodyOf(call), publisherOf(call));
    await sendJson(call, '{}');
  }

  async function replace(call: ForwardedCall): Promise<void> {
    await npm.replace(targetOf(call), call.parts[1] ?? '', bodyOf(call), publisherOf(call));
    await sendJson(call, '{}');
  }

  async function unpublish(call: ForwardedCall): Promise<void> {
    const [path = '', revision = ''] = call.parts;
    const [name = '', fileName] = path.split('/-/', 2);
    const target = { projectId: call.projectId, name };
    if (fileName === undefined) await npm.unpublish(target, revision, publisherOf(call));
    else await npm.unpublishTarball(target, fileName, publisherOf(call));
    await sendJson(call, '{}');
  }

  async function tarball(call: ForwardedCall): Promise<void> {
    const file = await npm.tarball(targetOf(call), call.parts[1] ?? '');
    if (call.request.method === 'GET') packages.recordDownload(file.packageId);
    await sendContent(call, blobs, file);
  }

  async function setTag(call: ForwardedCall): Promise<void> {
    const body = (await read(call, smallBody)).toString();
    let version: unknown;
    try {
      version = JSON.parse(body);
    } catch {
      throw npmError('bad_request', 'the body is not a version as a JSON string');
    }
    await npm.setTag(targetOf(call), call.parts[1] ?? '', version, publisherOf(call));
    sendNothing(call);
  }

  async function deleteTag(call: ForwardedCall): Promise<void> {
    await npm.deleteTag(targetOf(call), call.parts[1] ?? '', publisherOf(call));
    sendNothing(call);
  }

  async function search(call: ForwardedCall): Promise<void> {
    const { query } = call;
    const asked = { text: query.get('text') ?? '', from: numberOf(query, 'from'), size: numberOf(query, 'size') };
    const { found, total } = await npm.search(placeOf(call), asked);
    await sendJson(call, JSON.stringify(presentSearch(found, total)));
  }

  const audit = (reply: object) => async (call: ForwardedCall) => {
    await drop(call, auditBody);
    await sendJson(call, JSON.stringify(reply));
  };

  const reads = ['GET', 'HEAD'];
  const places = [
    { at: '\\/projects\\/(\\d{1,15})', target: undefined },
    { at: '\\/groups\\/(\\d{1,15})', target: 'group' },
    { at: '', target: 'instance' },
  ] as const;
  const everywhere = places.flatMap(({ at, target }): ForwardedEndpoint[] => {
    const path = (rest: string) => new RegExp(`^${at}\\/npm\\/${rest}$`);
    const place = target === undefined ? {} : { target };
    const tags = (call: ForwardedCall) =>
      npm.tags(placeOf(call), nameOf(call)).then((found) => sendJson(call, JSON.stringify(found)));
    return [
      { ...place, methods: reads, path: path('metadata\\/([^/]+)'), run: metadata },
      { ...place, methods: reads, path: path('tags\\/([^/]+)'), run: tags },
      { ...place, methods: reads, path: path('search'), run: search },
      { ...place, methods: ['POST'], path: path('advisories'), keepsNothing: true, run: audit({}) },
      { ...place, methods: ['POST'], path: path('audit'), keepsNothing: true, run: audit(quickAudit) },
    ];
  });
  const ofProject = (rest: string) => new RegExp(`^\\/projects\\/(\\d{1,15})\\/npm\\/${rest}$`);
  const endpoints: ForwardedEndpoint[] = [
    ...everywhere,
    { methods: ['PUT'], path: ofProject('metadata\\/([^/]+)'), run: publish },
    { methods: ['PUT'], path: ofProject('revisions\\/([^/]+)\\/([^/]+)'), run: replace },
    { methods: ['DELETE'], path: ofProject('revisions\\/([^/]+)\\/([^/]+)'), run: unpublish },
    { methods: reads, path: ofProject('tarballs\\/([^/]+)\\/([^/]+)'), run: tarball },
    { methods: ['PUT'], path: ofProject('tags\\/([^/]+)\\/([^/]+)'), run: setTag },
    { methods: ['DELETE'], path: ofProject('tags\\/([^/]+)\\/([^/]+)'), run: deleteTag },
  ];
  return endpoints.map((one) => ({
    ...one,
    run: (call) =>
      one.run(call).catch((error: unknown) => {
        throw asNpmError(error);
      }),
  }));
}

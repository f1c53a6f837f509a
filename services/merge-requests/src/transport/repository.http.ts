import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AppError, isAppError, notFound } from '@switchyard/errors';
import type { Claims } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, identityKey, type TrustedKeys, verifyClaims } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import type { ReadRepositoryFile } from '../application/read-repository-file';
import type { ReceivePush } from '../application/receive-push';
import type { ServeFetch } from '../application/serve-fetch';
import { fileHeaders, fileObject } from '../presenters/repository-file.presenter';

/** What the internal HTTP port of repositories needs. */
export interface RepositoryHttpEdges {
  readonly trusted: TrustedKeys;
  readonly ensureDirectory: (sequence: number) => Promise<void>;
  readonly fetches: ServeFetch;
  readonly receivePush: ReceivePush;
  readonly files: ReadRepositoryFile;
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly claims: Claims;
  readonly projectId: number;
  /** Parts of the path that the pattern caught, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

type Endpoint = (edges: RepositoryHttpEdges, call: Call) => Promise<void>;

const noCache = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
};

const pushRequest = ({ claims, projectId }: Call) => ({
  projectId,
  actorId: claims.actor?.userId ?? 0,
  standing: { level: claims.access?.level ?? 0, admin: claims.actor?.admin ?? false },
});

const encodingOf = ({ request }: Call): string | undefined => request.headers['content-encoding'];
const protocolOf = ({ request }: Call): string | undefined => {
  const given = request.headers['git-protocol'];
  return typeof given === 'string' ? given : undefined;
};

const infoRefs: Endpoint = async ({ fetches, receivePush }, call) => {
  const service = call.query.get('service');
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
    throw new AppError('forbidden', 'Please upgrade your git client: only smart HTTP is served.');
  }
  const head = { ...noCache, 'Content-Type': `application/x-${service}-advertisement` };
  if (service === 'git-upload-pack') {
    await fetches.advertise(call.projectId, protocolOf(call), call.response, head);
  } else {
    await receivePush.advertise(pushRequest(call), call.response, head);
  }
};

const uploadPack: Endpoint = async ({ fetches }, call) => {
  const head = { ...noCache, 'Content-Type': 'application/x-git-upload-pack-result' };
  await fetches.serve(call.projectId, protocolOf(call), encodingOf(call), call.request, call.response, head);
};

const receivePack: Endpoint = async ({ receivePush }, call) => {
  const head = { ...noCache, 'Content-Type': 'application/x-git-receive-pack-result' };
  await receivePush.receive(pushRequest(call), encodingOf(call), call.request, call.response, head);
};

/** Weak ETag of what these headers describe: they carry the ids of blob and commits (G-1-9). */
const cacheHeaders = (described: unknown): Record<'ETag' | 'Cache-Control', string> => ({
  ETag: `W/"${createHash('sha1').update(JSON.stringify(described)).digest('base64url')}"`,
  'Cache-Control': 'max-age=0, private, must-revalidate',
});

/** True when the client has it already, which is answered here: 304 without a body. */
function answersUnchanged({ request, response }: Call, cache: { ETag: string }): boolean {
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!known.includes('*') && !known.includes(cache.ETag.slice(2))) return false;
  response.writeHead(304, cache).end();
  return true;
}

const getFile: Endpoint = async ({ files }, call) => {
  const { request, response, projectId, parts, query } = call;
  const path = parts[0] ?? '';
  const ref = query.get('ref') ?? undefined;
  if (request.method === 'HEAD' || request.headers['if-none-match'] !== undefined) {
    const head = fileHeaders(await files.describe(projectId, path, ref));
    const cache = cacheHeaders(head);
    if (answersUnchanged(call, cache)) return;
    if (request.method === 'HEAD') {
      response.writeHead(200, { ...head, ...cache, 'Content-Type': 'application/json' }).end();
      return;
    }
  }
  const { view, content } = await files.read(projectId, path, ref);
  const body = Buffer.from(JSON.stringify(fileObject(view, content)));
  const head = fileHeaders(view);
  response
    .writeHead(200, {
      ...head,
      ...cacheHeaders(head),
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    })
    .end(body);
};

/** Raw bytes are never taken for a page: no type that a browser renders, and no guessing. */
const rawHeaders = (name: string, size: number): Record<string, string> => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Length': String(size),
  'Content-Disposition': `inline; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`,
  'X-Content-Type-Options': 'nosniff',
});

const getRawFile: Endpoint = async ({ files }, call) => {
  const { request, response, projectId, parts, query } = call;
  const { view, open } = await files.stream(projectId, parts[0] ?? '', query.get('ref') ?? undefined);
  const head = { ...fileHeaders(view), ...rawHeaders(view.file.name, view.file.size) };
  const cache = cacheHeaders(head);
  if (answersUnchanged(call, cache)) return;
  response.writeHead(200, { ...head, ...cache });
  if (request.method === 'HEAD') response.end();
  else await pipeline(await open(), response);
};

const getRawBlob: Endpoint = async ({ files }, call) => {
  const { request, response, projectId, parts } = call;
  const { size, content } = await files.blob(projectId, parts[0] ?? '');
  const head = rawHeaders(parts[0] ?? '', size);
  const cache = cacheHeaders(head);
  if (answersUnchanged(call, cache)) {
    content.destroy();
    return;
  }
  response.writeHead(200, { ...head, ...cache });
  if (request.method === 'HEAD') {
    content.destroy();
    response.end();
  } else await pipeline(content, response);
};

const reading = ['GET', 'HEAD'];

const endpoints: readonly { methods: readonly string[]; path: RegExp; run: Endpoint }[] = [
  { methods: ['GET'], path: /^\/projects\/(\d{1,15})\/git\/info\/refs$/, run: infoRefs },
  { methods: ['POST'], path: /^\/projects\/(\d{1,15})\/git\/git-upload-pack$/, run: uploadPack },
  { methods: ['POST'], path: /^\/projects\/(\d{1,15})\/git\/git-receive-pack$/, run: receivePack },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/files\/([^/]+)$/, run: getFile },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/files\/([^/]+)\/raw$/, run: getRawFile },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/blobs\/([^/]+)\/raw$/, run: getRawBlob },
];

/** Answers what repositories serve on the internal HTTP port: git's smart HTTP, and files as bytes. */
export function repositoryHttp(edges: RepositoryHttpEdges): RequestListener {
  return (request, response) => {
    handle(edges, request, response).catch((error: unknown) => fail(request, response, error));
  };
}

async function handle(edges: RepositoryHttpEdges, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  for (const endpoint of endpoints) {
    const found = endpoint.path.exec(path);
    if (found === null || !endpoint.methods.includes(request.method ?? '')) continue;
    const claims = await admit(edges, request, path);
    const projectId = Number(found[1]);
    if (claims.access?.id !== projectId) throw new AppError('forbidden');
    const parts = found.slice(2).map((part) => decodeURIComponent(part));
    await endpoint.run(edges, { request, response, claims, projectId, parts, query: new URLSearchParams(query) });
    return;
  }
  throw notFound();
}

async function admit(edges: RepositoryHttpEdges, request: IncomingMessage, path: string): Promise<Claims> {
  const signed = request.headers[identityKey];
  const claims = verifyClaims(
    edges.trusted,
    `HTTP ${request.method} ${path}`,
    typeof signed === 'string' ? Buffer.from(signed, 'base64') : undefined,
  );
  if (claims.caller !== 'gateway') throw new AppError('forbidden');
  if (claims.directorySequence > 0) await edges.ensureDirectory(claims.directorySequence);
  return { ...claims, actor: claims.actor ?? anonymous };
}

function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = error instanceof AppError ? error : new AppError('internal', undefined, { cause: error });
  if (!isAppError(error) || known.kind === 'unavailable') {
    const left = request.aborted || response.destroyed;
    logger[left ? 'debug' : 'error']({ err: error, path: request.url }, 'internal request failed');
  }
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(known.body);
  response
    .writeHead(known.status, {
      'Content-Type': 'application/json',
      ...(known.retryAfter === undefined ? {} : { 'Retry-After': String(known.retryAfter) }),
    })
    .end(request.method === 'HEAD' ? undefined : body);
}

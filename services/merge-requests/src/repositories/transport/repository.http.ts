import { pipeline } from 'node:stream/promises';
import { AppError, invalidParams, isAppError, unauthorized } from '@switchyard/errors';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import type { ArchiveFormat, CallerWork } from '../../git';
import type { ArchiveRepository } from '../application/archive-repository';
import type { ReadRepositoryFile } from '../application/read-repository-file';
import type { PushRequest, ReceivePush } from '../application/receive-push';
import type { FetchedPlace, ServeFetch } from '../application/serve-fetch';
import { developer } from '../domain/protected-branch';
import type { RepositoryKind } from '../domain/repository';
import { blameObject, fileHeaders, fileObject } from '../presenters/repository-file.presenter';
import { runRequestAsGitWork } from './as-git-work';
import { answersUnchanged, cacheHeaders } from './http-cache';

/** The use cases behind the endpoints. */
export interface RepositoryHttpEdges {
  readonly fetches: ServeFetch;
  readonly receivePush: ReceivePush;
  readonly files: ReadRepositoryFile;
  readonly archives: ArchiveRepository;
}

type Endpoint = (edges: RepositoryHttpEdges, call: ForwardedCall) => Promise<void>;

const noCache = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
};

/** Which repository of the project the path names. */
const kindOf = ({ parts }: ForwardedCall): RepositoryKind => (parts[0] === 'wiki' ? 'wiki' : 'code');

const pushRequest = (call: ForwardedCall): PushRequest => {
  const { claims, projectId } = call;
  return {
    projectId,
    kind: kindOf(call),
    actorId: claims.actor?.userId ?? 0,
    access: { level: claims.access?.level ?? 0, admin: claims.actor?.admin ?? false },
    sender: {
      username: claims.actor?.username ?? '',
      external: claims.actor?.external ?? false,
      tier: claims.access?.tier ?? '',
      requestId: claims.requestId,
    },
  };
};

const fetchedPlace = (call: ForwardedCall): FetchedPlace => {
  const { actor, access } = call.claims;
  const mayWrite = actor?.scopes.some((scope) => scope === 'api' || scope === 'write_repository') === true;
  const mayPush = mayWrite && (access?.level ?? 0) >= developer && !access?.archived && actor?.job === undefined;
  return { projectId: call.projectId, kind: kindOf(call), mayPush };
};

const encodingOf = ({ request }: ForwardedCall): string | undefined => request.headers['content-encoding'];
const protocolOf = ({ request }: ForwardedCall): string | undefined => {
  const given = request.headers['git-protocol'];
  return typeof given === 'string' ? given : undefined;
};

/** Whether a caller might be let in to what is not there for them, had they said who they are. */
const isAnonymous = ({ claims: { actor } }: ForwardedCall): boolean =>
  (actor?.userId ?? 0) === 0 && actor?.deployTokenId === undefined;

/**
 * A refusal as plain text, which git prints for its user; of other types it shows the status alone. Git says who its user
 * is once it is asked, and a wiki comes to be when one who may push asks for it.
 */
const refusedAsText =
  (run: Endpoint): Endpoint =>
  async (edges, call) => {
    try {
      await run(edges, call);
    } catch (error) {
      const { response } = call;
      if (!isAppError(error, 'forbidden', 'not_found') || response.headersSent) throw error;
      const isAsked = error.kind === 'not_found' && kindOf(call) === 'wiki' && isAnonymous(call);
      const asks = isAsked ? { 'WWW-Authenticate': 'Basic realm="Switchyard"' } : {};
      response.writeHead(isAsked ? 401 : error.status, { 'Content-Type': 'text/plain', ...asks });
      const message = isAsked ? unauthorized().body.message : error.body.message;
      response.end(`${typeof message === 'string' ? message : 'Forbidden'}\n`);
    }
  };

const infoRefs: Endpoint = async ({ fetches, receivePush }, call) => {
  const service = call.query.get('service');
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
    throw new AppError('forbidden', 'Please upgrade your git client: only smart HTTP is served.');
  }
  const head = { ...noCache, 'Content-Type': `application/x-${service}-advertisement` };
  if (service === 'git-upload-pack') {
    await fetches.advertise(fetchedPlace(call), protocolOf(call), call.response, head);
  } else {
    await receivePush.advertise(pushRequest(call), call.response, head);
  }
};

const uploadPack: Endpoint = async ({ fetches }, call) => {
  const head = { ...noCache, 'Content-Type': 'application/x-git-upload-pack-result' };
  await fetches.serve(fetchedPlace(call), protocolOf(call), encodingOf(call), call.request, call.response, head);
};

const receivePack: Endpoint = async ({ receivePush }, call) => {
  const head = { ...noCache, 'Content-Type': 'application/x-git-receive-pack-result' };
  await receivePush.receive(pushRequest(call), encodingOf(call), call.request, call.response, head);
};

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

const getBlame: Endpoint = async ({ files }, call) => {
  const { request, response, projectId, parts, query } = call;
  const [start, end] = [Number(query.get('start')), Number(query.get('end'))];
  const range = query.get('start') === null ? undefined : { start, end };
  if (start > end) throw invalidParams('range[start] must be less than or equal to range[end]');
  const view = await files.describe(projectId, parts[0] ?? '', query.get('ref') ?? undefined);
  const head = { ...fileHeaders(view), 'Content-Type': 'application/json' };
  const cache = cacheHeaders([head, range]);
  if (answersUnchanged(call, cache)) return;
  if (request.method === 'HEAD') {
    response.writeHead(200, { ...head, ...cache }).end();
    return;
  }
  const body = Buffer.from(JSON.stringify((await files.blame(projectId, view, range)).map(blameObject)));
  response.writeHead(200, { ...head, ...cache, 'Content-Length': String(body.length) }).end(body);
};

const archiveTypes: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  'tar.bz2': 'application/x-bzip2',
  zip: 'application/zip',
};

const getArchive: Endpoint = async ({ archives }, call) => {
  const { request, response, projectId, parts, query } = call;
  const wanted = { ref: query.get('sha') ?? '', path: query.get('path') ?? '', format: parts[0] as ArchiveFormat };
  const { name, commit, send } = await archives(projectId, wanted);
  const head = {
    'Content-Type': archiveTypes[wanted.format],
    'Content-Disposition': `attachment; ${fileNameOf(`${name}.${wanted.format}`)}`,
    'X-Content-Type-Options': 'nosniff',
  };
  const cache = cacheHeaders([head, commit]);
  if (answersUnchanged(call, cache)) return;
  if (request.method === 'HEAD') response.writeHead(200, { ...head, ...cache }).end();
  else await send(response, () => void response.writeHead(200, { ...head, ...cache }));
};

const fileNameOf = (name: string): string =>
  `filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;

/** Raw bytes are never taken for a page: no type that a browser renders, and no guessing. */
const rawHeaders = (name: string, size: number): Record<string, string> => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Length': String(size),
  'Content-Disposition': `inline; ${fileNameOf(name)}`,
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

const endpoints: readonly {
  methods: readonly string[];
  path: RegExp;
  kind: CallerWork['kind'];
  run: Endpoint;
}[] = [
  {
    methods: ['GET'],
    path: /^\/projects\/(\d{1,15})\/(git|wiki)\/info\/refs$/,
    kind: 'call',
    run: refusedAsText(infoRefs),
  },
  {
    methods: ['POST'],
    path: /^\/projects\/(\d{1,15})\/(git|wiki)\/git-upload-pack$/,
    kind: 'transfer',
    run: uploadPack,
  },
  {
    methods: ['POST'],
    path: /^\/projects\/(\d{1,15})\/(git|wiki)\/git-receive-pack$/,
    kind: 'transfer',
    run: refusedAsText(receivePack),
  },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/files\/([^/]+)$/, kind: 'call', run: getFile },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/files\/([^/]+)\/raw$/, kind: 'transfer', run: getRawFile },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/files\/([^/]+)\/blame$/, kind: 'call', run: getBlame },
  {
    methods: reading,
    path: /^\/projects\/(\d{1,15})\/archive\/(tar\.gz|tar\.bz2|zip)$/,
    kind: 'transfer',
    run: getArchive,
  },
  { methods: reading, path: /^\/projects\/(\d{1,15})\/blobs\/([^/]+)\/raw$/, kind: 'transfer', run: getRawBlob },
];

/** What repositories serve on the internal HTTP port: git's smart HTTP, and files as bytes. */
export const repositoryEndpoints = (edges: RepositoryHttpEdges): ForwardedEndpoint[] =>
  endpoints.map(({ run, kind, ...endpoint }) => ({
    ...endpoint,
    run: (call) => runRequestAsGitWork(kind, call.claims.actor?.userId ?? 0, call.response, () => run(edges, call)),
  }));

import { type ResolveResponse, ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import type { Express, NextFunction, Request, Response } from 'express';
import { type Ability, isClosed, isDecidedByService, projectAbilities } from './abilities';
import { measureRoute, noteCaller } from './access-log';
import { accountOf, basicToken, userTokenOf } from './authenticate';
import type { Forwarder } from './forward';
import type { RateLimits } from './rate-limits';
import { type AccessResolver, actorOf, type Question } from './resolve-access';
import { streamBody } from './stream-body';

/** What the git proxy needs of the process. */
export interface GitProxyEdges {
  readonly access: Pick<AccessResolver, 'resolve'>;
  readonly limits: RateLimits;
  readonly forward: Forwarder;
}

/** What a git client requests. */
interface GitRequest {
  /** Full path of the project, or of its wiki. */
  readonly project: string;
  /** Path below the repository, with its query. */
  readonly below: string;
  readonly service: 'git-upload-pack' | 'git-receive-pack';
  /** It requests large files, which are not served (G-13-18). */
  readonly lfs?: boolean;
}

/** An answer to the client in place of the repository's; git prints plain text as `remote:` lines. */
interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly text: string;
}

const credentialsWanted: Refusal = { status: 401, text: 'HTTP Basic: Access denied. Use a token as the password.' };
const notThere: Refusal = { status: 404, text: 'The project you were looking for could not be found.' };
const refused = (text: string): Refusal => ({ status: 403, text });

/** Which repository of a project is meant. */
type RepositoryKind = 'code' | 'wiki';

/** For each repository of a project: who fetches and who pushes, the refusals, and where merge-requests serves it. */
const repositories = {
  code: {
    'git-upload-pack': {
      ability: projectAbilities.read_code,
      refusal: 'You are not allowed to download code from this project.',
    },
    // A merge request from a fork may open its branch to those who are no members: who may push where, the service decides.
    'git-receive-pack': {
      ability: projectAbilities.commit_code,
      refusal: 'You are not allowed to push code to this project.',
    },
    path: 'git',
  },
  wiki: {
    'git-upload-pack': {
      ability: projectAbilities.download_wiki,
      refusal: 'You are not allowed to download the wiki of this project.',
    },
    'git-receive-pack': {
      ability: projectAbilities.push_wiki,
      refusal: 'You are not allowed to write to the wiki of this project.',
    },
    path: 'wiki',
  },
} as const satisfies Record<
  RepositoryKind,
  Record<GitRequest['service'], { ability: Ability; refusal: string }> & { path: string }
>;

/** The project whose wiki a path would be; undefined for a path that no wiki has. */
const projectOfWiki = (path: string): string | undefined => /^(.*[^/])\.wiki$/.exec(path)?.[1];

/** Scopes that do (G-5-4). */
const scopes = {
  'git-upload-pack': ['api', 'read_repository', 'write_repository'],
  'git-receive-pack': ['api', 'write_repository'],
} as const;

const pathForm = /^\/((?:[^/]+\/)+[^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack|info\/lfs(?:\/.*)?)$/;

/** The git request of a URL; undefined for everything else. Paths of the API are never taken for repositories. */
export function gitRequestOf(method: string, url: string): GitRequest | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  const found = pathForm.exec(path);
  if (found === null || path.startsWith('/api/')) return undefined;
  const [, encoded = '', end = ''] = found;
  let project: string;
  try {
    project = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  if (end.startsWith('info/lfs')) return { project, below: end, service: 'git-upload-pack', lfs: true };
  if (end === 'info/refs') {
    const service = new URLSearchParams(query).get('service');
    const isSmart = service === 'git-upload-pack' || service === 'git-receive-pack';
    if (method !== 'GET') return undefined;
    return {
      project,
      below: `info/refs?service=${encodeURIComponent(service ?? '')}`,
      service: isSmart ? service : 'git-upload-pack',
    };
  }
  return method === 'POST' ? { project, below: end, service: end as GitRequest['service'] } : undefined;
}

/**
 * Who a git client says it is: one of the API's headers, or a token as the password of Basic credentials, with any
 * username.
 */
function callerOf(request: Request): Pick<Question, 'token' | 'kind' | 'username' | 'account' | 'address'> {
  const token = userTokenOf(request);
  if (token !== undefined) return { token, address: request.ip };
  const basic = basicToken(request.headers.authorization);
  return { token: undefined, ...basic, account: accountOf(basic), address: request.ip };
}

function refusalOfToken(answer: ResolveResponse): Refusal | undefined {
  switch (answer.tokenRefusal) {
    case Token.TOKEN_REFUSAL_UNSPECIFIED:
      return undefined;
    case Token.TOKEN_REFUSAL_BLOCKED:
      return refused('Your account has been blocked.');
    case Token.TOKEN_REFUSAL_DEACTIVATED:
      return refused('Your account has been deactivated.');
    case Token.TOKEN_REFUSAL_UNCONFIRMED:
      return refused('Your primary email address is not confirmed.');
    default:
      return credentialsWanted;
  }
}

/** Least level that an ability asks for in a project. */
const levelOf = (ability: Ability, { visibility }: Access): number =>
  ability[visibility as 'public' | 'internal' | 'private'];

/**
 * Why a git request is refused; undefined when it may pass. A private project and none at all are one answer (G-5-15).
 */
export function refusalOf(
  answer: ResolveResponse,
  service: GitRequest['service'],
  kind: RepositoryKind = 'code',
): Refusal | undefined {
  const ofToken = refusalOfToken(answer);
  if (ofToken !== undefined) return ofToken;
  const actor = answer.actor ?? anonymous;
  const isAnonymous = actor.userId === 0 && actor.deployTokenId === undefined;
  const { access } = answer;
  if (access === undefined) return isAnonymous ? credentialsWanted : notThere;
  // A job reads its project, and pushes nothing (G-5-13).
  if (actor.job !== undefined && service === 'git-receive-pack') return refused('A job token cannot push.');
  if (!isAnonymous && actor.job === undefined && !scopes[service].some((scope) => actor.scopes.includes(scope))) {
    return refused(`The token has none of the scopes ${scopes[service].join(', ')}.`);
  }
  const { ability, refusal } = repositories[kind][service];
  const isAllowed = access.level >= levelOf(ability, access) && !isClosed(ability, access);
  if (service === 'git-receive-pack') {
    if (isAnonymous) return credentialsWanted;
    if (!isAllowed) return refused(refusal);
    return access.archived ? refused('You cannot push to an archived project.') : undefined;
  }
  if (isAllowed) return undefined;
  return isAnonymous ? credentialsWanted : refused(refusal);
}

/** The same with the protocols that the group allows, which is said to those alone who would get in otherwise. */
export function refusalOverHttp(
  answer: ResolveResponse,
  service: GitRequest['service'],
  kind: RepositoryKind = 'code',
): Refusal | undefined {
  const refusal = refusalOf(answer, service, kind);
  if (refusal !== undefined || answer.access?.gitProtocol !== 'ssh') return refusal;
  return refused('Git access over HTTP is not allowed: the group of this project allows git over SSH only.');
}

function send(response: Response, { status, text }: Refusal): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="Switchyard"');
  response.status(status).type('text/plain').send(`${text}\n`);
}

/** The answer to a client of large files, in the form that it prints. */
function sendUnsupportedLfs(response: Response): void {
  const message = 'Git LFS is not supported by this server.';
  response.status(501).type('application/vnd.git-lfs+json').send(JSON.stringify({ message }));
}

/**
 * Smart HTTP for git clients at `/<full path>.git/…` and `/<full path>/…`, and with `.wiki` behind the path for the wiki of
 * the project (D7, ADR 82): who the caller is and what they may do is
 * resolved here, the request itself streams to merge-requests with signed metadata. A path the project had before still
 * serves.
 */
export function gitProxy({ access, limits, forward }: GitProxyEdges): (app: Express) => void {
  async function resolve(caller: ReturnType<typeof callerOf>, project: string, requestId: string, fresh: boolean) {
    const resolveProject = (name: string) =>
      access.resolve({ ...caller, sudo: undefined, target: { kind: 'project', name } }, requestId, { fresh });
    const first = await resolveProject(project);
    return first.answer.access === undefined && first.answer.movedTo > 0
      ? resolveProject(String(first.answer.movedTo))
      : first;
  }

  /** A project whose own path ends in `.wiki` is meant before the wiki of another one. */
  async function find(caller: ReturnType<typeof callerOf>, path: string, requestId: string, fresh: boolean) {
    const found = await resolve(caller, path, requestId, fresh);
    const project = projectOfWiki(path);
    const isOther =
      project !== undefined && found.answer.access === undefined && refusalOfToken(found.answer) === undefined;
    return isOther
      ? { ...(await resolve(caller, project, requestId, fresh)), kind: 'wiki' as const }
      : { ...found, kind: 'code' as const };
  }

  async function serve(request: Request, response: Response, git: GitRequest): Promise<void> {
    const requestId = response.getHeader('X-Request-Id') as string;
    const caller = callerOf(request);
    let { answer, fresh, kind } = await find(caller, git.project, requestId, false);
    // A cached answer may be a second old: it may admit, but never refuse.
    const isLeft = isDecidedByService(repositories[kind][git.service].ability, answer.access);
    if (!fresh && (isLeft || refusalOverHttp(answer, git.service, kind) !== undefined))
      ({ answer, fresh, kind } = await find(caller, git.project, requestId, true));
    noteCaller(response, actorOf(answer));
    limits.throttle(request, response, actorOf(answer));
    const refusal = refusalOverHttp(answer, git.service, kind);
    if (refusal !== undefined || answer.access === undefined) return send(response, refusal ?? notThere);
    if (git.lfs) return sendUnsupportedLfs(response);
    const path = `/projects/${answer.access.id}/${repositories[kind].path}/${git.below}`;
    streamBody(request, response);
    await forward(
      request,
      response,
      { to: 'merge-requests', path },
      {
        actor: answer.actor ?? anonymous,
        access: answer.access,
        directorySequence: answer.directorySequence,
        requestId,
      },
    );
  }

  return (app) => {
    app.use((request: Request, response: Response, next: NextFunction) => {
      const git = gitRequestOf(request.method, request.url);
      if (git === undefined) return next();
      measureRoute(response, request.method, git.lfs ? '/*/info/lfs' : `/*/${git.below.replace(/\?.*/, '')}`);
      serve(request, response, git).catch(next);
    });
  };
}

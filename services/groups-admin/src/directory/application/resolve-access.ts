import {
  type ResolveRequest,
  type ResolveResponse,
  ResolveResponse_SudoRefusal as SudoRefusal,
  ResolveRequest_TokenKind as TokenKind,
  ResolveResponse_TokenRefusal as TokenRefusal,
} from '@switchyard/protos/groups_admin/v1/access';
import { type Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import { levels } from '@switchyard/rights';
import { anonymous } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { isStorable } from '@switchyard/texts';
import { rangesFor } from '../../rules';
import type { PresentedAs, SudoRow, TargetName, TargetRow, TokenRow } from '../domain/access';
import { allButPackages, closedFeatures, isVisible, type Viewer } from '../domain/access-rules';

/** Reads for `AccessService.Resolve`: one statement for each question. */
export interface AccessStore {
  /** The token of a user. */
  findToken(digest: Buffer): Promise<TokenRow | undefined>;
  findJobToken(digest: Buffer): Promise<TokenRow | undefined>;
  /** @param username has to be that of the token; empty where none was presented */
  findDeployToken(digest: Buffer, username: string): Promise<TokenRow | undefined>;
  /** Whether a deploy token is of this project or group, or of a group above it. */
  deployTokenReaches(tokenId: number, kind: 'project' | 'group', id: number): Promise<boolean>;
  /** Whether a project lies below a group. */
  isBelow(projectId: number, groupId: number): Promise<boolean>;
  /** By id when in digits, else by username. */
  findUser(idOrUsername: string): Promise<SudoRow | undefined>;
  findProject(name: TargetName, userId: number): Promise<TargetRow | undefined>;
  findGroup(name: TargetName, userId: number): Promise<TargetRow | undefined>;
  /** Id of the project that had this full path before; 0 when none had (G-1-7). */
  findMovedProject(path: string): Promise<number>;
  /** Id of the group that had this full path before; 0 when none had. */
  findMovedGroup(path: string): Promise<number>;
  /** Newest sequence of the directory. */
  directorySequence(): Promise<number>;
  /** Notes the use of a token and from where, at most once a minute; no request waits for it. */
  touchToken(tokenId: number, userId: number, address: string): Promise<void>;
  /** The same for the tokens of machines. */
  touchMachineToken(kind: 'job' | 'deploy', tokenId: number): Promise<void>;
}

/** What access resolution needs. */
export interface ResolveAccessOptions {
  store: AccessStore;
  /**
   * Digest under which a presented token is stored; undefined for a text that cannot be a token, which needs no
   * look-up.
   */
  digestOf(token: string, kind: PresentedAs): Buffer | undefined;
  /** Tier of the instance, for top-level groups that have none of their own (G-13-16). */
  tier: string;
}

/** A target, and as whom the caller looks at it. */
interface Found {
  readonly row: TargetRow;
  readonly viewer: Viewer;
}

/** Resolves token, sudo and target together (D3, access.proto). */
export type ResolveAccess = (request: ResolveRequest) => Promise<ResolveResponse>;

const refusalOfState: Record<string, TokenRefusal> = {
  active: TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED,
  deactivated: TokenRefusal.TOKEN_REFUSAL_DEACTIVATED,
  unconfirmed: TokenRefusal.TOKEN_REFUSAL_UNCONFIRMED,
};

const stateRefusal = (state: string): TokenRefusal => refusalOfState[state] ?? TokenRefusal.TOKEN_REFUSAL_BLOCKED;

function tokenRefusal(row: TokenRow | undefined): TokenRefusal {
  if (row === undefined) return TokenRefusal.TOKEN_REFUSAL_UNKNOWN;
  if (row.revoked) return TokenRefusal.TOKEN_REFUSAL_REVOKED;
  if (row.expired) return TokenRefusal.TOKEN_REFUSAL_EXPIRED;
  return stateRefusal(row.state);
}

const actorOf = (user: SudoRow, token: TokenRow): Actor => ({
  userId: user.user_id,
  username: user.username,
  admin: user.admin,
  external: user.external,
  scopes: token.scopes,
  tokenId: token.token_id,
});

const presentedAs: Record<TokenKind, PresentedAs> = {
  [TokenKind.TOKEN_KIND_UNSPECIFIED]: 'user',
  [TokenKind.TOKEN_KIND_JOB]: 'job',
  [TokenKind.TOKEN_KIND_DEPLOY]: 'deploy',
};

/**
 * Who bears a token. A job token has the rights of its user in one project, and none as an administrator beyond them; a
 * deploy token has no user.
 */
function bearerOf(row: TokenRow): Actor {
  if (row.kind === 'deploy') return { ...anonymous, external: true, scopes: row.scopes, deployTokenId: row.token_id };
  if (row.kind !== 'job') return actorOf(row, row);
  const job = { projectId: row.project_id ?? 0, pipelineId: row.pipeline_id ?? 0 };
  return { ...actorOf(row, row), admin: false, tokenId: 0, job };
}

/** Level of a deploy token where it reaches: it reads, and what it may write is packages alone. */
const deployLevel = ({ scopes }: TokenRow): number =>
  scopes.includes('write_package_registry') ? levels.developer : levels.reporter;

/** Tokens of users by which an administrator may act for others; not those by which another does already. */
const sudoKinds: readonly string[] = ['personal', 'bootstrap'];

/** Whether an actor still finds what is marked for deletion, to restore it. */
const mayRestore = ({ purging, level }: TargetRow, { admin }: Viewer): boolean =>
  !purging && (admin || level >= levels.owner);

const featuresOf = (row: TargetRow) => ({
  repository: row.repository_access_level,
  mergeRequests: row.merge_requests_access_level,
  issues: row.issues_access_level,
  monitor: row.monitor_access_level,
  snippets: row.snippets_access_level,
  packages: row.package_registry_access_level,
});

const closedTo = (kind: 'project' | 'group', row: TargetRow, { admin }: Viewer) =>
  kind === 'project' ? closedFeatures(featuresOf(row), { level: row.level, admin }) : undefined;

const earliest = (...timestamps: (number | null)[]): number => {
  const known = timestamps.filter((timestamp) => timestamp !== null);
  return known.length === 0 ? 0 : Math.min(...known);
};

/** Builds `AccessService.Resolve`. */
export function resolveAccess({ store, digestOf, tier }: ResolveAccessOptions): ResolveAccess {
  const findToken = (kind: PresentedAs, digest: Buffer, username: string): Promise<TokenRow | undefined> => {
    if (kind === 'job') return store.findJobToken(digest);
    return kind === 'deploy' ? store.findDeployToken(digest, username) : store.findToken(digest);
  };

  async function authenticate({ token, tokenKind, username, address }: ResolveRequest): Promise<TokenRow | undefined> {
    const kind = presentedAs[tokenKind] ?? 'user';
    const digest = isStorable(username) ? digestOf(token, kind) : undefined;
    if (digest === undefined) return undefined;
    const row = await findToken(kind, digest, username);
    if (row?.stale && tokenRefusal(row) === TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED) {
      const touched =
        kind === 'user'
          ? store.touchToken(row.token_id, row.user_id, address)
          : store.touchMachineToken(kind, row.token_id);
      touched.catch((error) => logger.debug({ err: error }, 'use of a token not recorded'));
    }
    return row;
  }

  /**
   * A target as the token of a job finds it: its project, and for its packages a group around that. Elsewhere it finds
   * the packages that everybody reads (G-4.17-12, G-5-13), as a caller without a token does.
   */
  async function findForJob(
    kind: 'project' | 'group',
    row: TargetRow,
    viewer: Viewer,
    { project_id: own }: TokenRow,
    packages: boolean,
  ): Promise<Found | undefined> {
    if (kind === 'project' && row.id === own) return { row, viewer };
    if (!packages) return undefined;
    if (kind === 'group' && own !== undefined && (await store.isBelow(own, row.id))) return { row, viewer };
    return { row: { ...row, level: 0, member_below: false }, viewer: anonymous };
  }

  /** A target as the bearer of a token finds it; for a machine there is nothing but what its token is for. */
  async function find(
    kind: 'project' | 'group',
    name: TargetName,
    viewer: Viewer,
    token: TokenRow | undefined,
    packages: boolean,
  ): Promise<Found | undefined> {
    const { userId } = viewer;
    const row = await (kind === 'project' ? store.findProject(name, userId) : store.findGroup(name, userId));
    if (row === undefined) return undefined;
    if (token?.kind === 'job') return findForJob(kind, row, viewer, token, packages);
    if (token?.kind !== 'deploy') return { row, viewer };
    return (await store.deployTokenReaches(token.token_id, kind, row.id))
      ? { row: { ...row, level: deployLevel(token) }, viewer }
      : undefined;
  }

  const accessTo = (
    kind: 'project' | 'group',
    { row, viewer }: Found,
    { marked = false, packages = false }: Pick<ResolveRequest, 'marked' | 'packages'>,
  ): Access | undefined => {
    if (row.deleting && !(marked && mayRestore(row, viewer))) return undefined;
    const seen = isVisible({ visibility: row.visibility, level: row.level, memberBelow: row.member_below }, viewer);
    const packagesPublic = kind === 'project' && row.package_registry_access_level === 'public';
    if (!seen && !(packages && packagesPublic)) return undefined;
    return {
      kind: kind === 'project' ? Access_Kind.KIND_PROJECT : Access_Kind.KIND_GROUP,
      id: row.id,
      fullPath: row.full_path,
      visibility: row.visibility,
      level: viewer.admin ? 50 : row.level,
      tier: row.tier ?? tier,
      archived: row.archived,
      closed: seen ? closedTo(kind, row, viewer) : allButPackages,
      packagesPublic: packagesPublic || undefined,
      gitProtocol: row.git_protocol === null || row.git_protocol === 'all' ? undefined : row.git_protocol,
    };
  };

  /** From where a target may be reached; undefined for everywhere. */
  const addressesOf = ({ row, viewer }: Found): { ranges: string[] } | undefined => {
    const ranges = rangesFor(row, viewer, tier);
    return ranges && { ranges };
  };

  /** What a target is now that was named by an earlier path, if the viewer may see it there. */
  async function moved(
    kind: 'project' | 'group',
    path: string,
    viewer: Viewer,
    token: TokenRow | undefined,
    packages: boolean,
  ): Promise<Found | undefined> {
    const id = await (kind === 'project' ? store.findMovedProject(path) : store.findMovedGroup(path));
    const found = id === 0 ? undefined : await find(kind, { id }, viewer, token, packages);
    return found !== undefined && accessTo(kind, found, { packages }) !== undefined ? found : undefined;
  }

  return async (request) => {
    const { token, sudo, target, packages = false } = request;
    const response: ResolveResponse = {
      tokenRefusal: TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED,
      sudoRefusal: SudoRefusal.SUDO_REFUSAL_UNSPECIFIED,
      actor: anonymous,
      access: undefined,
      movedTo: 0,
      directorySequence: 0,
      validUntil: 0,
    };
    let expiry: number | null = null;
    let bearer: TokenRow | undefined;
    if (token !== '') {
      const row = await authenticate(request);
      response.tokenRefusal = tokenRefusal(row);
      if (row === undefined || response.tokenRefusal !== TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED) return response;
      response.actor = bearerOf(row);
      bearer = row;
      response.directorySequence = row.directory_sequence;
      expiry = row.expires_at;
      if (sudo !== '') {
        const refused = await actFor(row, sudo, response);
        if (refused) return response;
      }
    }
    response.validUntil = earliest(expiry);
    if (target === undefined) return response;
    const actor = response.actor ?? anonymous;
    // In its project the token of a job sees what its user sees, an administrator everything.
    const viewer = bearer?.kind === 'job' ? { ...actor, admin: bearer.admin } : actor;
    const name = nameOf(target.$case, target.value);
    const found = name === undefined ? undefined : await find(target.$case, name, viewer, bearer, packages);
    response.access = found && accessTo(target.$case, found, request);
    // Of a target that is not seen nothing is said.
    if (found !== undefined && response.access !== undefined) response.addresses = addressesOf(found);
    // Read with the target or after it: every change that the reply depends on has this sequence or a lower one.
    response.directorySequence = found?.row.directory_sequence ?? (await store.directorySequence());
    response.validUntil = earliest(expiry, found?.row.valid_until ?? null);
    if (found === undefined && name !== undefined && 'path' in name) {
      const now = await moved(target.$case, name.path, viewer, bearer, packages);
      if (now !== undefined) {
        response.movedTo = now.row.id;
        response.addresses = addressesOf(now);
      }
    }
    return response;
  };

  /** Replaces the caller by another user (G-5-7); true when that was refused. */
  async function actFor(caller: TokenRow, sudo: string, response: ResolveResponse): Promise<boolean> {
    if (!caller.admin || !sudoKinds.includes(caller.kind)) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_NOT_ADMIN;
      return true;
    }
    if (!caller.scopes.includes('sudo')) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_SCOPE;
      return true;
    }
    const user = isStorable(sudo) ? await store.findUser(sudo) : undefined;
    if (user === undefined) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_UNKNOWN_USER;
      return true;
    }
    response.actor = actorOf(user, caller);
    response.tokenRefusal = stateRefusal(user.state);
    return response.tokenRefusal !== TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED;
  }
}

/** Longest full path that exists: 20 levels of 255 characters; anything longer names nothing. */
const maxPathLength = 20 * 256;

/** Digits are an id; a project's path has a slash in it (G-1-1). Undefined for what can name nothing. */
export function nameOf(kind: 'project' | 'group', value: string): TargetName | undefined {
  if (/^\d+$/.test(value)) {
    const id = Number(value);
    return Number.isSafeInteger(id) && id > 0 ? { id } : undefined;
  }
  if (value.length > maxPathLength || !isStorable(value)) return undefined;
  if (kind === 'project' && !value.includes('/')) return undefined;
  return { path: value };
}

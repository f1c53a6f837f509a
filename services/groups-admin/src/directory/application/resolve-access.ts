import {
  type ResolveRequest,
  type ResolveResponse,
  ResolveResponse_SudoRefusal as SudoRefusal,
  ResolveResponse_TokenRefusal as TokenRefusal,
} from '@switchyard/protos/groups_admin/v1/access';
import { type Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import type { SudoRow, TargetName, TargetRow, TokenRow } from '../domain/access';
import { closedFeatures, isVisible } from '../domain/access-rules';

/** Reads for `AccessService.Resolve`: one statement for each question. */
export interface AccessStore {
  findToken(digest: Buffer): Promise<TokenRow | undefined>;
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
}

/** What access resolution needs. */
export interface ResolveAccessOptions {
  store: AccessStore;
  /**
   * Digest under which a presented token is stored; undefined for a text that cannot be a token, which needs no
   * look-up.
   */
  digestOf(token: string): Buffer | undefined;
  /** Tier of the instance, for top-level groups that have none of their own (G-13-16). */
  tier: string;
}

/** Resolves token, sudo and target together (D3, access.proto). */
export type ResolveAccess = (request: ResolveRequest) => Promise<ResolveResponse>;

const refusalOfState: Record<string, TokenRefusal> = {
  active: TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED,
  deactivated: TokenRefusal.TOKEN_REFUSAL_DEACTIVATED,
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

const featuresOf = (row: TargetRow) => ({
  repository: row.repository_access_level,
  mergeRequests: row.merge_requests_access_level,
  issues: row.issues_access_level,
  monitor: row.monitor_access_level,
  snippets: row.snippets_access_level,
});

const earliest = (...timestamps: (number | null)[]): number => {
  const known = timestamps.filter((timestamp) => timestamp !== null);
  return known.length === 0 ? 0 : Math.min(...known);
};

/** Builds `AccessService.Resolve`. */
export function resolveAccess({ store, digestOf, tier }: ResolveAccessOptions): ResolveAccess {
  async function authenticate(token: string, address: string): Promise<TokenRow | undefined> {
    const digest = digestOf(token);
    if (digest === undefined) return undefined;
    const row = await store.findToken(digest);
    if (row?.stale && tokenRefusal(row) === TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED) {
      store
        .touchToken(row.token_id, row.user_id, address)
        .catch((error) => logger.debug({ err: error }, 'use of a token not recorded'));
    }
    return row;
  }

  const find = (kind: 'project' | 'group', name: TargetName, userId: number): Promise<TargetRow | undefined> =>
    kind === 'project' ? store.findProject(name, userId) : store.findGroup(name, userId);

  const accessTo = (kind: 'project' | 'group', row: TargetRow | undefined, actor: Actor): Access | undefined => {
    if (row === undefined || row.deleting) return undefined;
    const seen = isVisible({ visibility: row.visibility, level: row.level, memberBelow: row.member_below }, actor);
    if (!seen) return undefined;
    return {
      kind: kind === 'project' ? Access_Kind.KIND_PROJECT : Access_Kind.KIND_GROUP,
      id: row.id,
      fullPath: row.full_path,
      visibility: row.visibility,
      level: actor.admin ? 50 : row.level,
      tier: row.tier ?? tier,
      archived: row.archived,
      closed:
        kind === 'project' ? closedFeatures(featuresOf(row), { level: row.level, admin: actor.admin }) : undefined,
    };
  };

  /** Where a target that was named by an earlier path is now, if the actor may see it there. */
  async function movedTo(kind: 'project' | 'group', path: string, actor: Actor): Promise<number> {
    const id = await (kind === 'project' ? store.findMovedProject(path) : store.findMovedGroup(path));
    if (id === 0) return 0;
    return accessTo(kind, await find(kind, { id }, actor.userId), actor) === undefined ? 0 : id;
  }

  return async ({ token, sudo, target, address }) => {
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
    if (token !== '') {
      const row = await authenticate(token, address);
      response.tokenRefusal = tokenRefusal(row);
      if (row === undefined || response.tokenRefusal !== TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED) return response;
      response.actor = actorOf(row, row);
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
    const name = nameOf(target.$case, target.value);
    const row = name === undefined ? undefined : await find(target.$case, name, actor.userId);
    response.access = accessTo(target.$case, row, actor);
    // Read with the target or after it: every change that the reply depends on has this sequence or a lower one.
    response.directorySequence = row?.directory_sequence ?? (await store.directorySequence());
    response.validUntil = earliest(expiry, row?.valid_until ?? null);
    if (row === undefined && name !== undefined && 'path' in name) {
      response.movedTo = await movedTo(target.$case, name.path, actor);
    }
    return response;
  };

  /** Replaces the caller by another user (G-5-7); true when that was refused. */
  async function actFor(caller: TokenRow, sudo: string, response: ResolveResponse): Promise<boolean> {
    if (!caller.admin) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_NOT_ADMIN;
      return true;
    }
    if (!caller.scopes.includes('sudo')) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_SCOPE;
      return true;
    }
    const user = isText(sudo) ? await store.findUser(sudo) : undefined;
    if (user === undefined) {
      response.sudoRefusal = SudoRefusal.SUDO_REFUSAL_UNKNOWN_USER;
      return true;
    }
    response.actor = actorOf(user, caller);
    response.tokenRefusal = stateRefusal(user.state);
    return response.tokenRefusal !== TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED;
  }
}

/** False for what PostgreSQL cannot hold as text: it names nothing. */
const isText = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

/** Longest full path that exists: 20 levels of 255 characters; anything longer names nothing. */
const maxPathLength = 20 * 256;

/** Digits are an id; a project's path has a slash in it (G-1-1). Undefined for what can name nothing. */
export function nameOf(kind: 'project' | 'group', value: string): TargetName | undefined {
  if (/^\d+$/.test(value)) {
    const id = Number(value);
    return Number.isSafeInteger(id) && id > 0 ? { id } : undefined;
  }
  if (value.length > maxPathLength || !isText(value)) return undefined;
  if (kind === 'project' && !value.includes('/')) return undefined;
  return { path: value };
}

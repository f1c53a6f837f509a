import type { PageInfo, PageRequest } from '@switchyard/database';
import { type AppError, isAppError, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Parent } from '../../parents';
import { dateOf } from '../../rules';
import type { MemberActor } from '../domain/member';
import {
  decideAdd,
  decideApprove,
  decideImport,
  decideRemove,
  decideUpdate,
  type ImportedMember,
  type MemberRole,
  requireRole,
} from '../domain/member-change';
import type { MemberFilter, MemberRow, UserMembershipRow } from '../domain/member-row';
import type { MemberStore } from './member.ports';

/** Users to add. */
export interface AddMembers extends MemberRole {
  readonly userIds: readonly number[];
  readonly usernames: readonly string[];
}

/** The member, when one user was to be added; else what went wrong by name. */
export type AddedMembers = { member: MemberRow } | { problems: Record<string, string> };

const sourceNotFound = ({ kind }: Parent): AppError => notFound(kind === 'group' ? 'Group' : 'Project');

/** What became of members who came in. */
export interface ImportedMembers {
  /** How many are members of the project then. */
  readonly written: number;
  /** Those who are none, by what they were named by. */
  readonly leftOut: readonly { readonly item: string; readonly reason: string }[];
}

/** Members of groups and projects (G §10 Members). */
export function manageMembers({ members }: { members: MemberStore }) {
  async function get(source: Parent, userId: number, inherited: boolean): Promise<MemberRow> {
    const member = await members.find(source, userId, inherited);
    if (member === undefined) throw notFound();
    return member;
  }

  /** Ids of the users that were named by id or username, by the name that was given; unknown users are left out. */
  async function idsByName({ userIds, usernames }: AddMembers): Promise<Map<string, number>> {
    const byName = new Map<string, number>();
    for (const user of await members.usersBy({ ids: userIds, usernames })) {
      if (userIds.includes(user.id)) byName.set(String(user.id), user.id);
      for (const name of usernames) {
        if (name.toLowerCase() === user.username.toLowerCase()) byName.set(name, user.id);
      }
    }
    return byName;
  }

  return {
    /** @throws AppError not_found */
    get,

    /** A page of members by user id. */
    list: (
      source: Parent,
      filter: MemberFilter,
      request: PageRequest,
    ): Promise<{ rows: MemberRow[]; page: PageInfo }> => members.list(source, filter, request),

    /**
     * Adds users; the refusal of a single one is thrown, those of several are gathered by name.
     * @throws AppError forbidden, invalid; not_found for the source; for a single user as `decideAdd`, and not_found
     */
    async add(actor: MemberActor, source: Parent, command: AddMembers): Promise<AddedMembers> {
      requireRole(actor, source, command, dateOf(new Date()));
      const names = [...new Set([...command.userIds.map(String), ...command.usernames])];
      const byName = await idsByName(command);
      const known = names.filter((name) => byName.has(name));
      const userIds = known.flatMap((name) => byName.get(name) ?? []);
      const isSingle = names.length === 1;
      const refused = new Map<string | undefined, AppError>();
      const request = { source, actorId: actor.userId, userIds, reads: ['inheritedLevel', 'admission'] as const };
      const found = await members.change(request, (facts, index) => {
        try {
          return decideAdd(source, facts, command);
        } catch (error) {
          if (isSingle || !isAppError(error)) throw error;
          refused.set(known[index], error);
          return undefined;
        }
      });
      if (!found) throw sourceNotFound(source);
      const [onlyId] = userIds;
      if (isSingle && onlyId === undefined) throw notFound('User');
      if (isSingle && onlyId !== undefined) return { member: await get(source, onlyId, false) };
      const problems: Record<string, string> = {};
      for (const name of names) {
        const refusal = byName.has(name) ? refused.get(name) : notFound('User');
        if (refusal !== undefined) problems[name] = textOf(refusal);
      }
      return { problems };
    },

    /**
     * Adds members to a project that came in, those whom the actor may add; nobody is notified.
     * @returns how many of them are its members then, and those who are not
     * @throws AppError not_found for the project
     */
    async import(actor: MemberActor, projectId: number, given: readonly ImportedMember[]): Promise<ImportedMembers> {
      const source: Parent = { kind: 'project', id: projectId };
      const users = await members.usersBy({
        ids: given.flatMap(({ user }) => (typeof user === 'number' ? user : [])),
        usernames: given.flatMap(({ user }) => (typeof user === 'string' ? user : [])),
      });
      const byUser = new Map(
        given.map((one) => [typeof one.user === 'string' ? one.user.toLowerCase() : one.user, one]),
      );
      const now = new Date();
      const left = new Map([...byUser].map(([user]) => [user, 'There is no user with this username']));
      const request = {
        source,
        actorId: actor.userId,
        userIds: users.map(({ id }) => id),
        reads: ['inheritedLevel', 'admission'] as const,
      };
      const found = await members.change(request, (facts, index) => {
        const { id = 0, username = '' } = users[index] ?? {};
        const member = byUser.get(id) ?? byUser.get(username.toLowerCase());
        const decision = member && decideImport(actor, source, facts, member, now);
        const name = byUser.has(id) ? id : username.toLowerCase();
        if (decision !== undefined || facts.membership !== undefined) left.delete(name);
        else left.set(name, 'The project does not take them as a member');
        return decision;
      });
      if (!found) throw sourceNotFound(source);
      const leftOut = [...left].map(([key, reason]) => ({ item: String(byUser.get(key)?.user ?? key), reason }));
      return { written: byUser.size - left.size, leftOut };
    },

    /**
     * Makes the user of a pending access request a member.
     * @throws AppError not_found without a request; else as `add` for a single user
     */
    async approve(actor: MemberActor, source: Parent, userId: number, level: number): Promise<MemberRow> {
      const role = { level, expiresAt: undefined };
      requireRole(actor, source, role, dateOf(new Date()));
      const reads = ['inheritedLevel', 'admission', 'hasRequest'] as const;
      const found = await members.change({ source, actorId: actor.userId, userIds: [userId], reads }, (facts) =>
        decideApprove(source, facts, role),
      );
      if (!found) throw sourceNotFound(source);
      return get(source, userId, false);
    },

    /**
     * A page of the direct memberships of a user, oldest first.
     * @throws AppError not_found `404 User Not Found`
     */
    async ofUser(
      userId: number,
      type: UserMembershipRow['source_type'] | undefined,
      request: PageRequest,
    ): Promise<{ rows: UserMembershipRow[]; page: PageInfo }> {
      const found = await members.ofUser(userId, type, request);
      if (found === undefined) throw notFound('User');
      return found;
    },

    /**
     * Changes level or expiry (empty: none) of a direct member.
     * @throws AppError forbidden, invalid, not_found
     */
    async update(actor: MemberActor, source: Parent, userId: number, role: MemberRole): Promise<MemberRow> {
      requireRole(actor, source, role, dateOf(new Date()));
      const reads = [
        'inheritedLevel',
        'isOwnBot',
        ...(role.level < levels.owner ? (['isRequiredOwner'] as const) : []),
      ] as const;
      const found = await members.change({ source, actorId: actor.userId, userIds: [userId], reads }, (facts) =>
        decideUpdate(actor, facts, role),
      );
      if (!found) throw sourceNotFound(source);
      return get(source, userId, false);
    },

    /**
     * Removes a direct member and, without `skipBelow`, their memberships below a group.
     * @throws AppError forbidden, not_found
     */
    async remove(actor: MemberActor, source: Parent, userId: number, skipBelow: boolean): Promise<void> {
      const withBelow = source.kind === 'group' && !skipBelow;
      const reads = ['isRequiredOwner', 'isOwnBot', ...(withBelow ? (['below'] as const) : [])] as const;
      const found = await members.change({ source, actorId: actor.userId, userIds: [userId], reads }, (facts) =>
        decideRemove(actor, source, facts),
      );
      if (!found) throw sourceNotFound(source);
    },

    /**
     * Removes memberships that have expired; they have counted as absent since then.
     * @returns how many
     */
    expire: (limit = 200): Promise<number> => members.expire(limit),
  };
}

function textOf(error: AppError): string {
  const { message } = error.body;
  if (typeof message === 'string') return message;
  return Object.entries(message as Record<string, string[]>)
    .map(([field, texts]) => `${field} ${texts.join(', ')}`)
    .join('; ');
}

/** Use cases of members. */
export type ManageMembers = ReturnType<typeof manageMembers>;

import type { Database, PageInfo, PageRequest, Tx } from '@switchyard/database';
import { type AppError, conflict, forbidden, isAppError, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { membershipChanges, recordDirectoryChange } from '../../directory';
import type { Parent } from '../../parents';
import {
  type MemberActor,
  mayChange,
  mayGrant,
  mayRemove,
  refuseBelowInherited,
  refuseMinimalInProject,
  refusePastExpiry,
} from '../domain/member';
import type { MemberRow, MemberStore } from '../storage/member.store';
import { noteAdded, noteChanged, noteRemoved } from './member-events';

/** Users to add. */
export interface AddMembers {
  userIds: number[];
  usernames: string[];
  level: number;
  /** `YYYY-MM-DD`; undefined for none. */
  expiresAt: string | undefined;
}

/** One user gives the member; several give what went wrong by name. */
export type AddedMembers = { member: MemberRow } | { problems: Record<string, string> };

const today = (): string => new Date().toISOString().slice(0, 10);

/** Members of groups and projects (G §10 Members). */
export function manageMembers({ db, members }: { db: Database; members: MemberStore }) {
  async function get(source: Parent, userId: number, inherited: boolean): Promise<MemberRow> {
    const member = await members.find(source, userId, inherited);
    if (member === undefined) throw notFound();
    return member;
  }

  async function lock(tx: Tx, source: Parent): Promise<void> {
    if (!(await members.lockSource(tx, source))) throw notFound(source.kind === 'group' ? 'Group' : 'Project');
  }

  /** Adds one user inside a transaction; the id of the membership. */
  async function add(
    tx: Tx,
    actor: MemberActor,
    source: Parent,
    userId: number,
    { level, expiresAt }: AddMembers,
  ): Promise<number> {
    const present = await members.membership(tx, source, userId);
    if (present !== undefined && !present.expired) throw conflict('Member already exists');
    refuseBelowInherited(level, await members.inheritedLevel(tx, source, userId));
    const added = await members.put(tx, source, { userId, level, expiresAt, createdBy: actor.userId });
    await noteAdded(tx, [added], actor.userId);
    return added.id;
  }

  /** A group keeps an Owner, and a project the owner of the namespace it lies in. */
  async function refuseLastOwner(tx: Tx, source: Parent, userId: number): Promise<void> {
    const last =
      source.kind === 'group'
        ? (await members.otherOwners(tx, source.id, userId)) === 0
        : await members.ownsHome(tx, source.id, userId);
    if (last) throw forbidden();
  }

  return {
    get,

    list: (
      source: Parent,
      filter: { query?: string; searchPrivateEmail: boolean; userIds?: number[]; inherited: boolean },
      request: PageRequest,
    ): Promise<{ rows: MemberRow[]; page: PageInfo }> => members.list(source, filter, request),

    /** Adds users; with one, its refusal is the answer. */
    async add(actor: MemberActor, source: Parent, wanted: AddMembers): Promise<AddedMembers> {
      mayGrant(actor, wanted.level);
      refuseMinimalInProject(source.kind, wanted.level);
      refusePastExpiry(wanted.expiresAt ?? '', today());
      const names = [...new Set([...wanted.userIds.map(String), ...wanted.usernames])];
      const byName = new Map<string, number>();
      for (const user of await members.usersBy(db, { ids: wanted.userIds, usernames: wanted.usernames })) {
        if (wanted.userIds.includes(user.id)) byName.set(String(user.id), user.id);
        for (const name of wanted.usernames) {
          if (name.toLowerCase() === user.username.toLowerCase()) byName.set(name, user.id);
        }
      }
      const problems: Record<string, string> = {};
      const single = names.length === 1;
      await db.transaction(async (tx) => {
        await lock(tx, source);
        const added: number[] = [];
        for (const name of names) {
          const userId = byName.get(name);
          try {
            if (userId === undefined) throw notFound('User');
            added.push(await add(tx, actor, source, userId, wanted));
          } catch (error) {
            // Only refusals by rule are gathered; after a failed statement the transaction is lost.
            if (single || !isAppError(error, 'not_found', 'conflict', 'invalid')) throw error;
            problems[name] = textOf(error);
          }
        }
        await recordDirectoryChange(tx, await membershipChanges(tx, added));
      });
      const [only] = byName.values();
      return single && only !== undefined ? { member: await get(source, only, false) } : { problems };
    },

    /** Changes level or expiry (empty: none) of a direct member. */
    async update(
      actor: MemberActor,
      source: Parent,
      userId: number,
      change: { level: number; expiresAt: string | undefined },
    ): Promise<MemberRow> {
      mayGrant(actor, change.level);
      refuseMinimalInProject(source.kind, change.level);
      refusePastExpiry(change.expiresAt ?? '', today());
      await db.transaction(async (tx) => {
        await lock(tx, source);
        const present = await members.membership(tx, source, userId);
        if (present === undefined || present.expired) throw notFound();
        mayChange(actor, present.access_level);
        if (present.access_level === levels.owner && change.level < levels.owner)
          await refuseLastOwner(tx, source, userId);
        refuseBelowInherited(change.level, await members.inheritedLevel(tx, source, userId));
        await members.change(tx, present.id, change.level, change.expiresAt);
        await noteChanged(tx, present, change.level, actor.userId);
        await recordDirectoryChange(tx, await membershipChanges(tx, [present.id]));
      });
      return get(source, userId, false);
    },

    /** Removes a direct member and, unless told otherwise, their memberships below a group. */
    async remove(actor: MemberActor, source: Parent, userId: number, skipBelow: boolean): Promise<void> {
      const needed = source.kind === 'group' ? levels.owner : levels.maintainer;
      await db.transaction(async (tx) => {
        await lock(tx, source);
        const present = await members.membership(tx, source, userId);
        mayRemove(actor, { userId, level: present?.access_level ?? 0 }, needed);
        if (present === undefined || present.expired) throw notFound();
        if (present.access_level === levels.owner) await refuseLastOwner(tx, source, userId);
        const below = source.kind === 'group' && !skipBelow ? await members.below(tx, source.id, userId) : [];
        const gone = [present, ...below];
        const ids = gone.map(({ id }) => id);
        const changes = await membershipChanges(tx, ids, true);
        await members.remove(tx, ids);
        const sequence = await recordDirectoryChange(tx, changes);
        await noteRemoved(tx, gone, {
          actorId: actor.userId,
          reason: actor.userId === userId ? 'left' : 'removed',
          sequence,
        });
      });
    },

    /**
     * Removes memberships that have expired, which have counted as absent since that moment, and says so to others.
     * @returns how many
     */
    expire: (limit = 200): Promise<number> =>
      db.transaction(async (tx) => {
        const gone = await members.expired(tx, limit);
        if (gone.length === 0) return 0;
        const ids = gone.map(({ id }) => id);
        const changes = await membershipChanges(tx, ids, true);
        await members.remove(tx, ids);
        const sequence = await recordDirectoryChange(tx, changes);
        await noteRemoved(tx, gone, { actorId: 0, reason: 'expired', sequence });
        return gone.length;
      }),
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

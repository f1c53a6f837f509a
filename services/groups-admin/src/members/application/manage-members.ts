import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import { type AppError, conflict, forbidden, isAppError, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { DirectoryTx, Transact } from '../../directory';
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
import type { MemberFilter, MemberRow, Membership, NewMember } from '../domain/member-row';
import { noteAdded, noteChanged, noteRemoved, type RemovalReason } from './member-events';

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

/** Memberships in the database. */
export interface MemberStore {
  /** A page of members by user id. */
  list(source: Parent, filter: MemberFilter, request: PageRequest): Promise<{ rows: MemberRow[]; page: PageInfo }>;
  /** One member, with `all` also from the groups above; undefined when the user is none. */
  find(source: Parent, userId: number, all: boolean): Promise<MemberRow | undefined>;
  /** Users by id or username, in any case, without those of the instance itself. */
  usersBy(given: { ids: readonly number[]; usernames: readonly string[] }): Promise<{ id: number; username: string }[]>;
  /** Locks the source, so that changes of its members follow one another; false when it is gone. */
  lockSource(tx: Tx, source: Parent): Promise<boolean>;
  /** The direct membership of a user, expired or not. */
  membership(tx: Tx, source: Parent, userId: number): Promise<Membership | undefined>;
  /** Highest level a user has in the source from the groups above it; 0 for none. */
  inheritedLevel(tx: Tx, source: Parent, userId: number): Promise<number>;
  /** Number of Owners a group has, those of the groups above included, without one user. */
  otherOwners(tx: Tx, groupId: number, userId: number): Promise<number>;
  /** Whether a project lies in the namespace of this user, who is its Owner by that. */
  ownsHome(tx: Tx, projectId: number, userId: number): Promise<boolean>;
  /** Inserts a membership, or takes over an expired one. */
  put(tx: DirectoryTx, source: Parent, member: NewMember): Promise<Membership>;
  /** Changes level and, when given, expiry (empty: none). */
  change(tx: DirectoryTx, id: number, level: number, expiresAt: string | undefined): Promise<void>;
  /** Direct memberships of a user in the groups and projects below a group. */
  below(tx: Tx, groupId: number, userId: number): Promise<Membership[]>;
  /** Deletes memberships. */
  remove(tx: DirectoryTx, ids: readonly number[]): Promise<void>;
  /** Locks memberships that have expired, oldest first. */
  expired(tx: Tx, limit: number): Promise<Membership[]>;
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Members of groups and projects (G §10 Members). */
export function manageMembers({ transaction, members }: { transaction: Transact; members: MemberStore }) {
  async function get(source: Parent, userId: number, inherited: boolean): Promise<MemberRow> {
    const member = await members.find(source, userId, inherited);
    if (member === undefined) throw notFound();
    return member;
  }

  async function lock(tx: Tx, source: Parent): Promise<void> {
    if (!(await members.lockSource(tx, source))) throw notFound(source.kind === 'group' ? 'Group' : 'Project');
  }

  /** Adds one user inside a transaction. */
  async function add(
    tx: DirectoryTx,
    actor: MemberActor,
    source: Parent,
    userId: number,
    { level, expiresAt }: AddMembers,
  ): Promise<void> {
    const present = await members.membership(tx, source, userId);
    if (present !== undefined && !present.expired) throw conflict('Member already exists');
    refuseBelowInherited(level, await members.inheritedLevel(tx, source, userId));
    const added = await members.put(tx, source, { userId, level, expiresAt, createdBy: actor.userId });
    await noteAdded(tx, [added], actor.userId);
  }

  /** A group keeps an Owner, and a project the owner of the namespace it lies in. */
  async function refuseLastOwner(tx: Tx, source: Parent, userId: number): Promise<void> {
    const last =
      source.kind === 'group'
        ? (await members.otherOwners(tx, source.id, userId)) === 0
        : await members.ownsHome(tx, source.id, userId);
    if (last) throw forbidden();
  }

  /** Deletes memberships, with an event for each that carries the sequence of its deletion. */
  async function end(
    tx: DirectoryTx,
    gone: readonly Membership[],
    ended: { actorId: number; reason: RemovalReason },
  ): Promise<void> {
    await members.remove(
      tx,
      gone.map(({ id }) => id),
    );
    tx.withSequence((sequence) => noteRemoved(tx, gone, { ...ended, sequence }));
  }

  return {
    get,

    list: (
      source: Parent,
      filter: MemberFilter,
      request: PageRequest,
    ): Promise<{ rows: MemberRow[]; page: PageInfo }> => members.list(source, filter, request),

    /** Adds users; with one, its refusal is the answer. */
    async add(actor: MemberActor, source: Parent, wanted: AddMembers): Promise<AddedMembers> {
      mayGrant(actor, wanted.level);
      refuseMinimalInProject(source.kind, wanted.level);
      refusePastExpiry(wanted.expiresAt ?? '', today());
      const names = [...new Set([...wanted.userIds.map(String), ...wanted.usernames])];
      const byName = new Map<string, number>();
      for (const user of await members.usersBy({ ids: wanted.userIds, usernames: wanted.usernames })) {
        if (wanted.userIds.includes(user.id)) byName.set(String(user.id), user.id);
        for (const name of wanted.usernames) {
          if (name.toLowerCase() === user.username.toLowerCase()) byName.set(name, user.id);
        }
      }
      const problems: Record<string, string> = {};
      const single = names.length === 1;
      await transaction(async (tx) => {
        await lock(tx, source);
        for (const name of names) {
          const userId = byName.get(name);
          try {
            if (userId === undefined) throw notFound('User');
            await add(tx, actor, source, userId, wanted);
          } catch (error) {
            // Only refusals by rule are gathered; after a failed statement the transaction is lost.
            if (single || !isAppError(error, 'not_found', 'conflict', 'invalid')) throw error;
            problems[name] = textOf(error);
          }
        }
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
      await transaction(async (tx) => {
        await lock(tx, source);
        const present = await members.membership(tx, source, userId);
        if (present === undefined || present.expired) throw notFound();
        mayChange(actor, present.access_level);
        if (present.access_level === levels.owner && change.level < levels.owner)
          await refuseLastOwner(tx, source, userId);
        refuseBelowInherited(change.level, await members.inheritedLevel(tx, source, userId));
        await members.change(tx, present.id, change.level, change.expiresAt);
        await noteChanged(tx, present, change.level, actor.userId);
      });
      return get(source, userId, false);
    },

    /** Removes a direct member and, without `skipBelow`, their memberships below a group. */
    async remove(actor: MemberActor, source: Parent, userId: number, skipBelow: boolean): Promise<void> {
      const needed = source.kind === 'group' ? levels.owner : levels.maintainer;
      await transaction(async (tx) => {
        await lock(tx, source);
        const present = await members.membership(tx, source, userId);
        mayRemove(actor, { userId, level: present?.access_level ?? 0 }, needed);
        if (present === undefined || present.expired) throw notFound();
        if (present.access_level === levels.owner) await refuseLastOwner(tx, source, userId);
        const below = source.kind === 'group' && !skipBelow ? await members.below(tx, source.id, userId) : [];
        const gone = [present, ...below];
        await end(tx, gone, { actorId: actor.userId, reason: actor.userId === userId ? 'left' : 'removed' });
      });
    },

    /**
     * Removes memberships that have expired; they have counted as absent since they did.
     * @returns how many
     */
    expire: (limit = 200): Promise<number> =>
      transaction(async (tx) => {
        const gone = await members.expired(tx, limit);
        if (gone.length === 0) return 0;
        await end(tx, gone, { actorId: 0, reason: 'expired' });
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

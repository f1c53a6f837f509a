import { type Database, isUniqueViolation, type Sql, type SqlExecutor, sql } from '@switchyard/database';
import { inGroup, joinProject, usersByIds } from '@switchyard/directory';
import type { Raise, TodoFilter, TodoTarget } from '../domain/todo';
import type { PrismaClient } from '../generated/prisma/client';
import { mentionedUsers } from './mentioned-users';
import { whereOf } from './todo.filter';
import { noteReaders, readableTarget, targetReaders } from './todo.visibility';

/** To-dos as rows: how they come, are done, and go. */
export interface TodoStore {
  /**
   * Raises to-dos for those recipients who can read the target; where one is pending already, or the target is gone, nothing.
   * @param at when that happened for which they are raised; default now
   */
  raise(tx: SqlExecutor, target: TodoTarget, raise: readonly Raise[], at?: Date): Promise<void>;
  /**
   * Marks the pending to-dos of one user on a target as done.
   * @param at when the user acted, default now: what was asked later stays, whichever event comes first
   */
  resolve(tx: SqlExecutor, target: TodoTarget, userId: number, at?: Date): Promise<void>;
  /** Removes the to-dos that came from a note. */
  removeNote(tx: SqlExecutor, noteId: number): Promise<void>;
  /**
   * Removes the to-dos of a user whose membership ended, in its project or the projects of its group, whose targets they may no longer
   * read. False, and nothing done, while the directory here still has the membership.
   */
  removeLost(tx: SqlExecutor, ended: EndedMembership): Promise<boolean>;
  /** Removes every to-do on a target, for good. */
  removeTarget(tx: SqlExecutor, target: TodoTarget): Promise<void>;
  /** Makes a to-do by hand; undefined when the user has a pending one on the target. Returns its id. */
  mark(userId: number, target: TodoTarget): Promise<number | undefined>;
  /** Marks one to-do of a user as done; a done one stays as it is. */
  markDone(userId: number, id: number): Promise<void>;
  /** Marks all pending to-dos of a user that a filter selects as done. */
  markAllDone(userId: number, filter: TodoFilter): Promise<void>;
  /** Removes up to `limit` to-dos of users and projects that are gone; returns how many. */
  removeOrphans(limit: number): Promise<number>;
  /** Forgets removed targets after 60 days, when no event about them can come any more: dead letters are kept for 28. */
  forgetRemovedTargets(): Promise<void>;
}

/** A membership that ended. */
export interface EndedMembership {
  readonly membershipId: number;
  readonly userId: number;
  readonly place: { readonly projectId: number } | { readonly groupId: number };
  readonly at: Date;
}

/** The part of the store that follows events. */
export type TodoEffects = Pick<TodoStore, 'raise' | 'resolve' | 'removeTarget' | 'removeNote' | 'removeLost'>;

/**
 * What events do to to-dos.
 * @param rebuilt a table beside the list that is filled from events of the past; default the list itself
 */
export function todoEffects(rebuilt?: Sql): TodoEffects {
  const table = rebuilt ?? sql`todos`;
  // Whoever has come back reads again what they had lost: what was removed then is told by the list, where rights of now say nothing.
  const removedThen = ({ userId, at }: EndedMembership): Sql =>
    rebuilt === undefined
      ? sql`false`
      : sql`t.created_at <= ${at}::timestamptz
          and not coalesce((${readableTarget({ userId: 0, admin: false, external: true })}), false)
          and not exists (
            select 1 from todos kept where kept.user_id = ${userId} and kept.target_type = t.target_type
              and kept.target_id = t.target_id and kept.action = t.action and kept.cause = t.cause)`;
  return {
    async raise(tx, target, raise, at) {
      const named = raise.flatMap(({ to }) => ('usernames' in to ? to.usernames : []));
      const by = raise.find(({ to }) => 'usernames' in to)?.authorId ?? 0;
      const users = await mentionedUsers(tx, named, { projectId: target.projectId, authorId: by });
      const wanted = raise.flatMap(({ action, to, authorId, cause, body, noteId }) => {
        const ids = 'ids' in to ? to.ids : to.usernames.flatMap((name) => users.get(name.toLowerCase()) ?? []);
        return ids.map((userId) => ({
          userId,
          action,
          authorId: authorId ?? userId,
          cause: cause ?? '',
          body,
          noteId,
        }));
      });
      const asked = [...new Set(wanted.map(({ userId }) => userId))];
      const readers = new Set(await targetReaders(tx, target, asked));
      const noteIds = [...new Set(wanted.flatMap(({ noteId }) => noteId ?? []))];
      const ofNotes = await noteReaders(tx, target.projectId, noteIds, [...readers]);
      const rows = wanted.filter(
        ({ userId, noteId }) => readers.has(userId) && (noteId === undefined || ofNotes.get(noteId)?.has(userId)),
      );
      if (rows.length === 0) return;
      await tx.query(sql`
        insert into ${table} (user_id, author_id, action, project_id, target_type, target_id, target_iid, cause, body, note_id, created_at)
        select wanted.user_id, wanted.author_id, wanted.action, ${target.projectId}, ${target.type}, ${target.id}, ${target.iid},
          wanted.cause, wanted.body, wanted.note_id, coalesce(${at ?? null}::timestamptz, now())
        from unnest(${rows.map((row) => row.userId)}::bigint[], ${rows.map((row) => row.authorId)}::bigint[],
          ${rows.map((row) => row.action)}::text[], ${rows.map((row) => row.cause)}::text[],
          ${rows.map((row) => row.body ?? null)}::text[], ${rows.map((row) => row.noteId ?? null)}::bigint[])
          with ordinality as wanted (user_id, author_id, action, cause, body, note_id, position)
        where not exists (
          select 1 from removed_targets gone where gone.target_type = ${target.type} and gone.target_id = ${target.id})
        order by wanted.position
        on conflict (user_id, target_type, target_id, action, cause) where state = 'pending' do nothing`);
    },

    async resolve(tx, target, userId, at) {
      await tx.query(sql`
        update ${table} set state = 'done', updated_at = coalesce(${at ?? null}::timestamptz, now())
        where user_id = ${userId} and target_type = ${target.type} and target_id = ${target.id} and state = 'pending'
          and created_at <= coalesce(${at ?? null}::timestamptz, now())`);
    },

    async removeNote(tx, noteId) {
      await tx.query(sql`delete from ${table} where note_id = ${noteId}`);
    },

    async removeLost(tx, ended) {
      const { membershipId, userId, place } = ended;
      const [alive] = await tx.query(
        sql`select 1 from directory.memberships where id = ${membershipId} and deleted_at is null`,
      );
      if (alive !== undefined) return false;
      const user = (await usersByIds(tx, [userId])).get(userId);
      if (user?.id !== userId) return true;
      const viewer = { userId, admin: user.admin, external: user.external };
      const inPlace = 'projectId' in place ? sql`t.project_id = ${place.projectId}` : inGroup(place.groupId);
      await tx.query(sql`
        delete from ${table} where id in (
          select t.id from ${table} t ${joinProject(sql`t.project_id`)} left join notes note on note.id = t.note_id
          where t.user_id = ${userId} and ${inPlace} and (
            not coalesce((${readableTarget(viewer)}), false) or ${removedThen(ended)}))`);
      return true;
    },

    async removeTarget(tx, target) {
      await tx.query(sql`
        insert into removed_targets (target_type, target_id) values (${target.type}, ${target.id}) on conflict do nothing`);
      await tx.query(sql`delete from ${table} where target_type = ${target.type} and target_id = ${target.id}`);
    },
  };
}

/** Opens the store. */
export function todoStore(db: Database, prisma: PrismaClient): TodoStore {
  return {
    ...todoEffects(),

    async mark(userId, target) {
      const on = { userId: BigInt(userId), targetType: target.type, targetId: BigInt(target.id) };
      const pending = await prisma.todo.findFirst({ where: { ...on, state: 'pending' }, select: { id: true } });
      if (pending !== null) return undefined;
      try {
        const made = await prisma.todo.create({
          data: {
            ...on,
            authorId: BigInt(userId),
            projectId: BigInt(target.projectId),
            targetIid: BigInt(target.iid),
            action: 'marked',
          },
          select: { id: true },
        });
        return Number(made.id);
      } catch (error) {
        if (isUniqueViolation(error)) return undefined;
        throw error;
      }
    },

    async markDone(userId, id) {
      await prisma.todo.updateMany({
        where: { id: BigInt(id), userId: BigInt(userId), state: 'pending' },
        data: { state: 'done' },
      });
    },

    async markAllDone(userId, filter) {
      if (filter.state === 'done') return;
      await db.query(sql`
        update todos set state = 'done', updated_at = now()
        where id in (
          select t.id from todos t
          left join directory.projects p on p.id = t.project_id
          left join directory.namespaces n on n.id = coalesce(p.namespace_id, t.group_id)
          where ${whereOf(userId, { ...filter, state: 'pending' })})
        and state = 'pending'`);
    },

    async removeOrphans(limit) {
      const removed = await db.query(sql`
        delete from todos where id in (
          select t.id from directory.users u join todos t on t.user_id = u.id where u.deleted_at is not null
          union all
          select t.id from directory.projects p join todos t on t.project_id = p.id where p.deleted_at is not null
          limit ${limit})
        returning 1`);
      return removed.length;
    },

    async forgetRemovedTargets() {
      await db.query(sql`delete from removed_targets where removed_at < now() - interval '60 days'`);
    },
  };
}

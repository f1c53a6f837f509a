import { type Database, isUniqueViolation, type SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { reachedByGroup, usersByIds } from '@switchyard/directory';
import type { PrismaClient } from '../../generated/prisma/client';
import { writeEntries } from '../../ledger';
import { type Target, targetReaders } from '../../targets';
import type { EndedMembership, EndedShare, Raise, TodoFilter } from '../domain/todo';
import { type NewTodo, newTodos, readableTodos } from '../domain/todo-change';
import { todoEntries } from '../domain/todo-entry';
import { leadingMembers } from './leading-members';
import type { MembershipHistory } from './membership-history';
import { mentionedUsers } from './mentioned-users';
import { joinPlace, whereOf } from './todo.filter';
import { lockTarget, todoSpans } from './todo.spans';
import { levelToRead, noteReaders, readableTarget } from './todo.visibility';

/** Tables that a rebuild fills from past events, next to the tables in use. */
export interface RebuiltTodos {
  readonly todos: Sql;
  /** When users acted on targets. */
  readonly acts: Sql;
  /**
   * Every request, whether its user could read the target then or not; user 0 means the users with some names, and the
   * members with some level.
   */
  readonly requests: Sql;
  /** Who was a member then: to-dos are made only for users who were members for certain. */
  readonly members: MembershipHistory;
}

/**
 * What events do to to-dos.
 * @param rebuilt tables to do it to; default those in use
 */
export function todoEffects(rebuilt?: RebuiltTodos) {
  /** Records the requests; returns the to-dos of users who could read the target then for certain. */
  async function recordRequests(
    { requests, members }: RebuiltTodos,
    tx: SqlExecutor,
    { target, raise, wanted, at }: { target: Target; raise: readonly Raise[]; wanted: readonly NewTodo[]; at: Date },
  ): Promise<NewTodo[]> {
    const asked = raise.flatMap(({ action, to, cause = '', noteId }) =>
      ('ids' in to ? to.ids : [0]).map((userId) => ({ userId, action, cause, noteId })),
    );
    await tx.query(sql`
      insert into ${requests} (target_type, target_id, user_id, action, cause, note_id)
      select ${target.type}, ${target.id}, ask.* from unnest(${asked.map(({ userId }) => userId)}::bigint[],
        ${asked.map(({ action }) => action)}::text[], ${asked.map(({ cause }) => cause)}::text[],
        ${asked.map(({ noteId }) => noteId ?? null)}::bigint[]) as ask
      on conflict do nothing`);
    const levels = await members.levels(tx, target.projectId, [...new Set(wanted.map(({ userId }) => userId))], at);
    const noteIds = wanted.flatMap(({ noteId }) => noteId ?? []);
    const notes = await tx.query<{ id: number }>(
      sql`select id from notes where id = any(${[...new Set(noteIds)]}::bigint[]) and internal`,
    );
    const internal = new Set(notes.map(({ id }) => id));
    return wanted.filter(({ userId, action, noteId }) => {
      const ofNote = noteId !== undefined && internal.has(noteId);
      return (levels.get(userId) ?? 0) >= levelToRead(target, { takesPart: action === 'assigned', internal: ofNote });
    });
  }

  const tables = rebuilt ?? { todos: sql`todos`, acts: sql`todo_acts` };
  const table = tables.todos;
  const spans = todoSpans(tables);
  // A user whose membership was restored can read the target again, so current rights do not show which to-dos were
  // removed then; the list does.
  const removedThen = ({ userId, at }: EndedMembership): Sql =>
    rebuilt === undefined
      ? sql`false`
      : sql`t.created_at <= ${at}::timestamptz
          and not coalesce((${readableTarget({ userId: 0, admin: false, external: true })}), false)
          and not exists (
            select 1 from todos kept where kept.user_id = ${userId} and kept.target_type = t.target_type
              and kept.target_id = t.target_id and kept.action = t.action and kept.cause = t.cause)`;
  const inPlace = (place: EndedMembership['place']): Sql =>
    'projectId' in place ? sql`t.project_id = ${place.projectId}` : reachedByGroup(place.groupId);

  async function removeLost(tx: SqlExecutor, ended: EndedMembership): Promise<void> {
    const { userId, place } = ended;
    const user = (await usersByIds(tx, [userId])).get(userId);
    if (user?.id !== userId) return;
    const viewer = { userId, admin: user.admin, external: user.external };
    await tx.query(sql`
      delete from ${table} where id in (
        select t.id from ${table} t ${joinPlace} left join notes note on note.id = t.note_id
        where t.user_id = ${userId} and ${inPlace(place)} and (
          not coalesce((${readableTarget(viewer)}), false) or ${removedThen(ended)}))`);
  }

  return {
    async raise(tx: SqlExecutor, target: Target, raise: readonly Raise[], at: Date) {
      const named = raise.flatMap(({ to }) => ('usernames' in to ? to.usernames : []));
      const by = raise.find(({ to }) => 'usernames' in to)?.authorId ?? 0;
      const users = await mentionedUsers(tx, named, {
        projectId: target.projectId,
        groupId: target.groupId,
        authorId: by,
        level: rebuilt?.members.levelAt(at),
      });
      const leading = await leadingMembers(tx, target.projectId, raise, rebuilt && { members: rebuilt.members, at });
      const called = newTodos(raise, users, leading);
      const wanted =
        rebuilt === undefined ? called : await recordRequests(rebuilt, tx, { target, raise, wanted: called, at });
      const recipients = [...new Set(wanted.map(({ userId }) => userId))];
      const readers = new Set(await targetReaders(tx, target, recipients));
      const noteIds = [...new Set(wanted.flatMap(({ noteId }) => noteId ?? []))];
      const ofNotes = await noteReaders(tx, target, noteIds, [...readers]);
      const todos = readableTodos(wanted, readers, ofNotes);
      // A rebuild repeats what was decided before.
      if (rebuilt === undefined) await writeEntries(tx, todoEntries(target, wanted, todos));
      if (todos.length === 0) return;
      await lockTarget(tx, target);
      await spans.request(tx, target, todos, at);
    },

    async resolve(tx: SqlExecutor, target: Target, userId: number, at: Date) {
      await lockTarget(tx, target);
      await spans.resolve(tx, target, userId, at);
    },

    async removeNote(tx: SqlExecutor, noteId: number) {
      for (const one of rebuilt === undefined ? [table] : [table, rebuilt.requests])
        await tx.query(sql`delete from ${one} where note_id = ${noteId}`);
    },

    removeLost,

    async removeUnshared(tx: SqlExecutor, { groupId, place, at }: EndedShare) {
      // Deleted memberships count: they are gone with the invited group, or went while this event was on its way.
      const users = await tx.query<{ id: number }>(sql`
        select distinct t.user_id as id from ${table} t ${joinPlace}
        where ${inPlace(place)} and exists (
          select from directory.memberships m join directory.namespaces g on m.namespace_id = any(g.ancestry)
          where g.id = ${groupId} and m.user_id = t.user_id) order by 1`);
      for (const { id: userId } of users) await removeLost(tx, { userId, place, at });
    },

    async removeTarget(tx: SqlExecutor, target: Target) {
      await lockTarget(tx, target);
      await tx.query(sql`
        insert into removed_targets (target_type, target_id) values (${target.type}, ${target.id}) on conflict do nothing`);
      for (const one of [table, tables.acts, ...(rebuilt === undefined ? [] : [rebuilt.requests])])
        await tx.query(sql`delete from ${one} where target_type = ${target.type} and target_id = ${target.id}`);
    },
  };
}

/** Opens the store. */
export function todoStore(db: Database, prisma: PrismaClient) {
  return {
    ...todoEffects(),

    async finish(tx: SqlExecutor, target: Target, userId: number) {
      await lockTarget(tx, target);
      // As in `mark`, not by the clock of the database.
      const at = new Date();
      await tx.query(sql`
        with act as (
          insert into todo_acts (target_type, target_id, user_id, acted_at) values (${target.type}, ${target.id}, ${userId}, ${at}::timestamptz)
          on conflict do nothing)
        update todos set state = 'done', updated_at = ${at}::timestamptz
        where user_id = ${userId} and target_type = ${target.type} and target_id = ${target.id} and state = 'pending'`);
    },

    async mark(userId: number, target: Target) {
      const on = { userId: BigInt(userId), targetType: target.type, targetId: BigInt(target.id) };
      const pending = await prisma.todo.findFirst({ where: { ...on, state: 'pending' }, select: { id: true } });
      if (pending !== null) return undefined;
      try {
        const made = await prisma.todo.create({
          data: {
            ...on,
            authorId: BigInt(userId),
            ...(target.groupId === undefined
              ? { projectId: BigInt(target.projectId) }
              : { groupId: BigInt(target.groupId) }),
            targetIid: BigInt(target.iid),
            action: 'marked',
            // The clock of activities: that of the database may differ.
            createdAt: new Date(),
          },
          select: { id: true },
        });
        return Number(made.id);
      } catch (error) {
        if (isUniqueViolation(error)) return undefined;
        throw error;
      }
    },

    async markDone(userId: number, id: number) {
      await prisma.todo.updateMany({
        where: { id: BigInt(id), userId: BigInt(userId), state: 'pending' },
        data: { state: 'done' },
      });
    },

    async markAllDone(userId: number, filter: TodoFilter) {
      if (filter.state === 'done') return;
      await db.query(sql`
        with chosen as (
          select t.id from todos t
          ${joinPlace}
          where ${whereOf(userId, { ...filter, state: 'pending' })}
          -- In the order in which events lock the to-dos of a target.
          order by t.id for update of t)
        update todos t set state = 'done', updated_at = now() from chosen where t.id = chosen.id`);
    },

    async removeOrphans(limit: number) {
      const removed = await db.query(sql`
        delete from todos where id in (
          select t.id from directory.users u join todos t on t.user_id = u.id where u.deleted_at is not null
          union all
          select t.id from directory.projects p join todos t on t.project_id = p.id where p.deleted_at is not null
          union all
          select t.id from directory.namespaces n join todos t on t.group_id = n.id where n.deleted_at is not null
          limit ${limit})
        returning 1`);
      return removed.length;
    },

    async forgetRemovedTargets() {
      await db.query(sql`delete from removed_targets where removed_at < now() - interval '60 days'`);
    },

    async forgetActs(limit: number) {
      const forgotten = await db.query(sql`
        delete from todo_acts where (target_type, target_id, user_id, acted_at) in (
          select target_type, target_id, user_id, acted_at from todo_acts
          where acted_at < now() - interval '60 days' order by acted_at limit ${limit})
        returning 1`);
      return forgotten.length;
    },
  };
}

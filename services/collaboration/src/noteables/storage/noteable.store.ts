import type { SqlExecutor } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import type { NoteableKey } from '../domain/noteable';
import type { CounterChange, NoteableCounters } from '../domain/noteable-counters';

/** A noteable's row, locked by the transaction that has it. */
export interface LockedNoteable {
  readonly id: number;
  /** True when the target is gone for good. */
  readonly removed: boolean;
}

/** Id of the row under which a noteable's notes are kept, as an expression; null when it has none yet. */
export const noteableId = ({ kind, projectId, targetId, sha }: NoteableKey): Sql => sql`(
  select noteable.id from noteables noteable where noteable.kind = ${kind} and noteable.target_id = ${targetId}
  and noteable.project_id = ${projectId} and noteable.sha = ${sha} and noteable.removed_at is null)`;

/** The rows that notes hang on. */
export const noteableStore = {
  /**
   * Locks a noteable's row, made when it is missing. Every change of its notes, threads or counters holds this lock.
   */
  async lock(tx: SqlExecutor, { kind, projectId, targetId, sha }: NoteableKey): Promise<LockedNoteable> {
    // A row that conflicts is locked by the update that changes nothing; one statement whether it is there or not.
    const [row] = await tx.query<LockedNoteable>(
      named(
        'noteable_lock',
        sql`insert into noteables (kind, project_id, target_id, sha) values (${kind}, ${projectId}, ${targetId}, ${sha})
      on conflict (kind, target_id, project_id, sha) do update set version = noteables.version
      returning id, removed_at is not null as removed`,
      ),
    );
    if (row === undefined) throw new Error('a noteable has neither been found nor made');
    return row;
  },

  /** Moves the counters of a locked noteable, and its version. */
  async count(tx: SqlExecutor, id: number, change: CounterChange): Promise<NoteableCounters> {
    const { userNotesCount = 0, internalNotesCount = 0, unresolvedCount = 0, upvotes = 0, downvotes = 0 } = change;
    const [row] = await tx.query<{
      version: number;
      user_notes_count: number;
      internal_notes_count: number;
      unresolved_count: number;
      upvotes: number;
      downvotes: number;
    }>(sql`
      update noteables set version = version + 1, user_notes_count = user_notes_count + ${userNotesCount}::int,
        internal_notes_count = internal_notes_count + ${internalNotesCount}::int,
        unresolved_count = unresolved_count + ${unresolvedCount}::int, upvotes = upvotes + ${upvotes}::int,
        downvotes = downvotes + ${downvotes}::int
      where id = ${id} returning version, user_notes_count, internal_notes_count, unresolved_count, upvotes, downvotes`);
    if (row === undefined) throw new Error('a locked noteable is gone');
    return {
      version: row.version,
      userNotesCount: row.user_notes_count,
      internalNotesCount: row.internal_notes_count,
      unresolvedCount: row.unresolved_count,
      upvotes: row.upvotes,
      downvotes: row.downvotes,
    };
  },

  /** Id of a noteable's row; undefined where there was never a note, and where the target is gone. */
  async id(db: SqlExecutor, key: NoteableKey): Promise<number | undefined> {
    const [row] = await db.query<{ id: number | null }>(sql`select ${noteableId(key)} as id`);
    return row?.id ?? undefined;
  },

  /** Which commits some rows stand for. */
  commits: (db: SqlExecutor, ids: readonly number[]): Promise<{ id: number; projectId: number; sha: string }[]> =>
    db.query(sql`
      select id, project_id as "projectId", sha from noteables
      where id = any(${[...ids]}::bigint[]) and kind = 'Commit' and removed_at is null`),

  /** The counters of a noteable as they are committed; undefined where there was never a note. */
  async counters(db: SqlExecutor, key: NoteableKey): Promise<NoteableCounters | undefined> {
    const [row] = await db.query<NoteableCounters>(sql`
      select c.version, c.user_notes_count as "userNotesCount", c.internal_notes_count as "internalNotesCount",
        c.unresolved_count as "unresolvedCount", c.upvotes, c.downvotes
      from noteables c where c.id = ${noteableId(key)}`);
    return row;
  },

  /** Marks a noteable whose target is gone: its notes are hidden at once and purged in batches (`emptyRemoved`). */
  async remove(tx: SqlExecutor, key: NoteableKey): Promise<void> {
    const { id } = await noteableStore.lock(tx, key);
    await tx.query(sql`
      update noteables set removed_at = now(), user_notes_count = 0, internal_notes_count = 0, unresolved_count = 0, upvotes = 0, downvotes = 0,
        version = version + 1
      where id = ${id} and removed_at is null`);
  },

  /**
   * Purges up to `limit` notes of removed noteables and of deleted projects, with the reactions to them, then the drafts. Returns how
   * many it may go on with.
   */
  async emptyRemoved(db: SqlExecutor, limit: number): Promise<number> {
    await db.query(sql`
      update noteables set removed_at = now() where id in (
        select gone.id from directory.projects p join noteables gone on gone.project_id = p.id and gone.removed_at is null
        where p.deleted_at is not null limit ${limit})`);
    const [row] = await db.query<{ notes: number; emptied: number }>(sql`
      with doomed as (
        select gone.id, n.id as note_id from (
          select id from noteables where removed_at is not null and not emptied order by id limit 100) gone
        left join lateral (select n.id from notes n where n.noteable_id = gone.id limit ${limit}) n on true
        limit ${limit}),
      reactions as (delete from award_emoji where awardable_type = 'Note' and awardable_id in (select note_id from doomed)),
      purged as (delete from notes where id in (select note_id from doomed) returning 1),
      drafts as (
        delete from draft_notes where id in (
          select d.id from doomed join draft_notes d on d.noteable_id = doomed.id where doomed.note_id is null limit ${limit})
        returning noteable_id),
      emptied as (
        update noteables set emptied = true
        where id in (select id from doomed where note_id is null) and id not in (select noteable_id from drafts) returning 1)
      select (select count(*) from purged)::int + (select count(*) from drafts)::int as notes, (select count(*) from emptied)::int as emptied`);
    return (row?.notes ?? 0) + (row?.emptied ?? 0);
  },

  /**
   * Forgets emptied noteables after 60 days, when no event about them can come any more: dead letters are kept for 28.
   */
  async forget(db: SqlExecutor): Promise<void> {
    await db.query(sql`delete from noteables where emptied and removed_at < now() - interval '60 days'`);
  },
};

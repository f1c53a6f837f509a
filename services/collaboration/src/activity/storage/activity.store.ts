import type { Database, SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { Activity, ActivityChange, ActivitySubject } from '../domain/activity';

const pushJson = ({ push }: Activity): string | null =>
  push === undefined
    ? null
    : JSON.stringify({
        action: push.action,
        ref_type: push.refType,
        commit_count: push.single?.commitCount ?? 0,
        commit_from: push.single?.commitFrom ?? null,
        commit_to: push.single?.commitTo ?? null,
        ref: push.single?.ref ?? null,
        commit_title: push.single?.commitTitle ?? null,
        ref_count: push.refCount ?? null,
      });

/** Name of a subject among the removed targets, which to-dos keep by the public names of types. */
const removedAs: Partial<Record<ActivitySubject, string>> = { merge_request: 'MergeRequest', issue: 'Issue' };

async function add(tx: SqlExecutor, table: Sql, event: Activity): Promise<void> {
  const { target, subject } = event;
  await tx.query(sql`
    insert into ${table} (cause, project_id, author_id, action, target_type, target_id, target_iid, target_title,
      subject_type, subject_id, push_data, imported, created_at)
    select ${event.cause}, ${event.projectId}::bigint, ${event.authorId}::bigint, ${event.action}, ${target?.type ?? null},
      ${target?.id ?? null}::bigint, ${target?.iid ?? null}::bigint, ${target?.title ?? null}, ${subject.type}, ${subject.id}::bigint,
      ${pushJson(event)}::json, ${event.imported}::boolean, ${event.createdAt}::timestamptz
    where not exists (
      select 1 from removed_targets gone
      where gone.target_type = ${removedAs[subject.type] ?? subject.type} and gone.target_id = ${subject.id}::bigint)
    on conflict (created_at, cause) do nothing`);
}

/**
 * Opens the store.
 * @param table where the events are; default the feed itself
 */
export function activityStore(db: Database, table: Sql = sql`activity_events`) {
  return {
    async apply(tx: SqlExecutor, { forget, forgetNote, retitle, add: added }: ActivityChange) {
      if (forget !== undefined) {
        await tx.query(sql`
          insert into removed_targets (target_type, target_id) values (${removedAs[forget.type] ?? forget.type}, ${forget.id})
          on conflict do nothing`);
        await tx.query(
          sql`delete from ${table} where subject_type = ${forget.type} and subject_id = ${forget.id} and subject_id > 0`,
        );
      }
      if (forgetNote !== undefined) {
        await tx.query(sql`
          delete from ${table} where subject_type = ${forgetNote.type} and subject_id = ${forgetNote.id} and subject_id > 0
            and target_type = 'note' and target_id = ${forgetNote.noteId}`);
      }
      if (retitle !== undefined) {
        await tx.query(sql`
          update ${table} set target_title = ${retitle.title}
          where subject_type = ${retitle.type} and subject_id = ${retitle.id} and subject_id > 0 and target_title <> ${retitle.title}`);
      }
      if (added !== undefined) await add(tx, table, added);
    },

    async removeBefore(before: Date, limit: number) {
      const removed = await db.query(sql`
        delete from ${table} where id = any(array(
          select e.id from ${table} e where e.created_at < ${before}::timestamptz order by e.created_at limit ${limit}))
        returning 1`);
      return removed.length;
    },

    async removeOrphans(limit: number) {
      const removed = await db.query(sql`
        delete from ${table} where id = any(array(
          select e.id from directory.projects p join ${table} e on e.project_id = p.id
          where p.deleted_at is not null limit ${limit}))
        returning 1`);
      return removed.length;
    },
  };
}

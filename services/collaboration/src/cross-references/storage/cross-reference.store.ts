import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { fullPath, groupByPath, namespacesByIds, projectById, projectByPath } from '@switchyard/directory';
import type { CrossReference } from '@switchyard/texts';
import { noteableStore } from '../../noteables';
import { newDiscussionId } from '../../notes';
import { targetReaders } from '../../targets';
import type { ReferenceNote, ReferenceSource, ReferenceTarget, SourceHome } from '../domain/cross-reference';

/** References between objects, and the system notes on them. */
export const crossReferenceStore = {
  /** Stores which merge request has a number. */
  async addNumber(
    tx: SqlExecutor,
    { projectId, iid, id }: { projectId: number; iid: number; id: number },
  ): Promise<void> {
    await tx.query(sql`
      insert into merge_request_numbers (project_id, iid, id) values (${projectId}, ${iid}, ${id}) on conflict do nothing`);
  },

  /** Removes the number of a deleted merge request. */
  async removeNumber(tx: SqlExecutor, { projectId, iid }: { projectId: number; iid: number }): Promise<void> {
    await tx.query(sql`delete from merge_request_numbers where project_id = ${projectId} and iid = ${iid}`);
  },

  async textOfIssue(tx: SqlExecutor, id: number): Promise<string | undefined> {
    const [row] = await tx.query<{ text: string }>(
      sql`select title || chr(10) || chr(10) || coalesce(description, '') as text from issues where id = ${id}`,
    );
    return row?.text;
  },

  async textOfNote(tx: SqlExecutor, id: number): Promise<string | undefined> {
    const [row] = await tx.query<{ body: string }>(
      sql`select body from notes where id = ${id} and not internal and not system`,
    );
    return row?.body;
  },

  async textOfEpic(tx: SqlExecutor, id: number): Promise<string | undefined> {
    const [row] = await tx.query<{ text: string }>(
      sql`select title || chr(10) || chr(10) || coalesce(description, '') as text from epics where id = ${id}`,
    );
    return row?.text;
  },

  async home(tx: SqlExecutor, { kind, projectId, groupId = 0 }: ReferenceSource): Promise<SourceHome | undefined> {
    if (kind === 'Epic') {
      const path = (await namespacesByIds(tx, [groupId])).get(groupId)?.full_path;
      return path === undefined ? undefined : { projectId: undefined, path, namespacePath: path };
    }
    const row = await projectById(tx, projectId);
    return row && { projectId: row.id, path: fullPath(row), namespacePath: row.namespace_full_path };
  },

  groupByPath,

  projectByPath: async (tx: SqlExecutor, path: string): Promise<number | undefined> =>
    (await projectByPath(tx, path))?.id,

  async target(
    tx: SqlExecutor,
    placeId: number,
    { kind, iid }: Pick<CrossReference, 'kind' | 'iid'>,
  ): Promise<ReferenceTarget | undefined> {
    if (kind === 'Epic') {
      const [epic] = await tx.query<{ id: number }>(
        sql`select id from epics where group_id = ${placeId} and iid = ${iid}`,
      );
      return epic && { kind, id: epic.id, iid, projectId: 0, groupId: placeId };
    }
    const [row] = await tx.query<{ id: number }>(
      kind === 'Issue'
        ? sql`select id from issues where project_id = ${placeId} and iid = ${iid}`
        : sql`select id from merge_request_numbers where project_id = ${placeId} and iid = ${iid}`,
    );
    return row && { kind, id: row.id, iid, projectId: placeId };
  },

  async mayRead(tx: SqlExecutor, target: ReferenceTarget, userId: number): Promise<boolean> {
    const readers = await targetReaders(tx, { ...target, type: target.kind }, [userId]);
    return readers.includes(userId);
  },

  async movedInto(tx: SqlExecutor, issueId: number): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(sql`
      with recursive old as (
        select id from issues where moved_to_id = ${issueId}
        union select i.id from old join issues i on i.moved_to_id = old.id)
      select id from old`);
    return rows.map(({ id }) => id);
  },

  async write(tx: Tx, { kind, id, projectId }: ReferenceTarget, note: ReferenceNote): Promise<void> {
    const noteable = await noteableStore.lock(tx, { kind, projectId, targetId: id, sha: '' });
    if (noteable.removed) return;
    const { source, authorId, body, causes, at } = note;
    const [cause, ...earlier] = causes;
    await tx.query(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, system, action, cause,
        source_kind, source_project_id, source_id, created_at, updated_at)
      select ${noteable.id}, ${projectId}, ${newDiscussionId(at)}::bytea, true, ${authorId}, ${body}, true, 'cross_reference', ${cause},
        ${source.kind}, ${source.projectId}, ${source.id}, ${at}, ${at}
      where not exists (select 1 from notes where cause = any(${earlier}::text[]))
      on conflict (cause) where cause is not null do nothing`);
  },
};

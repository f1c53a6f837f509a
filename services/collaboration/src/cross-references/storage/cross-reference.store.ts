import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { fullPath, projectById, projectByPath } from '@switchyard/directory';
import type { CrossReference } from '@switchyard/texts';
import { noteableStore } from '../../noteables';
import { newDiscussionId } from '../../notes';
import { targetReaders } from '../../targets';
import {
  crossReferenceCause,
  mentionedIn,
  namesItself,
  type ReferenceSource,
  type ReferenceTarget,
} from '../domain/cross-reference';

async function targetOf(
  tx: SqlExecutor,
  projectId: number,
  { kind, iid }: CrossReference,
): Promise<ReferenceTarget | undefined> {
  const [row] = await tx.query<{ id: number }>(
    kind === 'Issue'
      ? sql`select id from issues where project_id = ${projectId} and iid = ${iid}`
      : sql`select id from merge_request_numbers where project_id = ${projectId} and iid = ${iid}`,
  );
  return row && { kind, id: row.id, iid, projectId };
}

/** The issues that one stands for since they were moved. */
async function movedInto(tx: SqlExecutor, issueId: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    with recursive old as (
      select id from issues where moved_to_id = ${issueId}
      union select i.id from old join issues i on i.moved_to_id = old.id)
    select id from old`);
  return rows.map(({ id }) => id);
}

/** References between objects, as the system notes that tell of them. */
export const crossReferenceStore = {
  /** Remembers which merge request has a number. */
  async number(tx: SqlExecutor, { projectId, iid, id }: { projectId: number; iid: number; id: number }): Promise<void> {
    await tx.query(sql`
      insert into merge_request_numbers (project_id, iid, id) values (${projectId}, ${iid}, ${id}) on conflict do nothing`);
  },

  /** Forgets it: the merge request is gone. */
  async forget(tx: SqlExecutor, { projectId, iid }: { projectId: number; iid: number }): Promise<void> {
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

  /**
   * Says on each object that `source` names where it was named, once for each pair, in the name of `actorId` and as far as they may
   * read the object. What is not there says nothing, and neither does what was said by an issue for which `source` stands since it was moved.
   */
  async write(
    tx: SqlExecutor,
    source: ReferenceSource,
    references: readonly CrossReference[],
    { actorId, at }: { actorId: number; at: Date },
  ): Promise<void> {
    const home = await projectById(tx, source.projectId);
    if (home === undefined || references.length === 0) return;
    const before = source.kind === 'Issue' ? await movedInto(tx, source.id) : [];
    const projects = new Map<string, number | undefined>([['', home.id]]);
    for (const reference of references) {
      const { path } = reference;
      if (!projects.has(path)) {
        const full = path.includes('/') ? path : `${home.namespace_full_path}/${path}`;
        projects.set(path, (await projectByPath(tx, full))?.id);
      }
      const projectId = projects.get(path);
      const target = projectId === undefined ? undefined : await targetOf(tx, projectId, reference);
      if (target === undefined || namesItself(source, target)) continue;
      const readers = await targetReaders(tx, { ...target, type: target.kind }, [actorId]);
      if (!readers.includes(actorId)) continue;
      const noteable = await noteableStore.lock(tx, {
        kind: target.kind,
        projectId: target.projectId,
        targetId: target.id,
        sha: '',
      });
      if (noteable.removed) continue;
      await tx.query(sql`
        insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, system, action, cause,
          source_kind, source_project_id, source_id, created_at, updated_at)
        select ${noteable.id}, ${target.projectId}, ${newDiscussionId(at)}::bytea, true, ${actorId},
          ${mentionedIn(source, fullPath(home), target)}, true, 'cross_reference', ${crossReferenceCause(source, target)},
          ${source.kind}, ${source.projectId}, ${source.id}, ${at}, ${at}
        where not exists (
          select 1 from notes where cause = any(${before.map((id) => crossReferenceCause({ ...source, id }, target))}::text[]))
        on conflict (cause) where cause is not null do nothing`);
    }
  },
};

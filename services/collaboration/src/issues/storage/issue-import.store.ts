import { type Database, isUniqueViolation } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByTitles } from '@switchyard/directory';
import type { ImportedIssue, ImportedNote, ImportKey } from '../domain/issue-import';
import { openIssue } from './issue-change.store';

const noMentions = { usernames: [], directlyAddressed: [] };

/** Opens the store of imported issues. */
export const issueImportStore = (db: Database) => ({
  async addIssues({ projectId, importedFrom }: ImportKey, issues: readonly ImportedIssue[]): Promise<number> {
    const iids = issues.map(({ iid }) => iid);
    const known = await db.query<{ iid: number; own: boolean }>(sql`
      select iid, imported_from = ${importedFrom} as own from issues
      where project_id = ${projectId} and iid = any(${iids}::bigint[])`);
    const have = new Set(known.map(({ iid }) => iid));
    const missing = issues.filter(({ iid }) => !have.has(iid));
    const labels = await labelsByTitles(db, projectId, [...new Set(missing.flatMap((issue) => issue.labels))]);
    const labelIds = new Map(labels.map(({ title, id }) => [title, id]));
    const milestones = await db.query<{ id: number; iid: number }>(sql`
      select id, iid from directory.milestones where project_id = ${projectId} and deleted_at is null
        and iid = any(${missing.flatMap(({ milestoneIid }) => milestoneIid ?? [])}::bigint[])`);
    const milestoneIds = new Map(milestones.map(({ id, iid }) => [iid, id]));
    for (const { labels: titles, milestoneIid, locked, closedAt, updatedAt, ...issue } of missing) {
      const wanted = {
        ...issue,
        projectId,
        issueType: 'issue' as const,
        confidential: false,
        discussionLocked: locked || undefined,
        milestoneId: milestoneIid === undefined ? undefined : milestoneIds.get(milestoneIid),
        dueDate: undefined,
        weight: undefined,
        taskCount: issue.taskCount ?? 0,
        completedTaskCount: issue.completedTaskCount ?? 0,
        labelIds: [...new Set(titles.flatMap((title) => labelIds.get(title) ?? []))],
        mentions: noMentions,
        imported: { from: importedFrom, closedAt, updatedAt },
      };
      await db
        .transaction((tx) => openIssue(tx, wanted))
        .catch((error: unknown) => {
          // Another try of the same page was faster.
          if (!isUniqueViolation(error, 'issues_iid')) throw error;
        });
    }
    return known.filter(({ own }) => own).length + new Set(missing.map(({ iid }) => iid)).size;
  },

  addNotes: ({ projectId, importedFrom }: ImportKey, notes: readonly ImportedNote[]): Promise<number> =>
    db.transaction(async (tx) => {
      const column = <T>(read: (note: ImportedNote) => T): T[] => notes.map(read);
      const issues = await tx.query<{ id: number; iid: number }>(sql`
        select id, iid from issues where project_id = ${projectId} and imported_from = ${importedFrom}
          and iid = any(${column(({ issueIid }) => issueIid)}::bigint[]) order by id for no key update`);
      if (issues.length === 0) return 0;
      // A row that is there is locked by the update that changes nothing.
      const carriers = await tx.query<{ id: number; issue: number }>(sql`
        insert into noteables (kind, project_id, target_id)
        select 'Issue', ${projectId}::bigint, id from unnest(${issues.map(({ id }) => id)}::bigint[]) as given (id)
        on conflict (kind, target_id, project_id, sha) do update set version = noteables.version
        returning id, target_id as issue`);
      const carrierOf = new Map(carriers.map(({ id, issue }) => [issue, id]));
      const byIid = new Map(issues.map(({ id, iid }) => [iid, carrierOf.get(id)]));
      const placed = notes.flatMap((note) => {
        const carrier = byIid.get(note.issueIid);
        return carrier === undefined ? [] : [{ ...note, carrier }];
      });
      // The cause makes a note one of its own: a page that comes again adds nothing.
      const added = await tx.query<{ carrier: number }>(sql`
        insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, cause, imported_from,
          created_at, updated_at)
        select carrier, ${projectId}::bigint, substring(int8send((extract(epoch from created_at) * 1000)::bigint) from 3 for 6)
            || substring(sha256(int8send(carrier) || int8send(foreign_id)) from 1 for 14),
          true, author_id, body, ${`import:${importedFrom}:${projectId}:`}::text || foreign_id, ${importedFrom}::text,
          created_at, updated_at
        from unnest(${placed.map(({ carrier }) => carrier)}::bigint[], ${placed.map((note) => note.foreignId)}::bigint[],
          ${placed.map((note) => note.authorId)}::bigint[], ${placed.map((note) => note.body)}::text[],
          ${placed.map((note) => note.createdAt)}::timestamptz[], ${placed.map((note) => note.updatedAt)}::timestamptz[])
          as given (carrier, foreign_id, author_id, body, created_at, updated_at)
        order by created_at, foreign_id
        on conflict (cause) where cause is not null do nothing returning noteable_id as carrier`);
      await tx.query(sql`
        with added as (
          select carrier, count(*)::int as count from unnest(${added.map(({ carrier }) => carrier)}::bigint[]) as given (carrier)
          group by carrier),
        counted as (
          update noteables c set user_notes_count = c.user_notes_count + added.count, version = c.version + 1
          from added where c.id = added.carrier returning c.target_id, c.user_notes_count)
        update issues i set user_notes_count = counted.user_notes_count from counted where i.id = counted.target_id`);
      return placed.length;
    }),
});

import { type Database, isUniqueViolation, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByTitles, milestoneIdsByIids } from '@switchyard/directory';
import type { ImportedIssue, ImportKey } from '../domain/issue-import';
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
    const milestoneIds = await milestoneIdsByIids(
      db,
      projectId,
      missing.flatMap(({ milestoneIid }) => milestoneIid ?? []),
    );
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
});

/** Imported issues as carriers of imported notes. */
export const importedIssues = {
  /** Locks imported issues; their ids by number. */
  async lock(tx: Tx, { projectId, importedFrom }: ImportKey, iids: readonly number[]): Promise<Map<number, number>> {
    const rows = await tx.query<{ id: number; iid: number }>(sql`
      select id, iid from issues where project_id = ${projectId} and imported_from = ${importedFrom}
        and iid = any(${[...iids]}::bigint[]) order by id for no key update`);
    return new Map(rows.map(({ id, iid }) => [iid, id]));
  },

  /** Keeps how many notes locked issues have. */
  async keepCounts(
    tx: Tx,
    counts: readonly { readonly id: number; readonly userNotes: number; readonly internalNotes: number }[],
  ): Promise<void> {
    await tx.query(sql`
      update issues i set user_notes_count = given.notes, internal_notes_count = given.internal
      from unnest(${counts.map(({ id }) => id)}::bigint[], ${counts.map(({ userNotes }) => userNotes)}::int[],
        ${counts.map(({ internalNotes }) => internalNotes)}::int[]) as given (id, notes, internal)
      where i.id = given.id`);
  },
};

import { type Database, isUniqueViolation, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByTitles, milestoneIdsByIids, milestonesInScope } from '@switchyard/directory';
import type { ImportedIssue, ImportedIssueEvent, ImportKey } from '../domain/issue-import';
import { openIssue } from './issue-change.store';
import { bringEventsIn } from './issue-event.store';
import { timelogs } from './issue-timelog.store';

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
    const titled = await milestonesInScope(db, projectId, {
      titles: missing.flatMap(({ more }) => more?.milestone ?? []),
      ids: [],
    });
    // Of equal titles the nearest one comes first.
    const named = new Map(titled.toReversed().map(({ title, id }) => [title, id]));
    const milestoneOf = ({ milestoneIid, more }: ImportedIssue): number | undefined =>
      milestoneIid === undefined ? named.get(more?.milestone ?? '') : milestoneIds.get(milestoneIid);
    for (const one of missing) {
      const { labels: titles, milestoneIid: _, locked, closedAt, updatedAt, more, ...issue } = one;
      const {
        milestone: __,
        closedById,
        timelogs: entries = [],
        ...others
      } = more ?? {
        issueType: 'issue' as const,
        confidential: false,
        discussionLocked: locked || undefined,
        dueDate: undefined,
        weight: undefined,
      };
      const wanted = {
        ...issue,
        ...others,
        projectId,
        milestoneId: milestoneOf(one),
        taskCount: issue.taskCount ?? 0,
        completedTaskCount: issue.completedTaskCount ?? 0,
        labelIds: [...new Set(titles.flatMap((title) => labelIds.get(title) ?? []))],
        mentions: noMentions,
        imported: { from: importedFrom, closedAt, closedById, updatedAt },
      };
      await db
        .transaction(async (tx) => {
          const { id: ownerId } = await openIssue(tx, wanted);
          await timelogs.bringIn(
            tx,
            entries.map((entry) => ({ ...entry, ownerId })),
          );
        })
        .catch((error: unknown) => {
          // Another try of the same page was faster.
          if (!isUniqueViolation(error, 'issues_iid')) throw error;
        });
    }
    return known.filter(({ own }) => own).length + new Set(missing.map(({ iid }) => iid)).size;
  },

  addEvents: (key: ImportKey, events: readonly ImportedIssueEvent[]): Promise<number> =>
    db.transaction(async (tx) => {
      const idOf = await importedIssues.lock(
        tx,
        key,
        events.map(({ iid }) => iid),
      );
      const placed = events.flatMap(({ iid, ...event }) => {
        const ownerId = idOf.get(iid);
        return ownerId === undefined ? [] : [{ ...event, ownerId }];
      });
      const added = await bringEventsIn(tx, key.projectId, placed);
      const ends = placed.filter(({ kind, action, userId }) => kind === 'state' && action === 'closed' && userId > 0);
      // The last one counts; a page with later ones has come before, as forges list them.
      await tx.query(sql`
        with ends as (
          select distinct on (id) id, actor
          from unnest(${ends.map(({ ownerId }) => ownerId)}::bigint[], ${ends.map(({ userId }) => userId)}::bigint[],
            ${ends.map(({ createdAt }) => createdAt)}::timestamptz[]) as given (id, actor, at) order by id, at desc)
        update issues i set closed_by_id = ends.actor from ends
        where i.id = ends.id and i.state = 'closed' and i.closed_by_id is null`);
      return added;
    }),
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

  /** Keeps how many votes locked issues have. */
  async keepVotes(
    tx: Tx,
    votes: readonly { readonly id: number; readonly upvotes: number; readonly downvotes: number }[],
  ): Promise<void> {
    await tx.query(sql`
      update issues i set upvotes = given.up, downvotes = given.down
      from unnest(${votes.map(({ id }) => id)}::bigint[], ${votes.map(({ upvotes }) => upvotes)}::int[],
        ${votes.map(({ downvotes }) => downvotes)}::int[]) as given (id, up, down)
      where i.id = given.id`);
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

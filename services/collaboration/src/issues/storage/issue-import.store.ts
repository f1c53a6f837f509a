import { type Database, isUniqueViolation, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByTitles, milestoneIdsByIids, milestonesInScope } from '@switchyard/directory';
import type { ImportedFields } from '@switchyard/texts';
import type { NewIssue } from '../domain/issue-change';
import {
  decideRefresh,
  fieldsOfImported,
  type ImportedIssue,
  type ImportedIssueEvent,
  type ImportKey,
} from '../domain/issue-import';
import { openIssue, refreshIssue, reserveIids } from './issue-change.store';
import { bringEventsIn } from './issue-event.store';
import { timelogs } from './issue-timelog.store';

const noMentions = { usernames: [], directlyAddressed: [] };

/** Issues with what of the project they name. */
type PlacedIssue = ImportedIssue & { readonly labelIds: number[]; readonly milestoneId: number | undefined };

/** Finds labels and milestones of issues by their titles and numbers. */
async function place(db: Database, projectId: number, issues: readonly ImportedIssue[]): Promise<PlacedIssue[]> {
  const labels = await labelsByTitles(db, projectId, [...new Set(issues.flatMap((issue) => issue.labels))]);
  const labelIds = new Map(labels.map(({ title, id }) => [title, id]));
  const milestoneIds = await milestoneIdsByIids(
    db,
    projectId,
    issues.flatMap(({ milestoneIid }) => milestoneIid ?? []),
  );
  const titled = await milestonesInScope(db, projectId, {
    titles: issues.flatMap(({ more }) => more?.milestone ?? []),
    ids: [],
  });
  // Of equal titles the nearest one comes first.
  const named = new Map(titled.toReversed().map(({ title, id }) => [title, id]));
  return issues.map((one) => ({
    ...one,
    labelIds: [...new Set(one.labels.flatMap((title) => labelIds.get(title) ?? []))],
    milestoneId:
      one.milestoneIid === undefined ? named.get(one.more?.milestone ?? '') : milestoneIds.get(one.milestoneIid),
  }));
}

function toNew({ projectId, importedFrom }: ImportKey, one: PlacedIssue): NewIssue {
  const { labels: _, milestoneIid: __, locked, closedAt, updatedAt, more, ...issue } = one;
  const {
    milestone: ___,
    closedById,
    timelogs: ____,
    ...others
  } = more ?? {
    issueType: 'issue' as const,
    confidential: false,
    discussionLocked: locked || undefined,
    dueDate: undefined,
    weight: undefined,
  };
  return {
    ...issue,
    ...others,
    projectId,
    taskCount: issue.taskCount ?? 0,
    completedTaskCount: issue.completedTaskCount ?? 0,
    mentions: noMentions,
    imported: { from: importedFrom, closedAt, closedById, updatedAt },
  };
}

/** Keeps what an import writes of issues; those of an archive are not refreshed. */
async function keepFields(tx: Tx, issues: readonly (PlacedIssue & { readonly id: number })[]): Promise<void> {
  const kept = issues.filter(({ more }) => more === undefined);
  if (kept.length === 0) return;
  await tx.query(sql`
    insert into issue_imports (issue_id, fields)
    select id, fields::jsonb from unnest(${kept.map(({ id }) => id)}::bigint[],
      ${kept.map((one) => JSON.stringify(fieldsOfImported(one)))}::text[]) as given (id, fields)
    on conflict (issue_id) do update set fields = excluded.fields`);
}

/** Brings issues that came in before up to how they are at the forge, where nobody has changed them here. */
const refreshAll = (db: Database, issues: readonly (PlacedIssue & { readonly id: number })[]): Promise<void> =>
  db.transaction(async (tx) => {
    // In the order of their ids, as all who lock several.
    const sorted = [...issues].sort((a, b) => a.id - b.id);
    const rows = await tx.query<{ id: number; fields: ImportedFields }>(sql`
      select issue_id as id, fields from issue_imports where issue_id = any(${sorted.map(({ id }) => id)}::bigint[])`);
    const wrote = new Map(rows.map(({ id, fields }) => [id, fields]));
    for (const one of sorted) {
      const theirs = { ...one, taskCount: one.taskCount ?? 0, completedTaskCount: one.completedTaskCount ?? 0 };
      await refreshIssue(tx, one.id, (locked) => decideRefresh(locked, wrote.get(one.id) ?? {}, theirs));
    }
    await keepFields(
      tx,
      sorted.filter(({ id }) => wrote.has(id)),
    );
  });

/** Opens the store of imported issues. */
export const issueImportStore = (db: Database) => ({
  async addIssues(key: ImportKey, issues: readonly ImportedIssue[], knownBefore?: Date): Promise<number> {
    const { projectId, importedFrom } = key;
    const iids = issues.map(({ iid }) => iid);
    const known = await db.query<{ id: number; iid: number; own: boolean }>(sql`
      select id, iid, imported_from = ${importedFrom} as own from issues
      where project_id = ${projectId} and iid = any(${iids}::bigint[]) order by id`);
    const have = new Set(known.map(({ iid }) => iid));
    const missing = issues.filter(({ iid }) => !have.has(iid));
    const wanted = missing.filter(({ createdAt }) => knownBefore === undefined || createdAt >= knownBefore);
    const own = known.filter((one) => one.own);
    const ownIds = new Map(own.map(({ id, iid }) => [iid, id]));
    const placed = await place(
      db,
      projectId,
      knownBefore === undefined ? wanted : [...wanted, ...issues.filter(({ iid }) => ownIds.has(iid))],
    );
    const fresh = placed.filter(({ iid }) => !ownIds.has(iid));
    const open = async (tx: Tx, some: readonly PlacedIssue[]): Promise<void> => {
      const opened: (PlacedIssue & { id: number })[] = [];
      for (const one of some) opened.push({ ...one, id: (await openIssue(tx, toNew(key, one))).id });
      await timelogs.bringIn(
        tx,
        opened.flatMap(({ id: ownerId, more }) => (more?.timelogs ?? []).map((entry) => ({ ...entry, ownerId }))),
      );
      await keepFields(tx, opened);
    };
    const isTaken = (error: unknown): boolean => isUniqueViolation(error, 'issues_iid');
    await db
      .transaction((tx) => open(tx, fresh))
      .catch(async (error: unknown) => {
        if (!isTaken(error)) throw error;
        // Another try of the same page was faster, with some of them at least.
        for (const one of fresh)
          await db
            .transaction((tx) => open(tx, [one]))
            .catch((again: unknown) => {
              if (!isTaken(again)) throw again;
            });
      });
    if (knownBefore !== undefined)
      await refreshAll(
        db,
        placed.flatMap((one) => {
          const id = ownIds.get(one.iid);
          return id === undefined ? [] : [{ ...one, id }];
        }),
      );
    return own.length + new Set(missing.map(({ iid }) => iid)).size;
  },

  reserve: (projectId: number, highest: number): Promise<void> => reserveIids(db, projectId, highest),

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
      // The last one counts, of nobody as well; a page with later ones has come before, as forges list them.
      await tx.query(sql`
        update issues i set closed_by_id = (
          select e.user_id from resource_events e where e.issue_id = i.id and e.kind = 'state' and e.action = 'closed'
          order by e.created_at desc, e.id desc limit 1)
        where i.id = any(${placed.map(({ ownerId }) => ownerId)}::bigint[]) and i.state = 'closed' and i.closed_by_id is null`);
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

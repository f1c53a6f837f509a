import { type Database, isUniqueViolation } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Viewer } from '@switchyard/directory';
import { conflict } from '@switchyard/errors';
import type { EpicName } from '@switchyard/texts';
import { epicByName, mayChangeEpic } from '../../epic-trees';
import type { Issue } from '../domain/issue';
import type { IssueDecision, LockedIssue, NewIssue } from '../domain/issue-change';
import type { IssueKey, IssueViewer } from '../domain/issue-query';
import type { IssueView } from '../domain/issue-view';
import { issueFrom, issueSelect, readIssueView, toIssueView } from './issue.row';
import { openToLevel, visibleIssues } from './issue.visibility';
import { changeIssue, openIssue } from './issue-change.store';
import { subscriptionStore } from './subscription.store';

/** Opens the store of issues. */
export const issueStore = (db: Database) => ({
  view: (key: IssueKey, viewer: IssueViewer): Promise<IssueView | undefined> =>
    readIssueView(
      db,
      key,
      viewer,
      viewer.level === undefined
        ? visibleIssues(viewer)
        : sql`p.issues_enabled and ${openToLevel(viewer, viewer.level)}`,
    ),

  async viewsByIds(ids: readonly number[], viewer: Viewer): Promise<IssueView[]> {
    const rows = await db.query(
      named(
        'find_issues',
        sql`select ${issueSelect(viewer)} from ${issueFrom} where i.id = any(${[...ids]}::bigint[]) and ${visibleIssues(viewer)}`,
      ),
    );
    return rows.map(toIssueView);
  },

  async subscribedAmong(ids: readonly number[], userId: number): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`
      select i.id from issues i
      left join issue_subscriptions s on s.issue_id = i.id and s.user_id = ${userId}
      left join issue_participants p on p.issue_id = i.id and p.user_id = ${userId}
      where i.id = any(${[...ids]}::bigint[]) and coalesce(s.subscribed, p.user_id is not null)`);
    return new Set(rows.map(({ id }) => id));
  },

  async create(wanted: NewIssue): Promise<Issue> {
    try {
      return await db.transaction((tx) => openIssue(tx, wanted));
    } catch (error) {
      if (isUniqueViolation(error, 'issues_iid')) throw conflict('Duplicated issue');
      throw error;
    }
  },

  change: (
    id: number,
    actorId: number,
    decide: (locked: LockedIssue) => IssueDecision,
    options?: { readonly trees?: boolean },
  ): Promise<Issue> => db.transaction((tx) => changeIssue(tx, id, actorId, decide, options)),

  epicByName: (projectId: number, name: EpicName): Promise<number | undefined> => epicByName(db, projectId, name),

  mayChangeEpic: (id: number, viewer: Viewer): Promise<boolean | undefined> => mayChangeEpic(db, id, viewer),

  // The row is locked before the command is noted: a repetition that comes in between finds what the first has noted.
  changeOnce: (
    id: number,
    actorId: number,
    cause: string,
    decide: (locked: LockedIssue) => IssueDecision,
  ): Promise<Issue> =>
    db.transaction(async (tx) => {
      await tx.query(sql`select 1 from issues where id = ${id} for no key update`);
      const first = await tx.one(sql`
        insert into issue_time_commands (issue_id, cause)
        select id, ${cause} from issues where id = ${id} on conflict do nothing returning 1`);
      return changeIssue(tx, id, actorId, (locked) => (first === undefined ? undefined : decide(locked)));
    }),

  authoredBy: (authorId: number, after: number, limit: number): Promise<{ id: number }[]> =>
    db.query(sql`
      select i.id from issues i where i.author_id = ${authorId} and i.id > ${after} order by i.id limit ${limit}`),

  async removeOrphans(limit: number): Promise<number> {
    const row = await db.one<{ removed: number }>(sql`
      with gone as (select p.id from directory.projects p where p.deleted_at is not null),
      doomed as (select i.id from gone join issues i on i.project_id = gone.id limit ${limit}),
      reactions as (
        delete from award_emoji where awardable_type = 'Issue' and awardable_id in (select id from doomed)),
      removed as (delete from issues where id in (select id from doomed) returning 1),
      links as (
        delete from issue_merge_requests where (merge_request_id, project_id, iid) in (
          select link.merge_request_id, link.project_id, link.iid from gone
          join issue_merge_requests link on link.project_id = gone.id or link.merge_request_project_id = gone.id
          limit ${limit}) returning 1),
      alerts as (
        delete from followed_alerts where alert_id in (
          select known.alert_id from gone join followed_alerts known on known.project_id = gone.id limit ${limit})
        returning 1),
      assignments as (
        delete from issue_assignees where (issue_id, user_id) in (
          select a.issue_id, a.user_id from directory.users u join issue_assignees a on a.user_id = u.id
          where u.deleted_at is not null limit ${limit})
        returning 1),
      counters as (delete from iid_counters where project_id in (select id from gone) returning 1)
      select (select count(*) from removed)::int + (select count(*) from links)::int + (select count(*) from alerts)::int
        + (select count(*) from counters)::int + (select count(*) from assignments)::int
        as removed`);
    return row?.removed ?? 0;
  },

  ...subscriptionStore(db, 'issue'),
});

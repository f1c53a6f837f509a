import type { PageInfo, PageRequest } from '@switchyard/database';
import { mayDeleteTimelog, type Timelog } from '@switchyard/directory';
import { forbidden, invalid, notFound } from '@switchyard/errors';
import { withoutTime } from '@switchyard/texts';
import { editIssue } from '../domain/issue-edit';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/** Entries of time spent on issues. */
export interface IssueTimelogStore {
  page(issueId: number, request: PageRequest): Promise<{ rows: Timelog[]; page: PageInfo }>;
  find(issueId: number, id: number): Promise<Timelog | undefined>;
}

/** One page of the entries of an issue, the latest day first. Fails with `not_found`. */
export const listTimelogsOfIssue =
  (edges: Pick<IssueEdges, 'issues'>, timelogs: IssueTimelogStore) =>
  async (caller: IssueCaller, key: IssueNumber, request: PageRequest): Promise<{ rows: Timelog[]; page: PageInfo }> => {
    const { issue } = await visibleIssue(edges, caller, key);
    return timelogs.page(issue.id, request);
  };

/**
 * Deletes an entry of time and takes it out of the time spent, together. Fails with `not_found`, also when someone else
 * deletes it at the same time, `forbidden`, `invalid`.
 */
export const deleteTimelogOfIssue =
  (edges: Pick<IssueEdges, 'issues' | 'clock'>, timelogs: IssueTimelogStore) =>
  async (caller: IssueCaller, key: IssueNumber, timelogId: number): Promise<void> => {
    const { issue } = await visibleIssue(edges, caller, key);
    const log = await timelogs.find(issue.id, timelogId);
    if (log === undefined) throw notFound();
    if (!mayDeleteTimelog(caller, log)) throw forbidden();
    try {
      await edges.issues.change(issue.id, caller.userId, (locked) => {
        const tracked = withoutTime(locked.issue, log);
        if ('problems' in tracked) throw invalid(tracked.problems);
        return editIssue(locked, { ...tracked.times, removedTimelogId: log.id }, caller.userId, edges.clock());
      });
    } catch (error) {
      // Someone else deleted it first, so that the time spent has no room for it any more.
      if ((await timelogs.find(issue.id, timelogId)) === undefined) throw notFound();
      throw error;
    }
  };

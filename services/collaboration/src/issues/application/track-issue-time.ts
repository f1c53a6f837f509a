import { forbidden, invalid } from '@switchyard/errors';
import { type TimeTracking, trackTime } from '@switchyard/texts';
import { type Issue, mayAdminIssue } from '../domain/issue';
import type { IssueDecision, LockedIssue } from '../domain/issue-change';
import { editIssue } from '../domain/issue-edit';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/**
 * Sets or resets the estimate of an issue, adds time spent or resets it. What has a cause is done once. Fails
 * with `not_found`, `forbidden`, `invalid`.
 */
export const trackIssueTime =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, tracking: TimeTracking, cause?: string): Promise<Issue> => {
    const view = await visibleIssue(edges, caller, key);
    if (!mayAdminIssue(caller)) throw forbidden();
    const now = edges.clock();
    const decide = (locked: LockedIssue): IssueDecision => {
      const tracked = trackTime(locked.issue, tracking);
      if ('problems' in tracked) throw invalid(tracked.problems);
      return editIssue(locked, { ...tracked.times, timelogs: tracked.logs }, caller.userId, now);
    };
    const { id } = view.issue;
    return cause === undefined
      ? edges.issues.change(id, caller.userId, decide)
      : edges.issues.changeOnce(id, caller.userId, cause, decide);
  };

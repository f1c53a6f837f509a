import { forbidden, invalid } from '@switchyard/errors';
import { type TimeTracking, trackTime } from '@switchyard/texts';
import { type Issue, mayAdminIssue } from '../domain/issue';
import { editIssue } from '../domain/issue-edit';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/**
 * Sets or resets the estimate of an issue, adds time spent or resets it. Fails with `not_found`, `forbidden`,
 * `invalid`.
 */
export const trackIssueTime =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, tracking: TimeTracking): Promise<Issue> => {
    const view = await visibleIssue(edges, caller, key);
    if (!mayAdminIssue(caller)) throw forbidden();
    const now = edges.clock();
    return edges.issues.change(view.issue.id, caller.userId, (locked) => {
      const tracked = trackTime(locked.issue, tracking);
      if ('problems' in tracked) throw invalid(tracked.problems);
      return editIssue(locked, { ...tracked.times, timelogs: tracked.logs }, caller.userId, now);
    });
  };

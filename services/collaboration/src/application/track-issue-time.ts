import { forbidden, invalid } from '@switchyard/errors';
import { parseDuration } from '@switchyard/texts';
import { type Issue, mayAdminIssue } from '../domain/issue';
import { editIssue } from '../domain/issue-edit';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/** What is done to the times of an issue; `duration` as people write it, such as `3h 30m`. */
export interface TimeTracking {
  readonly kind: 'estimate' | 'spend' | 'reset_estimate' | 'reset_spent';
  /** Of no meaning to resets. */
  readonly duration: string;
}

/** Sets or resets the estimate of an issue, adds time spent or resets it. Fails with `not_found`, `forbidden`, `invalid`. */
export const trackIssueTime =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, tracking: TimeTracking): Promise<Issue> => {
    const view = await visibleIssue(edges, caller, key);
    if (!mayAdminIssue(caller)) throw forbidden();
    const resets = tracking.kind === 'reset_estimate' || tracking.kind === 'reset_spent';
    const seconds = resets ? 0 : parseDuration(tracking.duration);
    if (seconds === undefined || (tracking.kind === 'estimate' && seconds < 0)) {
      throw invalid(
        tracking.kind === 'estimate'
          ? { time_estimate: ['must have a valid format and be greater than or equal to zero.'] }
          : { time_spent: ["can't be blank"] },
      );
    }
    const now = edges.clock();
    return edges.issues.change(view.issue.id, caller.userId, (locked) => {
      if (tracking.kind === 'estimate' || tracking.kind === 'reset_estimate') {
        return editIssue(locked, { timeEstimate: seconds }, caller.userId, now);
      }
      const total = tracking.kind === 'reset_spent' ? 0 : locked.issue.totalTimeSpent + seconds;
      if (total < 0) throw invalid({ base: ['Time to subtract exceeds the total time spent'] });
      return editIssue(locked, { totalTimeSpent: total }, caller.userId, now);
    });
  };

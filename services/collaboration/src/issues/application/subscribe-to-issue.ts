import { unauthorized } from '@switchyard/errors';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { type IssueDetails, visibleIssue } from './read-issue';

/** Subscribes the caller to an issue or takes the subscription back; undefined when nothing changes. */
export const subscribeToIssue =
  (edges: Pick<IssueEdges, 'issues'>) =>
  async (caller: IssueCaller, key: IssueNumber, subscribed: boolean): Promise<IssueDetails | undefined> => {
    if (caller.userId === 0) throw unauthorized();
    const view = await visibleIssue(edges, caller, key);
    const changed = await edges.issues.setSubscription(view.issue.id, caller.userId, subscribed);
    return changed ? { view, subscribed } : undefined;
  };

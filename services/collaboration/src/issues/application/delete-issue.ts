import { forbidden } from '@switchyard/errors';
import { mayDeleteIssue } from '../domain/issue';
import { decideDeletion } from '../domain/issue-change';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/**
 * Removes an issue for good. Fails with `not_found`, `forbidden`; with `precondition_failed` when it changed after
 * `unmodifiedSince`.
 */
export const deleteIssue =
  (edges: Pick<IssueEdges, 'issues'>) =>
  async (caller: IssueCaller, key: IssueNumber, unmodifiedSince: Date | undefined): Promise<void> => {
    const { issue } = await visibleIssue(edges, caller, key);
    if (!mayDeleteIssue(issue, caller)) throw forbidden();
    await edges.issues.change(issue.id, caller.userId, (locked) => decideDeletion(locked, unmodifiedSince));
  };

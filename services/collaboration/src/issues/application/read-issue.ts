import type { PageInfo, PageRequest } from '@switchyard/database';
import type { UserRow } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import { seesInternal } from '../../noteables';
import type { IssueView } from '../domain/issue-view';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import type { IssueParticipantList } from './issue.ports';

/** An issue and whether its viewer is subscribed. */
export interface IssueDetails {
  readonly view: IssueView;
  readonly subscribed: boolean;
}

/** An issue the caller may see; others are not found, whether they exist or not. */
export async function visibleIssue(
  { issues }: Pick<IssueEdges, 'issues'>,
  caller: IssueCaller,
  key: IssueNumber,
): Promise<IssueView> {
  const view = await issues.view(key, caller);
  if (view === undefined) throw notFound();
  return view;
}

/** Reads one issue. Fails with `not_found`. */
export const readIssue =
  (edges: Pick<IssueEdges, 'issues'>) =>
  async (caller: IssueCaller, key: IssueNumber): Promise<IssueDetails> => {
    const view = await visibleIssue(edges, caller, key);
    return { view, subscribed: caller.userId > 0 && (await edges.issues.isSubscribed(view.issue.id, caller.userId)) };
  };

/** Reads one issue by its id, wherever it lies. Fails with `not_found`. */
export const readIssueById =
  (edges: Pick<IssueEdges, 'issues'>) =>
  async (caller: IssueCaller, id: number): Promise<IssueDetails> => {
    // The level belongs to the project the request names, and here it names none.
    const { userId, admin, external } = caller;
    const view = await edges.issues.view({ id }, { userId, admin, external });
    if (view === undefined) throw notFound();
    return { view, subscribed: await edges.issues.isSubscribed(id, userId) };
  };

/**
 * One page of those who took part in an issue, by internal notes alone for those who read these. Fails with
 * `not_found`.
 */
export const listParticipantsOfIssue =
  (edges: Pick<IssueEdges, 'issues'>, participants: IssueParticipantList) =>
  async (
    caller: IssueCaller,
    key: IssueNumber,
    request: PageRequest,
  ): Promise<{ users: UserRow[]; page: PageInfo }> => {
    const { issue } = await visibleIssue(edges, caller, key);
    return participants.page(issue.id, seesInternal(caller), request);
  };

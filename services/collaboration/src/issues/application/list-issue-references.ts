import type { PageInfo, PageRequest } from '@switchyard/database';
import type { IssueView } from '../domain/issue-view';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import type { IssueMergeRequestList } from './issue-reference.ports';
import { visibleIssue } from './read-issue';
import type { MergeRequestReader, ShownMergeRequests } from './shown-merge-requests';

/**
 * One page of the merge requests that name an issue, as their owner shows them: finished JSON. Fails with `not_found`.
 */
export const listMergeRequestsOfIssue =
  (edges: Pick<IssueEdges, 'issues'>, links: IssueMergeRequestList, mergeRequests: ShownMergeRequests) =>
  async (
    reader: MergeRequestReader,
    caller: IssueCaller,
    key: IssueNumber,
    closing: boolean,
    request: PageRequest,
  ): Promise<{ shown: Buffer[]; page: PageInfo }> => {
    const { issue } = await visibleIssue(edges, caller, key);
    const { userId, admin, external } = caller;
    const { ids, page } = await links.page(issue, closing, { userId, admin, external }, request);
    const found = await mergeRequests.byIds(ids, reader, false);
    return { shown: ids.flatMap((id) => found.get(id)?.json ?? []), page };
  };

/**
 * One page of the issues that a merge request names. Fails with `not_found` where the reader may not read the merge
 * request.
 */
export const listIssuesOfMergeRequest =
  ({ lists }: Pick<IssueEdges, 'lists'>, mergeRequests: ShownMergeRequests) =>
  async (
    reader: MergeRequestReader,
    mergeRequest: IssueNumber,
    closing: boolean,
    request: PageRequest,
  ): Promise<{ rows: IssueView[]; page: PageInfo }> => {
    await mergeRequests.find(mergeRequest.projectId, mergeRequest.iid, reader);
    const { userId, admin, external } = reader.actor;
    const viewer = { userId, admin, external };
    return lists.page({ scope: { mergeRequest, closing }, filter: {}, viewer }, request);
  };

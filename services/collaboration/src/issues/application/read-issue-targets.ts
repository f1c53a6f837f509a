import type { Viewer } from '@switchyard/directory';
import type { IssueView } from '../domain/issue-view';
import type { IssueEdges, IssueNumber } from './issue.edges';

/**
 * Issues that the viewer may see, with whether they are subscribed to them where that is asked for: two statements at
 * the most.
 */
export const readIssueTargets =
  ({ issues }: Pick<IssueEdges, 'issues'>) =>
  async (
    viewer: Viewer,
    ids: readonly number[],
    withSubscribed: boolean,
  ): Promise<{ view: IssueView; subscribed: boolean | undefined }[]> => {
    if (ids.length === 0) return [];
    const [views, subscribed] = await Promise.all([
      issues.viewsByIds(ids, viewer),
      withSubscribed ? issues.subscribedAmong(ids, viewer.userId) : undefined,
    ]);
    return views.map((view) => ({ view, subscribed: subscribed?.has(view.issue.id) }));
  };

/** An issue by its number; undefined when there is none that the viewer may see. */
export const readIssueTarget =
  ({ issues }: Pick<IssueEdges, 'issues'>) =>
  (viewer: Viewer, key: IssueNumber): Promise<IssueView | undefined> =>
    issues.view(key, viewer);

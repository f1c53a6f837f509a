import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

/**
 * A merge request as it is now, its threads included, where they decide whether it may land (D8): the event of a
 * thread that was just started may not have arrived yet.
 */
export async function withCurrentThreads(
  { mergeRequests, refreshThreads }: Pick<MergeRequestEdges, 'mergeRequests' | 'refreshThreads'>,
  view: MergeRequestView,
): Promise<MergeRequestView> {
  if (!view.settings.onlyAllowMergeIfAllDiscussionsAreResolved) return view;
  await refreshThreads(view.mergeRequest.projectId, view.mergeRequest.id);
  return (await mergeRequests.view({ id: view.mergeRequest.id })) ?? view;
}

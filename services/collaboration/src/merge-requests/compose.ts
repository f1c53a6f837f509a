import type { Area } from '../area';
import type { CollaborationEdges } from '../edges';
import type { MergeRequestFollower } from './';
import { mergeRequestSubscription } from './transport/merge-request.subscription';

/** Builds what hears of merge requests, which belong to another service, and passes it on to those that follow them. */
export const composeMergeRequests = (
  { directory }: Pick<CollaborationEdges, 'directory'>,
  followers: readonly MergeRequestFollower[],
): Area => ({
  consumers: [{ group: 'collaboration', subscriptions: [mergeRequestSubscription(followers, directory)] }],
});

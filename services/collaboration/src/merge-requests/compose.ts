import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { type MergeRequestFollower, mergeRequestSubscription } from './transport/merge-request.subscription';

/** Builds what hears of merge requests, which belong to another service, and passes it on to those that follow them. */
export const composeMergeRequests = (
  { directory }: Pick<Edges, 'directory'>,
  followers: readonly MergeRequestFollower[],
): Area => ({
  consumers: [{ group: 'collaboration', subscriptions: [mergeRequestSubscription(followers, directory)] }],
});

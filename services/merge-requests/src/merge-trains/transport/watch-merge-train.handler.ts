import type { WatchMergeTrainRequest } from '@switchyard/protos/merge_requests/v1/merge_train';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { type CallContext, json } from '@switchyard/rpc';
import type { MergeTrainFeed } from '../application/merge-train.feed';

/** WatchMergeTrain: a train as it stands, and again after each change. */
export const watchMergeTrain = (feed: MergeTrainFeed) =>
  async function* (
    { projectId, targetBranch }: WatchMergeTrainRequest,
    { signal }: CallContext,
  ): AsyncIterable<Representation> {
    for await (const rendered of feed.watch({ projectId, targetBranch }, signal)) yield json(rendered);
  };

import { type Database, uncounted } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { GetMergeTrainRequest } from '@switchyard/protos/merge_requests/v1/merge_train';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { type CallContext, entity, json } from '@switchyard/rpc';
import { type MergeTrainFeed, mergeTrainFeed, type TrainKey } from '../application/merge-train.feed';
import { presentMergeTrainView } from '../presenters/merge-train-view.presenter';
import { onTrainChange, readMergeTrainView, readTrainMarks } from '../storage/merge-train.view';

/** The feed over the database. */
export const mergeTrainFeedOn = (db: Database, externalUrl: string): MergeTrainFeed =>
  mergeTrainFeed({
    async render(key: TrainKey) {
      // For all who watch it: no work of the call that happens to start it.
      const view = await uncounted(() => readMergeTrainView(db, key));
      if (view === undefined) throw notFound('Project');
      return entity(presentMergeTrainView(view, externalUrl)).json as Buffer;
    },
    marks: (keys) => readTrainMarks(db, keys),
    onChange: (onChange) => onTrainChange(db, onChange),
  });

/** WatchMergeTrain: a train as it stands, and again after each change. */
export const watchMergeTrain = (feed: MergeTrainFeed) =>
  async function* (
    { projectId, targetBranch }: GetMergeTrainRequest,
    { signal }: CallContext,
  ): AsyncIterable<Representation> {
    for await (const rendered of feed.watch({ projectId, targetBranch }, signal)) yield json(rendered);
  };

import { type Database, uncounted } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { entity } from '@switchyard/rpc';
import { type MergeTrainFeed, mergeTrainFeed } from './application/merge-train.feed';
import { presentMergeTrainView } from './presenters/merge-train-view.presenter';
import { onTrainChange, readMergeTrainView, readTrainMarks } from './storage/merge-train.view';

/** The feed of watched trains over the database. */
export const composeMergeTrainFeed = (db: Database, externalUrl: string): MergeTrainFeed =>
  mergeTrainFeed({
    async render(key) {
      // For all who watch it: no work of the call that happens to start it.
      const view = await uncounted(() => readMergeTrainView(db, key));
      if (view === undefined) throw notFound('Project');
      return entity(presentMergeTrainView(view, externalUrl)).json as Buffer;
    },
    marks: (keys) => readTrainMarks(db, keys),
    onChange: (onChange) => onTrainChange(db, onChange),
  });

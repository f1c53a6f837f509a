import { type AnySubscription, repositoryMeasured, snippetsMeasured, subscription } from '@switchyard/events';
import type { recordMeasurements } from '../application/record-measurements';

/** Measurements of repositories and snippets become statistics, each once (D6). */
export const measurementSubscriptions = (record: ReturnType<typeof recordMeasurements>): AnySubscription[] => [
  subscription({
    event: repositoryMeasured,
    handle: ({ projectId, version, size, commitCount }, tx) =>
      record(tx, { projectId, version, measured: { of: 'repository', size, commitCount } }),
  }),
  subscription({
    event: snippetsMeasured,
    handle: ({ projectId, version, size }, tx) =>
      record(tx, { projectId, version, measured: { of: 'snippets', size } }),
  }),
];

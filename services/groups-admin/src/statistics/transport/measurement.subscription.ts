import {
  type AnySubscription,
  packagesMeasured,
  reportsMeasured,
  repositoryMeasured,
  snippetsMeasured,
  subscription,
} from '@switchyard/events';
import type { recordMeasurements } from '../application/record-measurements';

/** Measurements of repositories, snippets, packages, uploads and reports become statistics, each once (D6). */
export const measurementSubscriptions = (record: ReturnType<typeof recordMeasurements>): AnySubscription[] => [
  subscription({
    event: repositoryMeasured,
    handle: ({ projectId, version, size, wikiSize, commitCount }, tx) =>
      record(tx, { projectId, version, measured: { of: 'repository', size, wikiSize, commitCount } }),
  }),
  subscription({
    event: snippetsMeasured,
    handle: ({ projectId, version, size }, tx) =>
      record(tx, { projectId, version, measured: { of: 'snippets', size } }),
  }),
  subscription({
    event: packagesMeasured,
    handle: ({ projectId, version, size, uploadsSize }, tx) =>
      record(tx, { projectId, version, measured: { of: 'packages', size, uploadsSize } }),
  }),
  subscription({
    event: reportsMeasured,
    handle: ({ projectId, version, size }, tx) => record(tx, { projectId, version, measured: { of: 'reports', size } }),
  }),
];

import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { recordMeasurements } from './application/record-measurements';
import { statisticsStore } from './storage/statistics.store';
import { measurementSubscriptions } from './transport/measurement.subscription';

/** Sizes of projects, and of groups as sums of them. */
export function composeStatistics({ observe }: Edges): Area {
  const { record } = observe('statistics', { record: recordMeasurements({ statistics: statisticsStore }) });
  // Apart from pushes and counts, so that neither waits for the other.
  return { consumers: [{ group: 'groups-admin.statistics', subscriptions: measurementSubscriptions(record) }] };
}

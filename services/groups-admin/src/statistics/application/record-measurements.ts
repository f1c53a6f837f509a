import type { Tx } from '@switchyard/database';
import type { Measurement } from '../domain/sizes';

/** Statistics in the database. */
export interface StatisticsStore {
  /** Replaces what was measured of a project before; an older version, and a deleted project, change nothing. */
  record(tx: Tx, measurement: Measurement): Promise<void>;
}

/** Records what the owners of the data of projects measured, within the transaction that consumes the event. */
export const recordMeasurements =
  ({ statistics }: { statistics: StatisticsStore }) =>
  (tx: Tx, measurement: Measurement): Promise<void> =>
    statistics.record(tx, measurement);

import { repeat } from '@switchyard/background';
import type { TrainRetention } from './train-history.ports';

/** Days for which every pipeline and departure of a train is kept. */
const keptDays = 90;

const everyMs = 3_600_000;

/** Rows of one statement: a larger deletion delays writers. */
const batch = 5_000;

/** Deletes what trains need not keep of the past, at the start and every hour. Their counters stay. */
export const pruneTrainHistory = (retention: TrainRetention) =>
  repeat('history of merge trains', everyMs, async (stopping) => {
    for (const prune of [retention.pruneRuns, retention.pruneDepartures]) {
      for (let deleted = batch; deleted === batch && !stopping.aborted; ) deleted = await prune(keptDays, batch);
    }
  });

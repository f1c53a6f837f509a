import { repeat } from '@switchyard/background';
import type { Closable } from '@switchyard/service';
import { counter, gauge } from '@switchyard/telemetry';
import type { Edges } from '../edges';
import { pruneTrainHistory } from './application/prune-train-history';
import { watchTrains } from './application/watch-trains';
import { trainRetentionStore } from './storage/train-retention.store';
import { watchedTrainStore } from './storage/watched-trains.store';

/** Milliseconds between two looks: a fifth of the shortest time after which a train is stuck. */
const watchEveryMs = 60_000;

const countStuck = counter({
  name: 'switchyard_merge_trains_stuck_total',
  help: 'Merge trains that this process found with green results and without landings',
});

/**
 * Finds trains that have green results and land nothing, and has them looked at from scratch; and deletes what trains
 * need not keep of the past. Safe in several processes at once.
 */
export function startWatchingTrains({ db, clock }: Pick<Edges, 'db' | 'clock'>): Closable {
  const trains = watchedTrainStore(db);
  const unmeasure = gauge(
    { name: 'switchyard_merge_trains_stuck', help: 'Merge trains that have green results and land nothing' },
    async () => [{ value: await trains.countStuck() }],
  );
  const watching = repeat('watching merge trains', watchEveryMs, watchTrains({ trains, clock, countStuck }));
  const pruning = pruneTrainHistory(trainRetentionStore(db));
  return {
    async close() {
      unmeasure();
      await Promise.all([watching.close(), pruning.close()]);
    },
  };
}

import { logger } from '@switchyard/telemetry';
import { isStuck, patienceWith } from '../domain/stuck-train';
import type { MergeTrainEdges } from './merge-train.edges';
import type { WatchedTrains } from './train-history.ports';

/** What the watchdog works with. */
export interface WatchdogEdges extends Pick<MergeTrainEdges, 'clock'> {
  readonly trains: WatchedTrains;
  /** Counts one more stuck train. */
  readonly countStuck: () => void;
}

/**
 * One run of the watchdog: finds the trains that have green results and land nothing, and has each looked at as if
 * nothing were known of it. Each stop is counted and logged once, by one process, however often it is seen.
 */
export const watchTrains =
  ({ trains, clock, countStuck }: WatchdogEdges) =>
  async (): Promise<void> => {
    const now = clock();
    const stuck = (await trains.waiting(now)).filter((train) => isStuck(train, now));
    const found = new Set(stuck.length === 0 ? [] : await trains.lookAgain(stuck, now));
    for (const train of stuck) {
      if (!found.has(train.id)) continue;
      countStuck();
      logger.error(
        {
          train_id: train.id,
          project_id: train.projectId,
          target_branch: train.targetBranch,
          waiting_since: train.waitingSince,
          patience_seconds: Math.round(patienceWith(train)),
        },
        'a merge train has green results and lands nothing',
      );
    }
    await trains.recovered(stuck);
  };

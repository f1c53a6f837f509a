import { repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { importedPeople } from '@switchyard/directory';
import { type Area, archiveSource, type RecordWriter, recordWriter } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import type { Edges } from '../edges';
import type { JobHandlers, JobRequests } from '../jobs';
import type { MergeRequests, TrainChanges, TrainTargets } from '../merge-requests';
import type { Repositories } from '../repositories';
import { addToMergeTrain } from './application/add-to-merge-train';
import { controlMergeTrain } from './application/control-merge-train';
import { forecastMergeTrain } from './application/forecast-merge-train';
import type { MergeTrainEdges } from './application/merge-train.edges';
import { removeFromMergeTrain } from './application/remove-from-merge-train';
import { dropTrainRef, removeUnauthorizedCars, runMergeTrain } from './application/run-merge-train';
import { readTrainStatistics } from './application/train-statistics';
import { trainTimers } from './application/train-timers';
import { composeMergeTrainFeed } from './compose-feed';
import { composeForecasts } from './compose-forecasts';
import { startVerifyingLandings } from './compose-verifier';
import { startWatchingTrains } from './compose-watchdog';
import { addImportedReceipts } from './storage/imported-receipt.store';
import { trainChanges } from './storage/merge-train.change';
import { mergeTrainStore } from './storage/merge-train.store';
import { trainControlStore } from './storage/merge-train-control.store';
import { trainCounterStore } from './storage/train-counters.store';
import { addersOf, landingReceiptRecord, toImported } from './transport/landing-receipt.record';
import { mergeTrainHandler } from './transport/merge-train.handler';

/** The areas that merge trains rest on. */
export interface MergeTrainAreas {
  readonly jobs: JobRequests;
  readonly repositories: Repositories;
  readonly mergeRequests: MergeRequests;
}

/** The area, and the work that it does in jobs. */
export interface MergeTrains extends Area {
  readonly jobHandlers: Pick<JobHandlers, 'merge_train' | 'train_ref'>;
  /** Takes the receipts of an archive. */
  readonly records: RecordWriter;
}

/** Merge trains as followers of merge requests. */
export const trainFollowers = (db: Database): TrainChanges & TrainTargets => ({
  ...trainChanges,
  targetMoved: mergeTrainStore(db).targetMoved,
});

/** Builds merge trains, the receipts of landings and their verifier. */
export function composeMergeTrains(given: Edges, { jobs, repositories, mergeRequests }: MergeTrainAreas): MergeTrains {
  const { config, db, observe } = given;
  const { landing, check } = mergeRequests;
  const timers = trainTimers((trainId) => {
    void jobs
      .enqueue([{ kind: 'merge_train', trainId }])
      .catch((error) => logger.warn({ err: error, train_id: trainId }, 'a train was not woken: the sweep will do it'));
  }, given.clock);
  const edges: MergeTrainEdges = {
    ...mergeRequests.edges,
    mergeTrains: mergeTrainStore(db),
    wakeTrainAt: timers.wakeAt,
  };
  const forecasting = composeForecasts(given, edges.mergeTrains);
  const useCases = observe('merge_requests', {
    addToMergeTrain: addToMergeTrain(edges, check),
    removeFromMergeTrain: removeFromMergeTrain(edges),
    controlMergeTrain: controlMergeTrain({ clock: edges.clock, trainControls: trainControlStore(db) }),
    forecastMergeTrain: forecastMergeTrain(forecasting.forecasts, forecasting.forecastOf),
    readTrainStatistics: readTrainStatistics({ clock: edges.clock, counters: trainCounterStore(db) }),
  });
  const background = observe('merge_requests.jobs', {
    mergeTrain: runMergeTrain(edges, landing),
    removeUnauthorizedCars: removeUnauthorizedCars(edges),
    trainRef: dropTrainRef(edges),
  });
  const sweepEveryMs = config.SWITCHYARD_RECOVERY_SECONDS * 1_000;
  const feed = composeMergeTrainFeed(db, config.SWITCHYARD_EXTERNAL_URL);
  async function sweep(): Promise<void> {
    const trains = await edges.mergeTrains.due();
    await jobs.enqueue(trains.map((trainId) => ({ kind: 'merge_train', trainId }) as const));
  }
  return {
    jobHandlers: {
      async merge_train({ trainId }) {
        return (await background.mergeTrain(trainId)) ? 'again' : undefined;
      },
      train_ref: ({ projectId, iid, sha }) => background.trainRef(projectId, iid, sha),
    },
    records: recordWriter(landingReceiptRecord, async (target, given) => {
      const people = await importedPeople(db, target, addersOf(given));
      return addImportedReceipts(db)(target.projectId, archiveSource, given.map(toImported(people)));
    }),
    services: [mergeTrainHandler(useCases, { db, externalUrl: config.SWITCHYARD_EXTERNAL_URL, feed })],
    start: () => [
      repeat('merge trains', sweepEveryMs, sweep),
      repeat('rights of merge trains', sweepEveryMs, background.removeUnauthorizedCars),
      startVerifyingLandings(given, repositories),
      feed.start(),
      { close: async () => timers.close() },
      startWatchingTrains(given),
      forecasting.start(),
    ],
    drain: () => feed.drain(),
  };
}

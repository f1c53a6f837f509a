import type { Repeating } from '@switchyard/background';
import { blobRemains, pruneBlobs } from '@switchyard/blobs';
import type { Area } from '@switchyard/service';
import type { BomPart } from '../boms';
import type { Edges } from '../edges';
import { expireReports } from './application/expire-reports';
import { purgeReports } from './application/purge-reports';
import { readInThread } from './application/read-in-thread';
import { readReport } from './application/read-report';
import { receiveReports } from './application/receive-report';
import type { ReportStore } from './application/reports.ports';
import { reportStore } from './storage/report.store';
import { reportMeasurements } from './storage/report-measurement.store';
import { reportHttp } from './transport/report.http';
import { reportTargetsOf } from './transport/report-targets.client';

/** What other areas use of reports. */
export interface Reports extends Area, Pick<ReportStore, 'ofPipelines'> {
  /** What a report says, piece by piece. Fails with `not_found` without its blob. */
  read(blob: string, signal: AbortSignal): AsyncGenerator<BomPart>;
  /** Starts the removal of blobs that are due. */
  pruneSoon(): void;
}

/** Builds the reports of pipelines, and the removal of blobs that no row names. */
export function composeReports({ db, blobs, config, peer, observe }: Edges): Reports {
  const remains = blobRemains(db);
  const store = reportStore(db);
  let pruning: Repeating | undefined;
  const pruneSoon = () => pruning?.soon();
  // Two exports are made at a time, and keep a thread while they write what it says: reports that come in have one more.
  const readText = readInThread(3);
  const targets = reportTargetsOf(peer('merge-requests'));
  const receiving = observe(
    'reports',
    receiveReports({
      ...{ db, blobs, remains, targets, pruneSoon },
      reports: store,
      readText,
    }),
  );
  return {
    http: reportHttp(receiving),
    ofPipelines: store.ofPipelines,
    read: readReport(blobs, readText),
    pruneSoon,
    start: () => {
      pruning = pruneBlobs({ db, remains, blobs });
      const days = config.SWITCHYARD_REPORT_RETENTION_DAYS;
      return [
        pruning,
        reportMeasurements.measure(db),
        purgeReports(store, pruneSoon),
        expireReports({ reports: store, targets, days, pruneSoon }),
      ];
    },
  };
}

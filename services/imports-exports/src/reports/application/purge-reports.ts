import { repeat } from '@switchyard/background';
import type { ReportStore } from './reports.ports';

/** Milliseconds between two runs: rows of deleted projects are hidden already, so it is not urgent. */
const interval = 60_000;

/** Rows of one statement; keeps its locks short. */
const batch = 500;

/** Removes the reports of deleted projects (D5), now and every minute; their blobs are pruned then. */
export const purgeReports = (reports: Pick<ReportStore, 'removeOrphans'>, pruneSoon: () => void) =>
  repeat('reports of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await reports.removeOrphans(batch)) > 0) pruneSoon();
  });

import { type Repeating, repeat } from '@switchyard/background';
import { faultPoint, faultPoints } from '@switchyard/events';
import { workLeased } from '../../leases';
import { type ArchiveFile, maxAttempts, type ProjectExportLease } from '../domain/project-export';
import type { ProjectExportStore } from './exports.ports';

faultPoints.push('project_export.ended');

/** Makes exports of projects that wait. One that a process left is made anew. */
export const workExports = (
  exports: ProjectExportStore,
  write: (one: ProjectExportLease, keepLease: () => Promise<void>) => Promise<ArchiveFile>,
  pruneSoon: () => void,
): Repeating =>
  workLeased<ProjectExportLease, ArchiveFile>({
    name: 'project exports',
    maxAttempts,
    leases: exports,
    otherwise: 'the export failed',
    make: write,
    async end(one, outcome) {
      await exports.end(one, outcome);
      faultPoint('project_export.ended');
      pruneSoon();
    },
  });

/** Milliseconds between two removals. */
const sweepEvery = 60_000;

/** Exports of one statement. */
const sweepBatch = 100;

/** Removes exports whose day is over, now and every minute. */
export const sweepExports = (exports: Pick<ProjectExportStore, 'sweep'>, pruneSoon: () => void): Repeating =>
  repeat('project exports that are over', sweepEvery, async (stopping) => {
    while (!stopping.aborted && (await exports.sweep(sweepBatch)) > 0) pruneSoon();
  });

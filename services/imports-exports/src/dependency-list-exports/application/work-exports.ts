import { type Repeating, repeat } from '@switchyard/background';
import { faultPoint, faultPoints } from '@switchyard/events';
import { workLeased } from '../../leases';
import { type ExportFile, type ExportSource, type ListSize, maxAttempts } from '../domain/dependency-list-export';
import type { ExportLease, SourceReading } from '../domain/export-work';
import type { ExportWork, PublishEnd } from './exports.ports';

faultPoints.push('dependency_export.planned', 'dependency_export.source_read', 'dependency_export.ended');

/** What a process works on exports with. */
export interface WorkingEdges {
  readonly work: ExportWork;
  /** Fixes what an export is made of. */
  readonly plan: (one: ExportLease, requestId: string) => Promise<void>;
  /** Reads a source; returns what has been read of the export then. */
  readonly read: (one: ExportLease, source: ExportSource, reading: SourceReading) => Promise<ListSize>;
  /** Writes and signs the file. */
  readonly write: (one: ExportLease, keepLease: () => Promise<void>) => Promise<ExportFile>;
  readonly publish: PublishEnd;
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
}

/**
 * Makes exports that wait: plans each, reads its sources, writes and signs its file. The export of a process that died
 * goes on at the step where it was.
 */
export const workExports = ({ work, plan, read, write, publish }: WorkingEdges): Repeating =>
  workLeased<ExportLease, ExportFile>({
    name: 'dependency list exports',
    maxAttempts,
    leases: work,
    otherwise: 'the export failed',
    async make(one, keepLease, signal) {
      const requestId = `dependency-list-export-${one.export.id}`;
      if (!one.planned) await plan(one, requestId);
      faultPoint('dependency_export.planned');
      let before = await work.sizeOf(one.export.id);
      for (const source of await work.sources(one.export.id, false)) {
        before = await read(one, source, { requestId, before, keepLease, signal });
        faultPoint('dependency_export.source_read');
      }
      return write(one, keepLease);
    },
    async end(one, outcome) {
      await work.end(one, outcome, publish);
      faultPoint('dependency_export.ended');
    },
  });

/** Milliseconds between two removals. */
const sweepEvery = 60_000;

/** Rows of one statement; keeps its locks short. */
const sweepBatch = 5_000;

/** Removes rows of work that has ended and exports whose hour is over, now and every minute (G-4.14-7). */
export const sweepExports = ({ work, pruneSoon }: Pick<WorkingEdges, 'work' | 'pruneSoon'>): Repeating =>
  repeat('dependency list exports that are over', sweepEvery, async (stopping) => {
    let swept = 0;
    while (!stopping.aborted) {
      const some = await work.sweep(sweepBatch);
      if (some === 0) break;
      swept += some;
    }
    if (swept > 0) pruneSoon();
  });

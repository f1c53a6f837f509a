import { type Repeating, repeat } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { type ExportFile, type ExportSource, maxAttempts } from '../domain/dependency-list-export';
import type { ExportLease } from '../domain/export-work';
import type { ExportWork, PublishEnd } from './exports.ports';

faultPoints.push('dependency_export.planned', 'dependency_export.source_read', 'dependency_export.ended');

/** Milliseconds between two looks for exports that another process left behind; a new one is begun at once. */
const interval = 15_000;

/** Milliseconds between two extensions of a lease: a sixth of it. */
const extendEvery = 5_000;

/** What a process works on exports with. */
export interface WorkingEdges {
  readonly work: ExportWork;
  readonly plan: (one: ExportLease, requestId: string) => Promise<void>;
  readonly read: (
    one: ExportLease,
    source: ExportSource,
    requestId: string,
    keepLease: () => Promise<void>,
  ) => Promise<void>;
  readonly write: (one: ExportLease, keepLease: () => Promise<void>) => Promise<ExportFile>;
  readonly publish: PublishEnd;
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
}

/** Another process has the export: this one stops, and writes nothing more. */
class LeaseLost extends Error {}

/** Kinds of failure that another try would not change, with what is said of them. */
const isFinal = (error: unknown): boolean => isAppError(error, 'invalid', 'invalid_params', 'too_large', 'not_found');

const problemOf = (error: unknown): string =>
  isAppError(error) ? String(error.body.error ?? error.body.message) : 'the export failed';

/**
 * Makes exports that wait, one after the other in a process: plans each, reads its sources, writes and signs its file.
 * Every step may be repeated, so that the export of a process that died goes on at the step where it was (D6).
 */
export function workExports(edges: WorkingEdges): Repeating {
  const { work, plan, read, write, publish } = edges;

  async function make(one: ExportLease, stopping: AbortSignal): Promise<ExportFile> {
    const requestId = `dependency-list-export-${one.export.id}`;
    let extendedAt = Date.now();
    const keepLease = async (): Promise<void> => {
      if (stopping.aborted) throw new LeaseLost();
      if (Date.now() - extendedAt < extendEvery) return;
      extendedAt = Date.now();
      if (!(await work.extend(one))) throw new LeaseLost();
    };
    if (!one.planned) await plan(one, requestId);
    faultPoint('dependency_export.planned');
    for (const source of await work.sources(one.export.id, false)) {
      await read(one, source, requestId, keepLease);
      faultPoint('dependency_export.source_read');
    }
    return write(one, keepLease);
  }

  async function workOn(one: ExportLease, stopping: AbortSignal): Promise<void> {
    let outcome: { file: ExportFile } | { problem: string };
    try {
      // It ended its process each time, or nobody could finish it.
      if (one.attempt > maxAttempts) throw new Error('it was tried too often');
      outcome = { file: await make(one, stopping) };
    } catch (error) {
      if (error instanceof LeaseLost) return work.release(one, 0);
      const { id } = one.export;
      logger.warn({ err: error, export: id, attempt: one.attempt }, 'a dependency list could not be exported');
      if (!isFinal(error) && one.attempt < maxAttempts) return work.release(one, 2 ** one.attempt);
      outcome = { problem: problemOf(error) };
    }
    await work.end(one, outcome, publish);
    faultPoint('dependency_export.ended');
  }

  return repeat('dependency list exports', interval, async (stopping) => {
    while (!stopping.aborted) {
      const one = await work.claim();
      if (one === undefined) return;
      await workOn(one, stopping);
    }
  });
}

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

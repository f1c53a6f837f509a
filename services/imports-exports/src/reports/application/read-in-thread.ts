import { invalidParams } from '@switchyard/errors';
import { type BomPart, type FoundInReport, type JsonPart, readCycloneDx } from '../../boms';
import { inThreads, ThreadOverrun } from '../../threads';

/** A part of 4 MiB needs a second, and 200 MiB of heap at most. */
const limits = { milliseconds: 60_000, mebibytes: 256 };

const never = new AbortController().signal;

/**
 * Reads reports in threads, of each what has come: a sender who is slow keeps no thread. Fails with `invalid_params` for
 * what is no report, and for what takes more than a minute or 256 MiB of heap to be read.
 * @param most threads at a time
 */
export function readInThread(most: number) {
  const read = inThreads<readonly JsonPart[], FoundInReport>('reports/application/report.worker.js', {
    ...limits,
    most,
  });
  return async function* (text: AsyncIterable<Uint8Array>, signal: AbortSignal = never): AsyncGenerator<BomPart> {
    try {
      yield* readCycloneDx(text, (parts) => read(parts, signal));
    } catch (error) {
      throw error instanceof ThreadOverrun ? invalidParams('file takes too much time or memory to be read') : error;
    }
  };
}

/** What `readInThread` gives. */
export type ReadReportText = ReturnType<typeof readInThread>;

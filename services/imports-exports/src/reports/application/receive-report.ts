import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { AppError, isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { fileNameOf, maxReportBytes, type NewReport, type Report } from '../domain/report';
import type { ReadReportText } from './read-in-thread';
import type { ReportStore, ReportTargets } from './reports.ports';
import { unpacked } from './unpack';

faultPoints.push('report.expected', 'report.stored', 'report.committed');

/** What a report is received with. */
export interface ReceivingEdges {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly remains: BlobRemains;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly readText: ReadReportText;
  readonly targets: ReportTargets;
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
}

/** Where a report belongs, and who sends it. */
export interface ReportPlace {
  readonly projectId: number;
  readonly pipelineId: number;
  /** 0 for none. */
  readonly jobId: number;
  readonly authorId: number;
  readonly requestId: string;
}

/** Builds the receiving of reports. */
export function receiveReports({ db, blobs, remains, reports, readText, targets, pruneSoon }: ReceivingEdges) {
  /** Reads a report to its end. @returns how many components it names, and the bytes of its text */
  async function count(content: AsyncIterable<Uint8Array>, format?: 'raw' | 'gzip') {
    let [components, textSize] = [0, 0];
    async function* text(): AsyncGenerator<Uint8Array> {
      for await (const chunk of unpacked(content, format)) {
        textSize += chunk.length;
        yield chunk;
      }
    }
    for await (const part of readText(text())) if (part.kind === 'component') components += 1;
    return { components, textSize };
  }

  async function store(blob: string, content: AsyncIterable<Uint8Array>, format?: 'raw' | 'gzip') {
    const digest = createHash('sha256');
    const copy = new PassThrough();
    const counting = count(copy, format);
    // It is awaited below, when all has been stored.
    counting.catch(() => copy.resume());
    let size = 0;
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > maxReportBytes) throw new AppError('too_large');
        digest.update(chunk);
        if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), counting]);
        yield chunk;
      }
      copy.end();
      await counting;
    }
    await remains.expect(blob);
    faultPoint('report.expected');
    try {
      await blobs.write(blob, measured());
    } catch (error) {
      throw isAppError(error) ? error : unavailable(error);
    } finally {
      copy.destroy();
    }
    faultPoint('report.stored');
    return { size, sha256: digest.digest('hex'), ...(await counting) };
  }

  const keep = async (report: NewReport): Promise<Report> => {
    const kept = await db.transaction((tx) => reports.add(tx, report));
    if (kept === undefined) throw unavailable('the blob of a report was pruned before it was kept');
    faultPoint('report.committed');
    return kept;
  };

  return {
    /** Fails with `not_found` unless the project has the pipeline. */
    requirePlace: ({ projectId, pipelineId, requestId }: ReportPlace): Promise<void> =>
      targets.requirePipeline(projectId, pipelineId, requestId),

    /**
     * Stores a report as it comes and reads it in the same pass, in memory that does not depend on its size. Nothing is
     * kept when it fails: with `invalid_params`, which names what is wrong with it, with `too_large` above 100 MB, packed
     * or not, and with `unavailable`.
     */
    async receive(
      { requestId: _, ...place }: ReportPlace,
      written: string,
      content: AsyncIterable<Uint8Array>,
      format?: 'raw' | 'gzip',
    ): Promise<Report> {
      const blob = `reports/${randomUUID()}`;
      const fileName = fileNameOf(written);
      try {
        return await keep({ ...place, fileName, blob, ...(await store(blob, content, format)) });
      } catch (error) {
        // If this fails too, the blob is pruned after an hour.
        await remains.discard(blob).then(pruneSoon, () => undefined);
        throw error;
      }
    },
  };
}

/** What `receiveReports` gives. */
export type ReceiveReports = ReturnType<typeof receiveReports>;

import { createHash } from 'node:crypto';
import type { Content } from '@switchyard/blobs';
import { isAppError } from '@switchyard/errors';
import { type Outbound, OutboundRefused, type OutboundStream } from '@switchyard/outbound';
import { foreignName, type MissedFile, missed, missedBy } from '../domain/foreign-file';
import type { Upload } from '../domain/upload';
import type { Uploads } from './manage-uploads';
import type { UploadStore } from './upload.ports';

/** Milliseconds for one file: 100 MiB at 3 Mbit/s. */
const fileMs = 300_000;
/** Milliseconds in which a forge has to begin its answer, and to go on with it. */
const waitMs = 30_000;

/** A file at a forge. */
export interface ForeignFile {
  readonly projectId: number;
  /** Names it among those of the project. */
  readonly source: string;
  readonly url: string;
  /** Header that goes to the host of the address alone; empty for none. */
  readonly authorization: string;
  readonly uploaderId: number | undefined;
}

/** Fetches a file, or gives the one that has come over before. Ended by a signal it fails. */
export type ImportUpload = (file: ForeignFile, signal: AbortSignal) => Promise<Upload | MissedFile>;

const mayPass = new Set<OutboundRefused['reason']>(['timeout', 'unreachable']);

function missedFor(refused: OutboundRefused, limit: number): MissedFile {
  if (refused.reason === 'too_large') return missed(`The file has more than ${limit} bytes`);
  return { reason: refused.message, mayPass: mayPass.has(refused.reason), retryAfter: 0 };
}

/** Leaves an answer whose body is not wanted: only one that was begun can be left. */
async function leave({ body }: OutboundStream): Promise<void> {
  try {
    for await (const _ of body) return;
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
  }
}

/** Builds the import of files. */
export function importUpload(edges: {
  readonly outbound: Outbound;
  readonly uploads: Pick<UploadStore, 'findSource'>;
  readonly keep: Uploads['keep'];
  /** Bytes of the largest file. */
  readonly limit: number;
}): ImportUpload {
  const { outbound, uploads, keep, limit } = edges;
  return async ({ projectId, source: named, url, authorization, uploaderId }, signal) => {
    const source = createHash('sha256').update(named).digest('hex');
    const known = await uploads.findSource(projectId, source);
    if (known !== undefined) return known;
    let broken: OutboundRefused | undefined;
    const noticed = (error: unknown): never => {
      if (error instanceof OutboundRefused) broken = error;
      throw error;
    };
    async function* bodyOf({ body }: OutboundStream): Content {
      try {
        yield* body;
      } catch (error) {
        noticed(error);
      }
    }
    try {
      const headers = { 'User-Agent': 'switchyard', ...(authorization === '' ? {} : { Authorization: authorization }) };
      const limits = { headMs: waitMs, idleMs: waitMs, maxResponseBytes: limit };
      const ends = AbortSignal.any([signal, AbortSignal.timeout(fileMs)]);
      const answer = await outbound.stream({ method: 'GET', url, headers }, { ...limits, signal: ends }).catch(noticed);
      const refused = missedBy({ ...answer, url }, limit);
      if (refused !== undefined) {
        await leave(answer);
        return refused;
      }
      const nameFor = (found: Pick<Upload, 'contentType'>): string => foreignName(url, answer.headers, found);
      return await keep({ projectId, uploaderId, source, nameFor }, bodyOf(answer));
    } catch (error) {
      signal.throwIfAborted();
      if (broken !== undefined) return missedFor(broken, limit);
      if (isAppError(error, 'too_large')) return missed(`The file has more than ${limit} bytes`);
      throw error;
    }
  };
}

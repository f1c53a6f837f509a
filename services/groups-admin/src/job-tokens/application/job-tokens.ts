import type { Tx } from '@switchyard/database';
import { conflict, notFound } from '@switchyard/errors';
import { generateToken, type TokenDigest } from '../../tokens';

/** Milliseconds after which a job token ends, whatever becomes of its pipeline. */
const lifetimeMs = 24 * 3_600_000;

/** Rows that one sweep takes at the most. */
const batch = 1_000;

/** A run of a pipeline, and the user who caused it. */
export interface JobTokenRequest {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly run: number;
  readonly userId: number;
}

/** Job tokens in the database. */
export interface JobTokenStore {
  /** `ended` when the run is over, `missing` when the project or user is gone. */
  create(token: JobTokenRequest & { digest: Buffer; expiresAt: Date }): Promise<'stored' | 'ended' | 'missing'>;
  /** Ends the tokens of a run and of those before it, now and for requests that are still to come. */
  end(tx: Pick<Tx, 'query'>, pipelineId: number, run: number): Promise<void>;
  /** Deletes up to `limit` tokens that have expired; returns how many rows. */
  prune(limit: number): Promise<number>;
}

/** Job tokens (G-5-13). Who may have one is decided by the service that owns pipelines. */
export const jobTokens = (store: JobTokenStore, digest: TokenDigest) => ({
  /** @throws AppError conflict when the run has ended; not_found when the project or user is gone */
  async issue(request: JobTokenRequest): Promise<{ token: string; expiresAt: Date }> {
    const token = generateToken('job');
    const expiresAt = new Date(Date.now() + lifetimeMs);
    const outcome = await store.create({ ...request, digest: digest(token), expiresAt });
    if (outcome === 'ended') throw conflict('The pipeline has finished');
    if (outcome === 'missing') throw notFound('User');
    return { token, expiresAt };
  },

  end: (tx: Pick<Tx, 'query'>, pipelineId: number, run: number): Promise<void> => store.end(tx, pipelineId, run),

  /** Deletes what has expired until nothing is left or `signal` is aborted; returns how many rows. */
  async prune(signal?: AbortSignal): Promise<number> {
    let done = 0;
    for (let count = 1; count > 0 && signal?.aborted !== true; done += count) count = await store.prune(batch);
    return done;
  },
});

/** Use cases of job tokens. */
export type JobTokens = ReturnType<typeof jobTokens>;

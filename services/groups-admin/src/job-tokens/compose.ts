import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { TokenDigest } from '../tokens';
import { jobTokens } from './application/job-tokens';
import { jobTokenStore } from './storage/job-token.store';
import { jobTokenHandler } from './transport/job-token.handler';
import { pipelineSubscription } from './transport/pipeline.subscription';

/** Milliseconds between two searches for tokens that have expired; they count as absent since then. */
const pruneIntervalMs = 600_000;

/** Job tokens, and what ends them. */
export function composeJobTokens({ db, observe }: Pick<Edges, 'db' | 'observe'>, digest: TokenDigest): Area {
  const useCases = observe('job-tokens', jobTokens(jobTokenStore(db), digest));
  return {
    services: [jobTokenHandler(useCases)],
    consumers: [{ group: 'groups-admin.job-tokens', subscriptions: [pipelineSubscription(useCases)] }],
    start: () => [repeat('expired job tokens', pruneIntervalMs, useCases.prune)],
  };
}

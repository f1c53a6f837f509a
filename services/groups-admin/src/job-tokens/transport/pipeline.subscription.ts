import { type AnySubscription, pipelineEvents, subscription } from '@switchyard/events';
import type { JobTokens } from '../application/job-tokens';

/** Job tokens end with the run of their pipeline, each event once (D6). */
export const pipelineSubscription = (tokens: Pick<JobTokens, 'end'>): AnySubscription =>
  subscription({
    event: pipelineEvents,
    async handle({ pipelineId, fact }, tx) {
      if (fact?.$case === 'runEnded') await tokens.end(tx, pipelineId, fact.value.run);
    },
  });

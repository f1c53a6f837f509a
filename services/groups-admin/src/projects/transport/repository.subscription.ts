import { type AnySubscription, repositoryPushed, subscription } from '@switchyard/events';
import type { followPushes } from '../application/follow-pushes';

/** Pushes are recorded on their projects, each once (D6). */
export const repositorySubscription = (follow: ReturnType<typeof followPushes>): AnySubscription =>
  subscription({
    event: repositoryPushed,
    handle: ({ projectId, occurredAt, defaultBranch, readmePath }, tx, { time }) =>
      follow(tx, {
        projectId,
        at: occurredAt ?? time,
        readmePath: defaultBranch ? { now: readmePath || undefined } : undefined,
      }),
  });

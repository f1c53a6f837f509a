import { type AnySubscription, repositoryCopied, subscription } from '@switchyard/events';
import type { ForkStore } from '../application/fork-project';

/** The end of the copy of a fork's repository is recorded on the fork, each once (D6). */
export const copySubscription = (record: ForkStore['copied']): AnySubscription =>
  subscription({
    event: repositoryCopied,
    handle: ({ projectId, error, readmePath, defaultBranch, missingBranch }, tx) =>
      record(tx, projectId, {
        error: error || undefined,
        readmePath: readmePath || undefined,
        defaultBranch: defaultBranch === '' ? undefined : { name: defaultBranch, missing: missingBranch },
      }),
  });

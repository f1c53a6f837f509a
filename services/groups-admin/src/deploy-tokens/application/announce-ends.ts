import { repeat } from '@switchyard/background';
import { noticeDays } from '../../tokens';

/** Milliseconds between two searches for deploy tokens that end soon. */
const interval = 3_600_000;

/** Tokens that one transaction takes at the most. */
const batch = 100;

/** Publishes which deploy tokens end soon, as of the other tokens; several replicas may do it at once. */
export const announceEnds = (publishExpiring: (days: number, limit: number) => Promise<number>) =>
  repeat('deploy tokens that end', interval, async (stopping) => {
    while (!stopping.aborted && (await publishExpiring(noticeDays, batch)) === batch);
  });

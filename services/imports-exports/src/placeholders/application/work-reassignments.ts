import type { Repeating } from '@switchyard/background';
import { faultPoint, faultPoints } from '@switchyard/events';
import { workLeased } from '../../leases';
import type { PlaceholderLease } from '../domain/placeholder';
import type { AuthorPlaces, PlaceholderStore } from './placeholders.ports';

faultPoints.push('import_placeholder.rewritten', 'import_placeholder.removed', 'import_placeholder.reassigned');

/** Longest pause in seconds: a service that is away comes back. */
const longestPause = 300;

/** Puts users in the places of placeholders, part by part; each part may be repeated, and none is given up. */
export const workReassignments = (
  placeholders: Pick<PlaceholderStore, 'claim' | 'extend' | 'release' | 'settle'>,
  places: Pick<AuthorPlaces, 'reassign' | 'remove'>,
): Repeating =>
  workLeased<PlaceholderLease, undefined>({
    name: 'reassigned placeholders',
    maxAttempts: Number.POSITIVE_INFINITY,
    leases: placeholders,
    async make({ projectId, userId, targetId }, keepLease) {
      while (await places.reassign({ projectId, fromUserId: userId, toUserId: targetId })) {
        faultPoint('import_placeholder.rewritten');
        await keepLease();
      }
      // Nothing is written in its name any more.
      await places.remove(projectId, userId);
      faultPoint('import_placeholder.removed');
      return undefined;
    },
    async end(one) {
      await placeholders.settle(one);
      faultPoint('import_placeholder.reassigned');
    },
    otherwise: 'The placeholder was not reassigned',
    judge: (_, { attempt }) => ({
      isFinal: false,
      text: undefined,
      pause: Math.min(longestPause, 2 ** Math.min(attempt, 10)),
    }),
  });

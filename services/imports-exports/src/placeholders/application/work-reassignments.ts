import type { Repeating } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { pauseAfter, workLeased } from '../../leases';
import type { PlaceholderLease } from '../domain/placeholder';
import type { AuthorPlaces, PlaceholderStore } from './placeholders.ports';

faultPoints.push('import_placeholder.rewritten', 'import_placeholder.removed', 'import_placeholder.reassigned');

/** Puts users in the places of placeholders, part by part; each part may be repeated, and none is given up. */
export const workReassignments = (
  placeholders: Pick<PlaceholderStore, 'claim' | 'extend' | 'release' | 'settle'>,
  places: Pick<AuthorPlaces, 'reassign' | 'importMembers' | 'remove'>,
): Repeating => {
  /** Gives who takes a place the role that the person has at the forge, as far as who imported may give it today. */
  async function admit({ projectId, level, targetId, importerId, importerIsAdmin }: PlaceholderLease): Promise<void> {
    const by = { userId: importerId, admin: importerIsAdmin };
    try {
      await places.importMembers({ projectId }, by, [{ userId: targetId, level }], 'import-placeholders');
    } catch (error) {
      // The project may be gone; the place is taken all the same.
      if (!isAppError(error, 'not_found')) throw error;
    }
  }

  return workLeased<PlaceholderLease, undefined>({
    name: 'reassigned placeholders',
    maxAttempts: Number.POSITIVE_INFINITY,
    leases: placeholders,
    async make(one, keepLease) {
      const { projectId, userId, targetId } = one;
      while (await places.reassign({ projectId, fromUserId: userId, toUserId: targetId })) {
        faultPoint('import_placeholder.rewritten');
        await keepLease();
      }
      if (one.level > 0) await admit(one);
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
    judge: (_, { attempt }) => ({ isFinal: false, text: undefined, pause: pauseAfter(attempt) }),
  });
};

import { repeat } from '@switchyard/background';
import { forbidden } from '@switchyard/errors';
import type { IssueCaller } from '../../issues';
import { mayDeleteEpic } from '../domain/epic';
import { decideDeletion } from '../domain/epic-change';
import type { EpicEdges, EpicNumber, EpicStore } from './epic.ports';
import { visibleEpic } from './read-epic';

/**
 * Removes an epic for good (G-4.18-3). Fails with `not_found`, `forbidden`; with `precondition_failed` when it changed
 * after `unmodifiedSince`.
 */
export const deleteEpic =
  (edges: Pick<EpicEdges, 'epics'>) =>
  async (caller: IssueCaller, key: EpicNumber, unmodifiedSince: Date | undefined): Promise<void> => {
    const { epic } = await visibleEpic(edges, caller, key);
    if (!mayDeleteEpic(caller)) throw forbidden();
    await edges.epics.change(epic.id, caller.userId, (locked) => decideDeletion(locked, unmodifiedSince), {
      trees: true,
    });
  };

/** Epics of a user who was deleted with what they wrote: each is deleted with everything on it. No user does it. */
export const authoredEpics = (epics: Pick<EpicStore, 'authoredBy' | 'change'>) => ({
  name: 'epics',
  of: (userId: number) => ({
    next: (after: number, limit: number) => epics.authoredBy(userId, after, limit),
    work: ({ id }: { readonly id: number }) =>
      epics.change(id, 0, (locked) => decideDeletion(locked, undefined), { trees: true }),
  }),
});

/** Milliseconds between two purges: what is purged is hidden already, so it is not urgent. */
const interval = 60_000;

/** Epics one statement removes; keeps its locks short. */
const batch = 500;

/** Purges the epics of deleted groups (D5), now and every minute. */
export const purgeEpics = (epics: Pick<EpicStore, 'removeOrphans'>) =>
  repeat('epics of deleted groups', interval, async (stopping) => {
    while (!stopping.aborted && (await epics.removeOrphans(batch)) > 0);
  });

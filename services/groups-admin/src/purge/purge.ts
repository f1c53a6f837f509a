import type { Database, Tx } from '@switchyard/database';
import { appendAllToOutbox, projectEvents } from '@switchyard/events';
import {
  labelChanges,
  membershipChanges,
  milestoneChanges,
  namespaceChanges,
  projectChanges,
  recordDirectoryChange,
} from '../directory';
import { noteRemoved } from '../members';
import type { Contents, PurgeStore } from './purge.store';

/** Projects or namespaces one transaction deletes at the most, so that it holds the directory's sequence for milliseconds. */
const batch = 50;

/** What goes with the projects or namespaces it lies in. */
const changesInside = async (tx: Tx, { memberships, labels, milestones }: Contents) => [
  ...(await membershipChanges(
    tx,
    memberships.map(({ id }) => id),
    true,
  )),
  ...(await labelChanges(tx, labels, true)),
  ...(await milestoneChanges(tx, milestones, true)),
];

/**
 * Deletes what is marked for deletion and due (D5): projects first, in batches, then namespaces from the leaves up. Everything
 * deleted is a change of the directory; `project.deleted` tells other services to purge what they hold.
 * @param delayDays days between mark and purge
 */
export const purge = ({ db, store, delayDays }: { db: Database; store: PurgeStore; delayDays: number }) => {
  const projects = (): Promise<number> =>
    db.transaction(async (tx) => {
      const ids = await store.dueProjects(tx, delayDays, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inProjects(tx, ids);
      const changes = [...(await changesInside(tx, inside)), ...(await projectChanges(tx, ids, true))];
      await store.deleteProjects(tx, ids);
      await appendAllToOutbox(
        tx,
        projectEvents,
        ids.map((id) => ({
          id: `project_deleted:${id}`,
          payload: { projectId: id, actorId: 0, occurredAt: new Date(), fact: { $case: 'deleted', value: {} } },
        })),
      );
      const sequence = await recordDirectoryChange(tx, changes);
      await noteRemoved(tx, inside.memberships, { actorId: 0, reason: 'parent_deleted', sequence });
      return ids.length;
    });

  const namespaces = (): Promise<number> =>
    db.transaction(async (tx) => {
      const ids = await store.dueNamespaces(tx, delayDays, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inNamespaces(tx, ids);
      const changes = [...(await changesInside(tx, inside)), ...(await namespaceChanges(tx, ids, true))];
      await store.deleteNamespaces(tx, ids);
      const sequence = await recordDirectoryChange(tx, changes);
      await noteRemoved(tx, inside.memberships, { actorId: 0, reason: 'parent_deleted', sequence });
      return ids.length;
    });

  /** Purges until nothing is due or `signal` is aborted; says how much was deleted. */
  return async (signal?: AbortSignal): Promise<number> => {
    let deleted = 0;
    for (const step of [projects, namespaces]) {
      for (let done = 1; done > 0 && signal?.aborted !== true; deleted += done) done = await step();
    }
    return deleted;
  };
};

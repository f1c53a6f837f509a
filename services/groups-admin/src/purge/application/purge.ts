import type { Tx } from '@switchyard/database';
import { appendAllToOutbox, projectEvents } from '@switchyard/events';
import type { DirectoryTx, Transact } from '../../directory';
import { publishMemberRemoved } from '../../members';
import type { Contents } from '../domain/contents';

/** What the purge reads and deletes; several replicas may purge at once and take different rows. */
export interface PurgeStore {
  /** Locks due projects: marked themselves, or below a marked namespace. */
  dueProjects(tx: Tx, delayDays: number, limit: number): Promise<number[]>;
  /** Locks due namespaces that hold nothing any more, deepest first. */
  dueNamespaces(tx: Tx, delayDays: number, limit: number): Promise<number[]>;
  inProjects(tx: Tx, projects: readonly number[]): Promise<Contents>;
  inNamespaces(tx: Tx, namespaces: readonly number[]): Promise<Contents>;
  /** Deletes locked projects with what lies in them. */
  deleteProjects(tx: DirectoryTx, projects: readonly number[], inside: Contents): Promise<void>;
  /** Deletes locked namespaces, which hold no project and no group, with what lies in them. */
  deleteNamespaces(tx: DirectoryTx, namespaces: readonly number[], inside: Contents): Promise<void>;
}

/**
 * Projects or namespaces one transaction deletes at the most, so that it holds the directory's sequence for
 * milliseconds.
 */
const batch = 50;

const publishDeleted = (tx: Tx, ids: readonly number[]): Promise<void> =>
  appendAllToOutbox(
    tx,
    projectEvents,
    ids.map((id) => ({
      id: `project_deleted:${id}`,
      payload: { projectId: id, actorId: 0, occurredAt: new Date(), fact: { $case: 'deleted', value: {} } },
    })),
  );

const endMemberships = (tx: DirectoryTx, { memberships }: Contents): void =>
  tx.withSequence((sequence) =>
    publishMemberRemoved(tx, memberships, { actorId: 0, reason: 'parent_deleted', sequence }),
  );

/**
 * Deletes what is marked for deletion and due (D5): projects first, in batches, then namespaces from the leaves up.
 * Everything deleted is a change of the directory; after `project.deleted`, other services purge what they hold.
 * @param delayDays days between mark and purge
 */
export const purge = ({
  transaction,
  store,
  delayDays,
}: {
  transaction: Transact;
  store: PurgeStore;
  delayDays: number;
}) => {
  const projects = (): Promise<number> =>
    transaction(async (tx) => {
      const ids = await store.dueProjects(tx, delayDays, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inProjects(tx, ids);
      await store.deleteProjects(tx, ids, inside);
      await publishDeleted(tx, ids);
      endMemberships(tx, inside);
      return ids.length;
    });

  const namespaces = (): Promise<number> =>
    transaction(async (tx) => {
      const ids = await store.dueNamespaces(tx, delayDays, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inNamespaces(tx, ids);
      await store.deleteNamespaces(tx, ids, inside);
      endMemberships(tx, inside);
      return ids.length;
    });

  /** Purges until nothing is due or `signal` is aborted; returns how many rows were deleted. */
  return async (signal?: AbortSignal): Promise<number> => {
    let deleted = 0;
    for (const step of [projects, namespaces]) {
      for (let done = 1; done > 0 && signal?.aborted !== true; deleted += done) done = await step();
    }
    return deleted;
  };
};

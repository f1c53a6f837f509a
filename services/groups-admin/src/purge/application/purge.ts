import type { Tx } from '@switchyard/database';
import { appendAllToOutbox, projectEvents } from '@switchyard/events';
import type { DirectoryTx, Transact } from '../../directory';
import { type GroupState, publishGroups } from '../../groups';
import { publishMemberRemoved } from '../../members';
import { publishShareRemoved } from '../../shares';
import type { Contents, ProjectState } from '../domain/contents';

/** What the purge reads and deletes; several replicas may purge at once and take different rows. */
export interface PurgeStore {
  /** Begins the purge of what was marked `delayDays` days ago: from now on no one restores it. */
  begin(tx: DirectoryTx, delayDays: number): Promise<void>;
  /** Removes the relations of forks to projects whose purge has begun, at most `limit`; returns of how many forks. */
  unlinkForks(tx: DirectoryTx, limit: number): Promise<number>;
  /** Locks projects whose purge has begun: their own, or that of a namespace above. */
  dueProjects(tx: Tx, limit: number): Promise<number[]>;
  /** Locks namespaces whose purge has begun and that hold nothing any more, deepest first. */
  dueNamespaces(tx: Tx, limit: number): Promise<number[]>;
  /** What hooks say of projects, by id. */
  projectStates(tx: Tx, projects: readonly number[]): Promise<ReadonlyMap<number, ProjectState>>;
  /** What hooks say of the groups among namespaces, by id. */
  groupStates(tx: Tx, namespaces: readonly number[]): Promise<ReadonlyMap<number, GroupState>>;
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
/** Forks that one transaction unlinks at the most, for the same reason. */
const forkBatch = 500;

const publishDeleted = (tx: Tx, ids: readonly number[], were: ReadonlyMap<number, ProjectState>): Promise<void> =>
  appendAllToOutbox(
    tx,
    projectEvents,
    ids.map((id) => ({
      id: `project_deleted:${id}`,
      payload: {
        projectId: id,
        actorId: 0,
        occurredAt: new Date(),
        fact: { $case: 'deleted', value: { project: were.get(id) } },
        directorySequence: 0,
      },
    })),
  );

const publishGroupsDeleted = (tx: DirectoryTx, were: ReadonlyMap<number, GroupState>): void =>
  publishGroups(
    tx,
    [...were].map(([id, group]) => ({ id, group, fact: { $case: 'deleted', value: {} } })),
    0,
  );

const publishEnded = (tx: DirectoryTx, { memberships, shares }: Contents): void =>
  tx.withSequence(async (sequence) => {
    const ended = { actorId: 0, reason: 'parent_deleted', sequence } as const;
    await publishMemberRemoved(tx, memberships, ended);
    await publishShareRemoved(tx, shares, ended);
  });

/**
 * Deletes what is marked for deletion and due (D5): projects first, in batches, then namespaces from the leaves up.
 * Everything deleted is a change of the directory; after `project.deleted`, other services purge what they hold.
 * @param delayDays gives the days between mark and purge, as they are set now
 */
export const purge = ({
  transaction,
  store,
  delayDays,
}: {
  transaction: Transact;
  store: PurgeStore;
  delayDays(): Promise<number>;
}) => {
  const projects = (): Promise<number> =>
    transaction(async (tx) => {
      const ids = await store.dueProjects(tx, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inProjects(tx, ids);
      const were = await store.projectStates(tx, ids);
      await store.deleteProjects(tx, ids, inside);
      await publishDeleted(tx, ids, were);
      publishEnded(tx, inside);
      return ids.length;
    });

  const namespaces = (): Promise<number> =>
    transaction(async (tx) => {
      const ids = await store.dueNamespaces(tx, batch);
      if (ids.length === 0) return 0;
      const inside = await store.inNamespaces(tx, ids);
      const were = await store.groupStates(tx, ids);
      await store.deleteNamespaces(tx, ids, inside);
      publishGroupsDeleted(tx, were);
      publishEnded(tx, inside);
      return ids.length;
    });

  /** Purges until nothing is due or `signal` is aborted; returns how many rows were deleted. */
  return async (signal?: AbortSignal): Promise<number> => {
    const delay = await delayDays();
    let deleted = 0;
    await transaction((tx) => store.begin(tx, delay));
    for (let unlinked = 1; unlinked > 0 && signal?.aborted !== true; ) {
      unlinked = await transaction((tx) => store.unlinkForks(tx, forkBatch));
    }
    for (const step of [projects, namespaces]) {
      for (let done = 1; done > 0 && signal?.aborted !== true; deleted += done) done = await step();
    }
    return deleted;
  };
};

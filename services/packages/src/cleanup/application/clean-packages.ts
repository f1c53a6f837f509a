import { repeat } from '@switchyard/background';
import type { Database, Tx } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import { levels } from '@switchyard/rights';
import type { CleanupPolicy, ExpiredPackage, RunningPolicy, ScheduledPolicy } from '../domain/cleanup-policy';

faultPoints.push('package.cleaned');

/** Milliseconds between two searches for due policies. */
const interval = 60_000;

/** Packages that one transaction looks at. */
const batch = 100;

/** Policies as rows. */
export interface CleanupPolicyStore {
  /** The policy of a project. */
  get(projectId: number): Promise<ScheduledPolicy>;
  /** Changes the given parts; a policy that removes something runs soon, from the start. Returns all parts after it. */
  change(projectId: number, change: Partial<CleanupPolicy>): Promise<ScheduledPolicy>;
  /** Locks a due policy; those that are locked, and those of archived projects, are passed over. */
  lockDue(tx: Tx): Promise<RunningPolicy | undefined>;
  /** The greatest id of the next `limit` packages of a run; undefined at its end. */
  nextPart(tx: Tx, policy: RunningPolicy, limit: number): Promise<number | undefined>;
  /**
   * Packages up to an id with more files of one name than the policy keeps, locked before the files are deleted, as by a
   * publication: two cannot each keep the other's.
   */
  withDuplicates(tx: Tx, policy: RunningPolicy, until: number): Promise<ExpiredPackage[]>;
  /** Deletes the duplicated files of packages; returns how many. */
  deleteFiles(tx: Tx, policy: RunningPolicy, packageIds: readonly number[]): Promise<number>;
  /** Packages up to an id that the policy has removed, locked. */
  expired(tx: Tx, policy: RunningPolicy, until: number): Promise<ExpiredPackage[]>;
  /** Records how far a run has come; without `until` it is over, and the next one is in a day. */
  proceed(tx: Tx, projectId: number, until: number | undefined): Promise<void>;
}

/** What cleaning works with. */
export interface CleaningEdges {
  readonly db: Database;
  readonly policies: CleanupPolicyStore;
  /** Whether protection rules let a user with a level delete a package. */
  readonly mayRemove: (
    tx: Tx,
    projectId: number,
    named: Pick<ExpiredPackage, 'format' | 'name'>,
    level: number,
  ) => Promise<boolean>;
  /** Deletes a package as a user with a level would; false where a protection rule forbids it. */
  readonly removePackage: (tx: Tx, projectId: number, expired: ExpiredPackage, level: number) => Promise<boolean>;
  /** Has the packages of a project measured, within the transaction. */
  readonly measureSoon: (tx: Tx, projectId: number) => Promise<unknown>;
  /** Starts the removal of what was deleted. */
  readonly destroySoon: () => void;
}

/**
 * Cleans a part of one project as its policy says, in one transaction: after a death it goes on where it was. False when
 * no policy is due. Those who set policies are Maintainers, so what only a higher role may delete stays.
 */
export async function cleanPart(edges: CleaningEdges): Promise<boolean> {
  const { db, policies, mayRemove, removePackage, measureSoon } = edges;
  return db.transaction(async (tx) => {
    const policy = await policies.lockDue(tx);
    if (policy === undefined) return false;
    const { projectId } = policy;
    const until = await policies.nextPart(tx, policy, batch);
    if (until !== undefined) {
      const duplicated: number[] = [];
      for (const one of await policies.withDuplicates(tx, policy, until))
        if (await mayRemove(tx, projectId, one, levels.maintainer)) duplicated.push(one.id);
      if ((await policies.deleteFiles(tx, policy, duplicated)) > 0) await measureSoon(tx, projectId);
      for (const expired of await policies.expired(tx, policy, until))
        await removePackage(tx, projectId, expired, levels.maintainer);
    }
    await policies.proceed(tx, projectId, until);
    faultPoint('package.cleaned');
    return true;
  });
}

/** Cleans packages once a day, part by part. */
export const cleanPackages = (edges: CleaningEdges) =>
  repeat('cleanup of packages', interval, async (stopping) => {
    let cleaned = false;
    while (!stopping.aborted && (await cleanPart(edges))) cleaned = true;
    if (cleaned) edges.destroySoon();
  });

import type { SqlExecutor } from '@switchyard/database';
import type { DirectoryRowChange } from './directory-change';
import {
  instanceChanges,
  labelChanges,
  membershipChanges,
  milestoneChanges,
  namespaceChanges,
  projectChanges,
  shareChanges,
} from './directory-rows';
import { tombstoneChanges, userChanges } from './directory-user-rows';

/** What the directory holds rows of. */
export type DirectoryKind =
  | 'instance'
  | 'user'
  | 'tombstone'
  | 'namespace'
  | 'project'
  | 'membership'
  | 'share'
  | 'label'
  | 'milestone';

/** A table whose rows the directory shows. */
export interface DirectoryTable {
  readonly table: string;
  /** The rows with these ids as the directory shows them; deleted ones are left out. */
  changesOf(tx: SqlExecutor, ids: readonly number[], deleted?: boolean): Promise<DirectoryRowChange[]>;
}

/** Every table of the directory, in the order of a snapshot. */
export const directoryTables: Readonly<Record<DirectoryKind, DirectoryTable>> = {
  instance: { table: 'instance', changesOf: instanceChanges },
  user: { table: 'users', changesOf: userChanges },
  tombstone: { table: 'user_tombstones', changesOf: tombstoneChanges },
  namespace: { table: 'namespaces', changesOf: namespaceChanges },
  project: { table: 'projects', changesOf: projectChanges },
  membership: { table: 'memberships', changesOf: membershipChanges },
  share: { table: 'group_shares', changesOf: shareChanges },
  label: { table: 'labels', changesOf: labelChanges },
  milestone: { table: 'milestones', changesOf: milestoneChanges },
};

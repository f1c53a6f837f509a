import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { DirectoryTx, Viewer } from '../../directory';
import type { Visibility } from '../../rules';
import type { GroupSettings } from '../domain/group';
import type { GroupFilter, GroupRow, NewGroup } from '../domain/group-row';

/** Groups in the database. A change of a tree locks its top-level group first. */
export interface GroupStore {
  /** A page of groups the viewer may see. */
  list(viewer: Viewer, filter: GroupFilter, request: PageRequest): Promise<{ rows: GroupRow[]; page: PageInfo }>;
  /** One group, marked or not. */
  find(id: number): Promise<GroupRow | undefined>;
  /** Id of a group that is itself marked for deletion, by id or full path; 0 for none. */
  findMarked(idOrPath: string): Promise<number>;
  /** Effective level of a user in a group, 0 when none; in `tx` when given. */
  levelOf(groupId: number, userId: number, tx?: Tx): Promise<number>;
  /** Whether a user may make top-level groups. */
  mayCreateTopLevel(tx: Tx, userId: number): Promise<boolean>;
  /** Lets transfers of groups follow one another: two of them, each holding the tree the other wants next, would deadlock. */
  lockMoves(tx: Tx): Promise<void>;
  /** Locks the trees that hold these groups, top-level groups in order of id. */
  lockTrees(tx: Tx, groupIds: readonly number[]): Promise<void>;
  /** A group inside a transaction that has locked its tree. */
  findIn(tx: Tx, id: number): Promise<GroupRow | undefined>;
  /** A group the viewer may see, inside a transaction. */
  findVisible(tx: Tx, id: number, viewer: Viewer): Promise<GroupRow | undefined>;
  /** Whether a project has this path in a group, which is locked: groups and projects share the names below a group. */
  projectHasPath(tx: Tx, groupId: number, path: string): Promise<boolean>;
  /** Whether something inside a group, which is locked, is open to more people than `visibility`. */
  hasWiderContent(tx: Tx, groupId: number, visibility: Visibility): Promise<boolean>;
  /** Inserts a group below its parent; a unique violation of `namespaces_full_path` when the path is taken. */
  insert(tx: DirectoryTx, group: NewGroup): Promise<number>;
  /** Changes what does not touch paths. */
  change(
    tx: DirectoryTx,
    id: number,
    change: {
      visibility?: Visibility;
      description?: string;
      settings: Partial<GroupSettings>;
      tier?: string | null;
    },
  ): Promise<void>;
  /** Gives a group another name, path or parent, with all groups below it; every full path that changes is kept as a redirect (G-1-7). */
  move(tx: DirectoryTx, id: number, to: { name: string; path: string; parentId: number | undefined }): Promise<void>;
  /** Levels of groups below a group, itself included. */
  depthBelow(tx: Tx, id: number): Promise<number>;
  /** Sets or takes off the mark of deletion; false when it was so already. */
  mark(tx: DirectoryTx, id: number, marked: boolean): Promise<boolean>;
  /** Makes the purge of a marked group due at once. */
  hasten(tx: DirectoryTx, id: number): Promise<void>;
}

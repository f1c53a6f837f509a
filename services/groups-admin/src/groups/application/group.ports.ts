import type { PageInfo, PageRequest } from '@switchyard/database';
import type { StoredAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import type { SharedGroup } from '../../shares';
import type {
  GroupChangeRequest,
  GroupDecision,
  GroupFacts,
  NewParentFacts,
  TransferFacts,
} from '../domain/group-change';
import type { GroupExtras, GroupFilter, GroupRow, Moving, NewGroup } from '../domain/group-row';

/**
 * Groups in the database; each change is one transaction with its directory changes. A change of a tree locks its
 * top-level group first.
 */
export interface GroupStore {
  /** A page of groups the viewer may see. */
  list(viewer: Viewer, filter: GroupFilter, request: PageRequest): Promise<{ rows: GroupRow[]; page: PageInfo }>;
  /** One group, marked or not. */
  find(id: number, extras?: GroupExtras): Promise<GroupRow | undefined>;
  /** Groups with which a group is shared itself, those the viewer sees. */
  sharedWith(viewer: Viewer, id: number): Promise<SharedGroup[]>;
  /** Id of a group by id or full path; 0 for none, and for one whose purge has begun. */
  findId(idOrPath: string): Promise<number>;
  /** A page of groups to which the viewer may move a project or a group. */
  transferLocations(
    viewer: Viewer,
    moving: Moving,
    search: string | undefined,
    request: PageRequest,
  ): Promise<{ rows: GroupRow[]; page: PageInfo }>;
  /**
   * Locks the tree of the parent, decides and inserts the group with the actor as its Owner; returns its id.
   * @throws AppError invalid for a taken path; what `decide` throws
   */
  create(
    request: {
      readonly actor: Viewer;
      readonly parentId: number | undefined;
      readonly path: string;
      readonly avatar?: StoredAvatar | null | undefined;
    },
    decide: (facts: NewParentFacts) => NewGroup,
  ): Promise<number>;
  /**
   * Locks the tree of a group, decides and saves; false when there is no such group. A new name or path changes the
   * full paths of all groups below; each that changes is kept as a redirect (G-1-7). A group whose purge has begun is
   * none.
   * @throws AppError invalid for a taken path; precondition_failed; what `decide` throws
   */
  change(request: GroupChangeRequest, decide: (group: GroupRow, facts: GroupFacts) => GroupDecision): Promise<boolean>;
  /**
   * As `change`, with the tree of the new parent locked too; false when there is no such group.
   * @throws AppError bad_request for a taken path; what `decide` throws
   */
  transfer(
    request: { readonly actor: Viewer; readonly id: number; readonly parentId: number | undefined },
    decide: (group: GroupRow, facts: TransferFacts) => GroupDecision,
  ): Promise<boolean>;
}

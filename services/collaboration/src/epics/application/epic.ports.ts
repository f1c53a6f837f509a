import type { PageInfo, PageRequest } from '@switchyard/database';
import type { EnsureLabels, UserRow, Viewer } from '@switchyard/directory';
import type { CommandSteps } from '@switchyard/texts';
import type { EpicIssueLink, Neighbours } from '../../epic-trees';
import type { Epic } from '../domain/epic';
import type { EpicDecision, LockedEpic, NewEpic } from '../domain/epic-change';
import type { ProgressRow } from '../domain/epic-progress';
import type { EpicKey, EpicQuery } from '../domain/epic-query';
import type { EpicView } from '../domain/epic-view';

/** Decides about a locked epic. It is synchronous, so that nothing remote happens under the lock. */
export type DecideEpic = (locked: LockedEpic) => EpicDecision;

/** Epics with their labels and subscriptions. Every change of a stored epic goes through `change`. */
export interface EpicStore {
  /** An epic that the viewer may see; one they may not see is answered like one that is not there. */
  view(key: EpicKey, viewer: Viewer): Promise<EpicView | undefined>;
  /** Those of `ids` that the viewer may see. */
  viewsByIds(ids: readonly number[], viewer: Viewer): Promise<EpicView[]>;
  /** Opens an epic with its labels and event. */
  create(wanted: NewEpic): Promise<Epic>;
  /**
   * Locks an epic, decides, and saves the decision with its events in one transaction. Returns the epic after it.
   * @param options `trees` where its parent or what is confidential may change, and for a deletion
   * @throws AppError not_found; what `decide` throws; invalid where it cannot stand below its parent
   */
  change(id: number, actorId: number, decide: DecideEpic, options?: { readonly trees?: boolean }): Promise<Epic>;
  /** Epics of an author with ids above `after`, ascending. */
  authoredBy(authorId: number, after: number, limit: number): Promise<{ id: number }[]>;
  /** Removes up to `limit` epics of deleted groups, with their numbers and reactions; returns how many rows went. */
  removeOrphans(limit: number): Promise<number>;
  /** Id of the group with a full path; undefined when there is none. */
  groupByPath(path: string): Promise<number | undefined>;
  /** Whether a user is subscribed: by their choice, else because they take part. */
  isSubscribed(id: number, userId: number): Promise<boolean>;
  /**
   * Stores the choice of a user; false when it changes nothing, whether they had chosen it or take part.
   * @throws AppError not_found when the epic was deleted in the meantime
   */
  setSubscription(id: number, userId: number, subscribed: boolean): Promise<boolean>;
  /**
   * One page of an epic's participants, by id.
   * @param internal whether those are shown who wrote internal notes alone
   */
  participants(epicId: number, internal: boolean, request: PageRequest): Promise<{ users: UserRow[]; page: PageInfo }>;
}

/** Reads epics in lists. */
export interface EpicList {
  /** One page of the epics the viewer may see: one statement, and one that counts to 10,001. */
  page(query: EpicQuery, request: PageRequest): Promise<{ rows: EpicView[]; page: PageInfo }>;
}

/** What epics are made of. */
export interface EpicTrees {
  /** The link of an issue, or that of an id; undefined when there is none. */
  link(key: { readonly issueId: number } | { readonly id: number }): Promise<EpicIssueLink | undefined>;
  /** Child epics that the viewer may see, in their order. */
  children(epicId: number, viewer: Viewer): Promise<EpicView[]>;
  /** Moves an issue or a child epic among its neighbours; false when these are not there, or it is one of them. */
  reorder(kind: 'issues' | 'epics', epicId: number, id: number, neighbours: Neighbours): Promise<boolean>;
  /** What is below an epic, by child, as far as the viewer sees it: one statement. */
  progress(epicId: number, viewer: Viewer): Promise<ProgressRow[]>;
}

/** What the use cases of epics work with. */
export interface EpicEdges {
  readonly epics: EpicStore;
  readonly trees: EpicTrees;
  readonly ensureLabels: EnsureLabels;
  readonly commandSteps: CommandSteps;
  readonly clock: () => Date;
}

/** An epic by its number. */
export interface EpicNumber {
  readonly groupId: number;
  readonly iid: number;
}

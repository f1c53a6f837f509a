import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { UserRow, Viewer } from '@switchyard/directory';
import type { EpicName } from '@switchyard/texts';
import type { Issue } from '../domain/issue';
import type { IssueDecision, LockedIssue, NewIssue } from '../domain/issue-change';
import type { IssueCounters } from '../domain/issue-counters';
import type { IssueProject } from '../domain/issue-project';
import type { IssueCounts, IssueKey, IssueQuery, IssueViewer } from '../domain/issue-query';
import type { IssueView } from '../domain/issue-view';

/**
 * Decides about a locked issue. It is synchronous, so that nothing remote happens under the lock. It may run more than
 * once.
 */
export type DecideIssue = (locked: LockedIssue) => IssueDecision;

/** Issues with their people, labels and subscriptions. Every change of a stored issue goes through `change`. */
export interface IssueStore {
  /** An issue that the viewer may see; one they may not see is answered like one that is not there. */
  view(key: IssueKey, viewer: IssueViewer): Promise<IssueView | undefined>;
  /** Those of `ids` that the viewer may see. */
  viewsByIds(ids: readonly number[], viewer: Viewer): Promise<IssueView[]>;
  /** Those of `ids` that a user is subscribed to. */
  subscribedAmong(ids: readonly number[], userId: number): Promise<Set<number>>;
  /**
   * Opens an issue with its people, labels and event.
   * @throws AppError conflict when the requested number is taken
   */
  create(wanted: NewIssue): Promise<Issue>;
  /**
   * Locks an issue, decides, and saves the decision with its events in one transaction. Returns the issue after it;
   * after a move, the issue that takes its place.
   * @param options `trees` where the issue may become part of an epic, or visible in a confidential one
   * @throws AppError not_found; what `decide` throws; invalid where its epic cannot have it
   */
  change(id: number, actorId: number, decide: DecideIssue, options?: { readonly trees?: boolean }): Promise<Issue>;
  /** `change` that is made once for each cause, however often it is asked for. */
  changeOnce(id: number, actorId: number, cause: string, decide: DecideIssue): Promise<Issue>;
  /** Id of the epic that a text of a project names; undefined: none. */
  epicByName(projectId: number, name: EpicName): Promise<number | undefined>;
  /** Whether the viewer may change an epic; undefined when they do not see it. */
  mayChangeEpic(id: number, viewer: Viewer): Promise<boolean | undefined>;
  /** Issues of an author with ids above `after`, ascending. */
  authoredBy(authorId: number, after: number, limit: number): Promise<{ id: number }[]>;
  /**
   * Removes up to `limit` issues of deleted projects, with their numbers, links, reactions and alerts, and as many
   * assignments of deleted users; returns how many rows went.
   */
  removeOrphans(limit: number): Promise<number>;
  /** Whether a user is subscribed: by their choice, else because they take part. */
  isSubscribed(id: number, userId: number): Promise<boolean>;
  /**
   * Stores the choice of a user; false when it changes nothing, whether they had chosen it or take part.
   * @throws AppError not_found when the issue was deleted in the meantime
   */
  setSubscription(id: number, userId: number, subscribed: boolean): Promise<boolean>;
}

/** `IssueStore.change` within the caller's transaction, for changes that follow from an event. */
export type ChangeIssue = (tx: Tx, id: number, actorId: number, decide: DecideIssue) => Promise<Issue>;

/** The directory as the rules of issues ask it. */
export interface IssueDirectory {
  /** A project that is alive; undefined for others. */
  project(id: number): Promise<IssueProject | undefined>;
  /** Those of `ids` who see the project, in the order given. */
  readers(projectId: number, ids: readonly number[]): Promise<number[]>;
  /** True when the project may use this milestone. */
  hasMilestone(projectId: number, id: number): Promise<boolean>;
  /** Labels of these titles that the project may use. */
  labelsByTitles(projectId: number, titles: readonly string[]): Promise<number[]>;
  /** A milestone of this title that the project may use; undefined when there is none. */
  milestoneByTitle(projectId: number, title: string): Promise<number | undefined>;
  /** The level of an actor, 0 to 50, in a project they can see; undefined where they cannot. */
  levelIn(viewer: Viewer, projectId: number): Promise<number | undefined>;
}

/** Counters on the rows of issues or epics. */
export interface IssueCounterStore {
  /**
   * Sets the counters. A new comment moves `updated_at`, unless it is internal, and makes its author a participant.
   * @param by who acts, when, and whether by an internal note
   * @throws AppError not_found when the object was deleted in the meantime
   */
  keep(
    tx: Tx,
    id: number,
    counted: IssueCounters,
    by: { readonly actorId: number; readonly at: Date; readonly internal: boolean },
  ): Promise<void>;
}

/** Reads issues in lists. */
export interface IssueList {
  /** One page of the issues the viewer may see: one statement, and one that counts to 10,001. */
  page(query: IssueQuery, request: PageRequest): Promise<{ rows: IssueView[]; page: PageInfo }>;
  /** How many issues the viewer may see, by state: one statement. The filter's own state does not count. */
  counts(query: IssueQuery): Promise<IssueCounts>;
}

/** Reads who took part in issues. */
export interface IssueParticipantList {
  /**
   * One page of an issue's participants, by id.
   * @param internal whether those are shown who wrote internal notes alone
   */
  page(issueId: number, internal: boolean, request: PageRequest): Promise<{ users: UserRow[]; page: PageInfo }>;
}

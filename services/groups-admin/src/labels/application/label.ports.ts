import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '../../directory';
import type { Parent } from '../../parents';
import type { LabelChangeRequest, LabelDecision, LabelFacts } from '../domain/label-change';
import type { LabelFilter, LabelKey, LabelRow, NewLabel } from '../domain/label-row';

/** Labels in the database; each change is one transaction with its directory changes. */
export interface LabelStore {
  /** A page of labels by title. */
  list(parent: Parent, filter: LabelFilter, request: PageRequest): Promise<{ rows: LabelRow[]; page: PageInfo }>;
  /** One label by id or title, with `above` also of the groups above; the id wins, then the parent's own. */
  find(parent: Parent, key: LabelKey, above: boolean, viewer: Viewer): Promise<LabelRow | undefined>;
  /**
   * Subscribes a user to a label, or ends the subscription: in a project, or for a label that a group shows in its own
   * project or group. False when nothing changed, also for a label that is gone.
   */
  subscribe(parent: Parent, labelId: number, userId: number, subscribed: boolean): Promise<boolean>;
  /**
   * Inserts the label that `decide` returns; returns its id.
   * @param title the new title, for `LabelFacts.titleTaken`
   * @throws AppError not_found when the parent was purged; conflict for a taken title; what `decide` throws
   */
  create(parent: Parent, title: string, decide: (facts: LabelFacts) => NewLabel): Promise<number>;
  /**
   * Locks a label of this very parent, decides and saves; returns its id, undefined when there is no such label.
   * @throws AppError conflict for a taken title; precondition_failed; what `decide` throws
   */
  change(
    request: LabelChangeRequest,
    decide: (label: LabelRow, facts: LabelFacts) => LabelDecision,
  ): Promise<number | undefined>;
  /** Inserts labels; those whose title the parent has already stay. @throws AppError not_found when it was purged */
  import(parent: Parent, labels: readonly NewLabel[]): Promise<void>;
  /**
   * Inserts the labels that `decide` returns for the titles that the parent can use already.
   * @returns the usable labels of these titles, the nearest of each, in the order of the titles, and the directory
   *   sequence at which all of them are known
   * @throws AppError not_found when the parent was purged; what `decide` throws
   */
  ensure(
    parent: Parent,
    titles: readonly string[],
    decide: (known: ReadonlySet<string>) => readonly NewLabel[],
  ): Promise<{ labels: LabelRow[]; sequence: number }>;
}

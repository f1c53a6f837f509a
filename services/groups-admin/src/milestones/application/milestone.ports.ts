import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Parent } from '../../parents';
import type { ImportedMilestone, MilestoneContent } from '../domain/milestone';
import type { MilestoneChangeRequest, MilestoneDecision, MilestoneFacts } from '../domain/milestone-change';
import type { MilestoneFilter, MilestoneRow } from '../domain/milestone-row';

/** Milestones in the database; each change is one transaction with its events and directory changes. */
export interface MilestoneStore {
  /** A page of milestones, by their due date. */
  list(
    parent: Parent,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<{ rows: MilestoneRow[]; page: PageInfo }>;
  /** One milestone of this very parent. */
  find(parent: Parent, id: number): Promise<MilestoneRow | undefined>;
  /**
   * Inserts the milestone that `decide` returns, with the next number of its parent; returns its id.
   * @throws AppError not_found when the parent was purged; invalid for a taken title; what `decide` throws
   */
  create(
    given: { readonly parent: Parent; readonly title: string; readonly actorId: number },
    decide: (facts: MilestoneFacts) => MilestoneContent,
  ): Promise<number>;
  /** Has milestones of a project numbered above a number, from 1, from now on. */
  reserve(projectId: number, highest: number): Promise<void>;
  /**
   * Inserts milestones with their numbers; those whose number or title the project has already stay. Those that were of
   * a group get the next numbers, unless the project can use one of their title.
   * @throws AppError not_found when the project was purged
   */
  import(projectId: number, milestones: readonly ImportedMilestone[]): Promise<void>;
  /**
   * Locks a milestone of this very parent, decides and saves; false when there is no such milestone.
   * @throws AppError invalid for a taken title; precondition_failed; what `decide` throws
   */
  change(
    request: MilestoneChangeRequest,
    decide: (milestone: MilestoneRow, facts: MilestoneFacts) => MilestoneDecision,
  ): Promise<boolean>;
}

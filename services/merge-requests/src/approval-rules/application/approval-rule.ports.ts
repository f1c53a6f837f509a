import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { ApprovalRule, ApprovalRuleView, RuleOwner } from '../domain/approval-rule';

/** What follows where a rule that demands approvals names users. */
export type AfterNaming = (tx: Tx, userIds: readonly number[]) => Promise<void>;

/** Where rules are kept. */
export interface ApprovalRuleStore {
  /** A page of rules, by id. */
  list(owner: RuleOwner, viewer: Viewer, request: PageRequest): Promise<{ rows: ApprovalRuleView[]; page: PageInfo }>;
  find(owner: RuleOwner, id: number, viewer: Viewer): Promise<ApprovalRuleView | undefined>;
  /** Rules by id, whoever's. */
  byIds(ids: readonly number[], viewer: Viewer): Promise<ApprovalRuleView[]>;
  /**
   * @param also runs in the same transaction, with the users that the rule names
   * @throws AppError invalid for a name that is taken, a second rule for any approver, and more than 100 rules
   */
  add(owner: RuleOwner, rule: Omit<ApprovalRule, 'id'>, also: AfterNaming): Promise<number>;
  /**
   * Locks a rule, calls `decide` and keeps what it returns; false when there is none.
   * @param also runs in the same transaction, with the users whom the rule did not name before
   * @throws AppError invalid as with `add`
   */
  change(
    owner: RuleOwner,
    id: number,
    decide: (rule: ApprovalRule) => ApprovalRule,
    also: AfterNaming,
  ): Promise<boolean>;
  /** False when there is none. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  remove(owner: RuleOwner, id: number, unmodifiedSince: Date | undefined): Promise<boolean>;
  /** Ids of users by name; names of no one are left out. */
  userIds(usernames: readonly string[]): Promise<number[]>;
  /** Those of `ids` that are groups which the viewer sees. */
  visibleGroups(ids: readonly number[], viewer: Viewer): Promise<number[]>;
  /** Those of `ids` that the project protects. */
  protectedBranches(projectId: number, ids: readonly number[]): Promise<number[]>;
}

import { wildcard } from '@switchyard/patterns';
import type { MergeRequest } from './merge-request';

/** Where the review of a reviewer stands (G-2-39). */
export type ReviewState = 'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved';

/** A user who has approved a merge request. */
interface Approval {
  readonly userId: number;
  readonly at: Date;
  /** The user may approve it now: an active Developer or more. One who has lost that does not count any more. */
  readonly eligible: boolean;
}

/** What a project says of approvals (G-4.2-8), as its tier has it. */
interface ApprovalSettings {
  /** The tier has required approvals. */
  readonly required: boolean;
  /** Approvals that every merge request needs, 0 to 100. */
  readonly beforeMerge: number;
  readonly byAuthor: boolean;
  readonly notByCommitters: boolean;
  readonly resetOnPush: boolean;
  /** Merge requests have no rules of their own. */
  readonly overridingDisabled: boolean;
}

/** A rule as far as it decides whether a merge request is approved. */
export interface ApprovalRuleFacts {
  readonly id: number;
  /** It is one of the merge request itself. */
  readonly own: boolean;
  readonly type: 'any_approver' | 'regular';
  readonly name: string;
  /** 0 to 100. */
  readonly required: number;
  /** Names of protected branches for which it holds, with wildcards; undefined: for all branches. */
  readonly branches: readonly string[] | undefined;
  /** Those of the users who have approved whom a `regular` rule names, themselves or by a group. */
  readonly approvedBy: readonly number[];
}

/** What decides whether a merge request is approved. */
export interface ApprovalFacts {
  readonly settings: ApprovalSettings;
  /** By time. */
  readonly approvals: readonly Approval[];
  /** Of the project and of the merge request, by id. */
  readonly rules: readonly ApprovalRuleFacts[];
}

/** Something that needs approvals: a rule, or the number that project and merge request state. */
export interface ApprovalRequirement {
  /** Undefined: the number alone. */
  readonly rule: ApprovalRuleFacts | undefined;
  readonly required: number;
  /** Users whose approvals count for it. */
  readonly approvedBy: readonly number[];
  /** Approvals that are missing. */
  readonly left: number;
}

type Approvable = Pick<MergeRequest, 'authorId' | 'targetBranch' | 'approvalsBeforeMerge'>;

/** The approvals that count: of users who may still approve, the author among them where the project allows it. */
const countedApprovals = (
  { authorId }: Pick<MergeRequest, 'authorId'>,
  { settings, approvals }: ApprovalFacts,
): Approval[] => approvals.filter(({ userId, eligible }) => eligible && (settings.byAuthor || userId !== authorId));

const holdsFor = ({ branches }: ApprovalRuleFacts, branch: string): boolean =>
  branches === undefined || branches.some((name) => wildcard(name)(branch));

/** Whether a merge request has rules of its own, which stand in place of those of its project. */
export const isOverridden = ({ settings, rules }: ApprovalFacts): boolean =>
  !settings.overridingDisabled && rules.some(({ own }) => own);

/** The rules that hold for a merge request: its own, else those of the project for its target branch. */
export function rulesInForce({ targetBranch }: Pick<MergeRequest, 'targetBranch'>, facts: ApprovalFacts) {
  if (!facts.settings.required) return [];
  const own = isOverridden(facts);
  return facts.rules.filter((rule) => (own ? rule.own : !rule.own && holdsFor(rule, targetBranch)));
}

/**
 * What a merge request needs. The number that project or merge request state, whichever is greater, is a floor that
 * anyone's approval counts for; a rule for any approver that demands as many replaces it.
 */
export function requirementsOf(mr: Approvable, facts: ApprovalFacts): ApprovalRequirement[] {
  const { settings } = facts;
  if (!settings.required) return [];
  const counted = countedApprovals(mr, facts).map(({ userId }) => userId);
  const requirement = (rule: ApprovalRuleFacts | undefined, required: number): ApprovalRequirement => {
    const approvedBy =
      rule === undefined || rule.type === 'any_approver'
        ? counted
        : counted.filter((userId) => rule.approvedBy.includes(userId));
    return { rule, required, approvedBy, left: Math.max(0, required - approvedBy.length) };
  };
  const own = settings.overridingDisabled ? 0 : (mr.approvalsBeforeMerge ?? 0);
  const floor = Math.max(settings.beforeMerge, own);
  const rules = rulesInForce(mr, facts);
  const any = rules.find(({ type }) => type === 'any_approver');
  return [
    ...(any === undefined && floor > 0 ? [requirement(undefined, floor)] : []),
    ...rules.map((rule) => requirement(rule, rule === any ? Math.max(rule.required, floor) : rule.required)),
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Approvals that a merge request needs, over all that needs some. */
export const approvalsRequired = (mr: Approvable, facts: ApprovalFacts): number =>
  sum(requirementsOf(mr, facts).map(({ required }) => required));

/** Approvals that are missing, over all that needs some; 0: it is approved. */
export const approvalsLeft = (mr: Approvable, facts: ApprovalFacts): number =>
  sum(requirementsOf(mr, facts).map(({ left }) => left));

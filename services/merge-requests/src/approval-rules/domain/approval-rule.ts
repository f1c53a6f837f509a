import type { UserRow } from '@switchyard/directory';
import { invalid } from '@switchyard/errors';
import { displayTextProblems } from '@switchyard/texts';

/** Most approvals that a rule can demand. */
const maxRequired = 100;
/** Most users, and most groups, that a rule names. */
const maxUsers = 200;
const maxGroups = 100;
/** Most rules of a project, and of a merge request. */
export const maxRules = 100;

/** Whose rules: those of a project, or of one merge request in it. */
export interface RuleOwner {
  readonly projectId: number;
  readonly mergeRequestId: number | undefined;
}

/** Whom a rule names, and for which branches it holds. Ids are of the directory, and of protected branches. */
export interface RuleScope {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly protectedBranchIds: readonly number[];
  /** It holds for all branches that are protected. */
  readonly allProtectedBranches: boolean;
}

/** A rule as it is stored. */
export interface ApprovalRule extends RuleScope {
  readonly id: number;
  /** Of the project's rule that one of a merge request was made from. */
  readonly sourceRuleId: number | undefined;
  readonly type: 'any_approver' | 'regular';
  readonly name: string;
  /** 0 to 100. */
  readonly required: number;
}

/** A group as a rule shows it. */
export interface RuleGroup {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly full_name: string;
  readonly visibility: string;
  readonly avatar_url: string | null;
  readonly parent_id: number | null;
}

/** A protected branch as a rule shows it. */
export interface RuleBranch {
  readonly id: number;
  readonly name: string;
  readonly pushAccessLevel: number;
  readonly mergeAccessLevel: number;
  readonly allowForcePush: boolean;
}

/** A rule with what its representation embeds, for one viewer. */
export interface ApprovalRuleView {
  readonly rule: ApprovalRule;
  readonly users: readonly UserRow[];
  /** Those that the viewer sees. */
  readonly groups: readonly RuleGroup[];
  readonly hiddenGroupIds: readonly number[];
  /** Users whose approval counts for it, by the users and groups that the viewer sees; at most 1,000. */
  readonly eligible: readonly UserRow[];
  readonly branches: readonly RuleBranch[];
  /** Approvals that the rule demands that it was made from. */
  readonly sourceRequired: number | undefined;
}

/** What was looked up of a rule that is to be kept. */
export interface RuleFacts {
  /** Named users who cannot read the merge requests of the project, or are not there. */
  readonly unknownUsers: number;
  /** Named groups that the caller does not see. */
  readonly unknownGroups: number;
  /** Named branches that the project does not protect. */
  readonly unknownBranches: number;
  /** Least number of approvals; undefined: 0. */
  readonly least: number | undefined;
}

/**
 * Checks a rule that is to be kept.
 * @throws AppError invalid with every problem at once
 */
export function checkRule(rule: Omit<ApprovalRule, 'id'>, facts: RuleFacts): void {
  const problems: Record<string, string[]> = {};
  const note = (field: string, found: readonly (string | false)[]): void => {
    const texts = found.filter((text) => text !== false);
    if (texts.length > 0) problems[field] = texts;
  };
  note('name', displayTextProblems(rule.name));
  note('approvals_required', [
    rule.required < (facts.least ?? 0) && `must be greater than or equal to ${facts.least ?? 0}`,
    rule.required > maxRequired && `must be less than or equal to ${maxRequired}`,
  ]);
  const any = rule.type === 'any_approver';
  const named = "can't be named by a rule for any approver";
  note('users', [
    any && rule.userIds.length > 0 && named,
    facts.unknownUsers > 0 && 'must all be able to read the merge requests of the project',
    rule.userIds.length > maxUsers && `is too long (maximum is ${maxUsers} entries)`,
  ]);
  note('groups', [
    any && rule.groupIds.length > 0 && named,
    facts.unknownGroups > 0 && 'must all exist',
    rule.groupIds.length > maxGroups && `is too long (maximum is ${maxGroups} entries)`,
  ]);
  note('protected_branches', [facts.unknownBranches > 0 && 'must all exist within the same project']);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

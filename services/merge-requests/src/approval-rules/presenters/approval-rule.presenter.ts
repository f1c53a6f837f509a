import { avatarUrl, type UserRow, userReference } from '@switchyard/directory';
import { protectedBranchObject } from '../../repositories';
import type { ApprovalRuleView, RuleGroup } from '../domain/approval-rule';

const group = ({ avatar_url, ...row }: RuleGroup, externalUrl: string) => ({
  ...row,
  avatar_url: avatarUrl(avatar_url, externalUrl),
  web_url: `${externalUrl.replace(/\/+$/, '')}/groups/${row.full_path}`,
});

const users = (rows: readonly UserRow[], externalUrl: string) => rows.map((row) => userReference(row, externalUrl));

const common = ({ rule, ...view }: ApprovalRuleView, externalUrl: string) => ({
  id: rule.id,
  name: rule.name,
  rule_type: rule.type,
  eligible_approvers: users(view.eligible, externalUrl),
  approvals_required: rule.required,
  users: users(view.users, externalUrl),
  groups: view.groups.map((row) => group(row, externalUrl)),
  contains_hidden_groups: view.hiddenGroupIds.length > 0,
});

const sourceOf = ({ sourceRequired }: ApprovalRuleView) =>
  sourceRequired === undefined ? null : { approvals_required: sourceRequired };

/** A rule of a project. */
export const presentProjectRule = (view: ApprovalRuleView, projectId: number, externalUrl: string) => ({
  ...common(view, externalUrl),
  applies_to_all_protected_branches: view.rule.allProtectedBranches,
  protected_branches: view.branches.map((branch) => protectedBranchObject({ ...branch, projectId })),
});

/** A rule of a merge request. */
export const presentMergeRequestRule = (view: ApprovalRuleView, externalUrl: string) => ({
  ...common(view, externalUrl),
  source_rule: sourceOf(view),
  overridden: view.sourceRequired !== undefined && view.sourceRequired !== view.rule.required,
});

/** A rule in force, and who has approved by it. */
export interface ShownRequirement {
  readonly shown: ApprovalRuleView | undefined;
  readonly required: number;
  readonly left: number;
  readonly approvedBy: readonly UserRow[];
}

/**
 * The rules in force for a merge request. The number that project or merge request state is shown as a rule for any
 * approver with the id 0, where there is none that was made.
 */
export const presentApprovalState = (
  { overwritten, requirements }: { readonly overwritten: boolean; readonly requirements: readonly ShownRequirement[] },
  externalUrl: string,
) => ({
  approval_rules_overwritten: overwritten,
  rules: requirements.map(({ shown, required, left, approvedBy }) => ({
    ...(shown === undefined
      ? {
          id: 0,
          name: 'All Members',
          rule_type: 'any_approver',
          eligible_approvers: [],
          users: [],
          groups: [],
          contains_hidden_groups: false,
          source_rule: null,
          overridden: false,
        }
      : presentMergeRequestRule(shown, externalUrl)),
    approvals_required: required,
    approved_by: users(approvedBy, externalUrl),
    approved: left === 0,
  })),
});

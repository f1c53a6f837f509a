import type { Caller } from '../../callers';
import { type ApprovalRequirement, type MergeRequestView, requirementsOf, viewOf } from '../../merge-requests';
import type { ApprovalRuleView } from '../domain/approval-rule';
import type { RuleEdges } from './manage-approval-rules';

/** The rules in force for a merge request. */
export interface ApprovalState {
  readonly view: MergeRequestView;
  readonly requirements: readonly (ApprovalRequirement & { readonly shown: ApprovalRuleView | undefined })[];
}

/** Reads which rules are in force for a merge request, and who has approved by each. Fails with `not_found`. */
export const readApprovalState =
  ({ rules, mergeRequests }: RuleEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<ApprovalState> => {
    const view = await viewOf({ mergeRequests }, key, caller);
    const requirements = requirementsOf(view.mergeRequest, view.approval);
    const ids = requirements.flatMap(({ rule }) => (rule === undefined ? [] : [rule.id]));
    const shown = new Map((await rules.byIds(ids, caller)).map((one) => [one.rule.id, one]));
    return {
      view,
      // A rule that was removed since the first statement is in force no more.
      requirements: requirements
        .map((requirement) => ({ ...requirement, shown: requirement.rule && shown.get(requirement.rule.id) }))
        .filter(({ rule, shown: found }) => rule === undefined || found !== undefined),
    };
  };

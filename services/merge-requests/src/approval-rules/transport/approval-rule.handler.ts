import { type ApprovalRuleScope, ApprovalRuleServiceService } from '@switchyard/protos/merge_requests/v1/approval_rule';
import { entity, implement, nothing, page as pageOf, pageRequest } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import { isOverridden } from '../../merge-requests';
import type { ManageApprovalRules, RuleEdges, WantedScope } from '../application/manage-approval-rules';
import type { readApprovalState } from '../application/read-approval-state';
import type { ApprovalRule, ApprovalRuleView } from '../domain/approval-rule';
import {
  presentApprovalState,
  presentMergeRequestRule,
  presentProjectRule,
} from '../presenters/approval-rule.presenter';

/** The use cases behind the RPCs. */
export interface ApprovalRuleUseCases {
  readonly rules: ManageApprovalRules;
  readonly readApprovalState: ReturnType<typeof readApprovalState>;
}

const toScope = (scope: ApprovalRuleScope | undefined): WantedScope => ({
  userIds: scope?.userIds?.ids,
  usernames: scope?.usernames?.names,
  groupIds: scope?.groupIds?.ids,
  protectedBranchIds: scope?.protectedBranchIds?.ids,
  allProtectedBranches: scope?.appliesToAllProtectedBranches,
});

/** gRPC side of approval rules. */
export function approvalRuleHandler(
  { rules, readApprovalState: readState }: ApprovalRuleUseCases,
  { mergeRequests }: RuleEdges,
  externalUrl: string,
) {
  const present = (view: ApprovalRuleView, { projectId, iid }: { projectId: number; iid: number }) =>
    iid === 0 ? presentProjectRule(view, projectId, externalUrl) : presentMergeRequestRule(view, externalUrl);

  return implement(ApprovalRuleServiceService, {
    async listApprovalRules({ page, ...key }, context) {
      const request = { ...pageRequest(page, { orderBy: 'id' }), sort: 'asc' as const };
      const { rows, page: info } = await rules.list(callerOf(context), key, request);
      return pageOf(
        rows.map((row) => present(row, key)),
        { ...info, keyset: request.mode === 'keyset' },
      );
    },

    getApprovalRule: async ({ ruleId, ...key }, context) =>
      entity(present(await rules.get(callerOf(context), key, ruleId), key)),

    createApprovalRule: async (request, context) =>
      entity(
        present(
          await rules.create(callerOf(context), request, {
            name: request.name,
            type: request.ruleType as ApprovalRule['type'],
            required: request.approvalsRequired,
            scope: toScope(request.scope),
            sourceRuleId: request.sourceRuleId || undefined,
          }),
          request,
        ),
      ),

    updateApprovalRule: async (request, context) =>
      entity(
        present(
          await rules.update(callerOf(context), request, request.ruleId, {
            name: request.name,
            required: request.approvalsRequired,
            scope: toScope(request.scope),
            removeHiddenGroups: request.removeHiddenGroups,
          }),
          request,
        ),
      ),

    async deleteApprovalRule({ ruleId, ifUnmodifiedSince, ...key }, context) {
      await rules.remove(callerOf(context), key, ruleId, ifUnmodifiedSince);
      return nothing();
    },

    async getApprovalState(key, context) {
      const { view, requirements } = await readState(callerOf(context), key);
      const people = await mergeRequests.usersByIds(requirements.flatMap(({ approvedBy }) => approvedBy));
      const overwritten = isOverridden(view.approval);
      const shown = requirements.map((requirement) => ({
        ...requirement,
        approvedBy: requirement.approvedBy.flatMap((id) => people.get(id) ?? []),
      }));
      return entity(presentApprovalState({ overwritten, requirements: shown }, externalUrl));
    },
  });
}

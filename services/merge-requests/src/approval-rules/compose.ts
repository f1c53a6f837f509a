import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { MergeRequests } from '../merge-requests';
import { manageApprovalRules } from './application/manage-approval-rules';
import { readApprovalState } from './application/read-approval-state';
import { approvalRuleStore } from './storage/approval-rule.store';
import { approvalRuleHandler } from './transport/approval-rule.handler';

/** Builds approval rules. */
export function composeApprovalRules({ config, db, observe }: Edges, mergeRequests: MergeRequests): Area {
  const { mergeRequests: store, directory } = mergeRequests.edges;
  const edges = { mergeRequests: store, directory, rules: approvalRuleStore(db) };
  const rules = observe('approval_rules', manageApprovalRules(edges));
  const useCases = observe('approval_rules', { readApprovalState: readApprovalState(edges) });
  return { services: [approvalRuleHandler({ rules, ...useCases }, edges, config.SWITCHYARD_EXTERNAL_URL)] };
}

import { type Area, archiveSource, type RecordWriter, recordWriter } from '@switchyard/service';
import type { Edges } from '../edges';
import type { MergeRequests } from '../merge-requests';
import { importRules } from './application/import-rules';
import { manageApprovalRules } from './application/manage-approval-rules';
import { readApprovalState } from './application/read-approval-state';
import { approvalRuleStore } from './storage/approval-rule.store';
import { findNamedInRules } from './storage/named-in-rules';
import { approvalRuleHandler } from './transport/approval-rule.handler';
import { approvalRuleRecord, toImported } from './transport/approval-rule.record';

/** The area, and what takes the rules of archives. */
export interface ApprovalRules extends Area {
  readonly records: RecordWriter;
}

/** Builds approval rules. */
export function composeApprovalRules({ config, db, observe }: Edges, mergeRequests: MergeRequests): ApprovalRules {
  const { mergeRequests: store, directory } = mergeRequests.edges;
  const edges = { mergeRequests: store, directory, rules: approvalRuleStore(db) };
  const rules = observe('approval_rules', manageApprovalRules(edges));
  const useCases = observe('approval_rules', {
    readApprovalState: readApprovalState(edges),
    importRules: importRules({ ...edges, findNamed: findNamedInRules(db) }),
  });
  return {
    records: recordWriter(approvalRuleRecord, (target, given) =>
      useCases.importRules(target, archiveSource, given.map(toImported)),
    ),
    services: [approvalRuleHandler({ rules, ...useCases }, edges, config.SWITCHYARD_EXTERNAL_URL)],
  };
}

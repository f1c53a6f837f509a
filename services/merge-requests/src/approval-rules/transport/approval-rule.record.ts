import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import type { ImportedRule } from '../domain/imported-rule';

const { iid, text, count, names } = recordFields;

/** An approval rule as an archive has it (ADR 60). */
export const approvalRuleRecord = z.object({
  merge_request_iid: iid.nullable(),
  source: text(255).nullable(),
  rule_type: z.enum(['any_approver', 'regular']),
  name: text(1_024),
  approvals_required: count,
  applies_to_all_protected_branches: z.boolean(),
  users: names,
  groups: names,
  protected_branches: z.array(text(2_000)).max(1_000),
});

/** An approval rule of an archive. */
export const toImported = (record: z.infer<typeof approvalRuleRecord>): ImportedRule => ({
  mergeRequestIid: record.merge_request_iid ?? undefined,
  source: record.source ?? undefined,
  type: record.rule_type,
  name: record.name,
  required: record.approvals_required,
  allProtectedBranches: record.applies_to_all_protected_branches,
  usernames: record.users,
  groups: record.groups,
  protectedBranches: record.protected_branches,
});

import { type Sql, sql } from '@switchyard/database/sql';
import { memberIds, tierSql, userWithLevel } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { ApprovalFacts, ApprovalRuleFacts } from '../domain/approvals';

/** Least level whose approvals count. */
export const approverLevel = levels.developer;

// A rule's own branches; of one for all protected branches those that are protected now.
const branches = sql`case when r.applies_to_all_protected_branches
    then array(select pb.name from protected_branches pb where pb.project_id = mr.project_id)
  else (select array_agg(pb.name) from approval_rule_branches rb join protected_branches pb on pb.id = rb.protected_branch_id
    where rb.rule_id = r.id) end`;

// The groups of a rule, and those above them.
const groups = sql`array(
  select unnest(named.ancestry) from approval_rule_groups rg
  join directory.namespaces named on named.id = rg.group_id and named.deleted_at is null
  where rg.rule_id = r.id)`;

// From the few who have approved, however many members the groups have.
const approvedByNamed = sql`array(
  select a.user_id from merge_request_approvals a join approval_rule_users ru on ru.user_id = a.user_id
  where a.merge_request_id = mr.id and ru.rule_id = r.id
  union ${memberIds(groups, approverLevel)}
    and m.user_id in (select a.user_id from merge_request_approvals a where a.merge_request_id = mr.id))`;

/**
 * What decides whether a merge request is approved, as JSON; on the aliases `mr`, `p` and `n`. Without approvals and
 * rules it costs two looks into indexes.
 */
export const approvalFactsJson: Sql = sql`json_build_object(
  'required', ${tierSql} <> 'free',
  'before_merge', p.approvals_before_merge,
  'by_author', p.merge_requests_author_approval,
  'not_by_committers', p.merge_requests_disable_committers_approval,
  'reset_on_push', p.reset_approvals_on_push,
  'overriding_disabled', p.disable_overriding_approvers_per_merge_request,
  'approvals', (
    select json_agg(json_build_object('user_id', a.user_id, 'at', a.created_at, 'eligible', ${userWithLevel(approverLevel)})
      order by a.created_at, a.user_id)
    from merge_request_approvals a join directory.users u on u.id = a.user_id and u.deleted_at is null
    where a.merge_request_id = mr.id),
  'rules', (
    select json_agg(json_build_object('id', r.id, 'own', r.merge_request_id is not null, 'type', r.rule_type, 'name', r.name,
      'required', r.approvals_required, 'branches', ${branches}, 'approved_by', ${approvedByNamed}) order by r.id)
    from (
      select * from approval_rules where project_id = mr.project_id and merge_request_id is null
      union all select * from approval_rules where merge_request_id = mr.id) r))`;

/** What `approvalFactsJson` gives. */
export interface ApprovalFactsRow {
  readonly required: boolean;
  readonly before_merge: number;
  readonly by_author: boolean;
  readonly not_by_committers: boolean;
  readonly reset_on_push: boolean;
  readonly overriding_disabled: boolean;
  readonly approvals: readonly { user_id: number; at: string; eligible: boolean }[] | null;
  readonly rules:
    | readonly {
        id: number;
        own: boolean;
        type: ApprovalRuleFacts['type'];
        name: string;
        required: number;
        branches: readonly string[] | null;
        approved_by: readonly number[];
      }[]
    | null;
}

/** What counts of a merge request whose project the replica of the directory does not have: nothing is required. */
const unknown: ApprovalFacts = {
  settings: {
    required: false,
    beforeMerge: 0,
    byAuthor: false,
    notByCommitters: false,
    resetOnPush: true,
    overridingDisabled: false,
  },
  approvals: [],
  rules: [],
};

/** The facts of a row. */
export const toApprovalFacts = (row: ApprovalFactsRow | null): ApprovalFacts =>
  row === null
    ? unknown
    : {
        settings: {
          required: row.required,
          // A project below another tier keeps its settings; they count again once it has the tier again.
          beforeMerge: row.required ? row.before_merge : 0,
          byAuthor: row.required && row.by_author,
          notByCommitters: row.required && row.not_by_committers,
          resetOnPush: !row.required || row.reset_on_push,
          overridingDisabled: row.required && row.overriding_disabled,
        },
        approvals: (row.approvals ?? []).map(({ user_id, at, eligible }) => ({
          userId: user_id,
          at: new Date(at),
          eligible,
        })),
        rules: (row.rules ?? []).map(({ approved_by, branches: names, ...rule }) => ({
          ...rule,
          branches: names ?? undefined,
          approvedBy: approved_by,
        })),
      };

import { type UserRow, userReference } from '@switchyard/directory';
import { dateTime } from '../../repositories';
import { approvalsLeft, approvalsRequired, requirementsOf, rulesInForce } from '../domain/approvals';
import { shownMergeStatus } from '../domain/detailed-merge-status';
import type { MergeRequestView } from '../domain/merge-request-view';

/** What the approvals of a merge request are shown from. */
export interface ShownApprovals {
  readonly view: MergeRequestView;
  readonly viewerId: number;
  readonly mayApprove: boolean;
  /** Users whom rules name that lack approvals. */
  readonly suggested: readonly UserRow[];
  /** Users by id. */
  readonly people: ReadonlyMap<number, UserRow>;
}

/**
 * The approvals of a merge request (G-4.2-8). The free tier requires none: any approval makes it approved there.
 * Approvers are named in approval rules alone, so `approvers` and `approver_groups` are empty.
 */
export function presentApprovals(
  { view, viewerId, mayApprove, suggested, people }: ShownApprovals,
  { externalUrl, tier }: { readonly externalUrl: string; readonly tier: string },
) {
  const { mergeRequest: mr, approval } = view;
  const user = (row: UserRow) => userReference(row, externalUrl);
  const left = approvalsLeft(mr, approval);
  const common = {
    user_has_approved: approval.approvals.some(({ userId }) => userId === viewerId),
    user_can_approve: mayApprove,
    approved: approval.settings.required ? left === 0 : approval.approvals.length > 0,
    approved_by: approval.approvals.flatMap(({ userId, at }) => {
      const row = people.get(userId);
      return row === undefined ? [] : [{ user: user(row), approved_at: dateTime(at) }];
    }),
  };
  if (tier === 'free') return common;
  return {
    id: mr.id,
    iid: mr.iid,
    project_id: mr.projectId,
    title: mr.title,
    description: mr.description ?? null,
    state: mr.state,
    created_at: dateTime(mr.createdAt),
    updated_at: dateTime(mr.updatedAt),
    merge_status: shownMergeStatus(mr.mergeStatus),
    approvals_required: approvalsRequired(mr, approval),
    approvals_left: left,
    require_password_to_approve: false,
    ...common,
    suggested_approvers: suggested.map(user),
    approvers: [],
    approver_groups: [],
    approval_rules_left: requirementsOf(mr, approval).flatMap(({ rule, left: missing }) =>
      rule === undefined || missing === 0 ? [] : [{ id: rule.id, name: rule.name, rule_type: rule.type }],
    ),
    has_approval_rules: rulesInForce(mr, approval).some(({ type }) => type === 'regular'),
  };
}

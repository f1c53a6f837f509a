import { type ApprovalRuleScope, ApprovalRuleServiceService } from '@switchyard/protos/merge_requests/v1/approval_rule';
import type { z } from 'zod';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, csv, documented, integer, integers, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { oneLine } from '../field-facts';
import { positive } from '../issuable-fields';

const ofProject = '/projects/:id/approval_rules' as const;
const oneMergeRequest = '/projects/:id/merge_requests/:merge_request_iid' as const;
const ofMergeRequest = `${oneMergeRequest}/approval_rules` as const;
// To the service 0 is the project, whose rules need other rights.
const mergeRequest = { merge_request_iid: integer({ min: 1 }) };
const ruleId = { approval_rule_id: integer() };
const shared = { section: 'Approvals', tier: 'premium' } as const;

/** What lies outside is for the service to refuse, with its other problems. */
const required = () => documented(integer({ min: 0, max: 2_147_483_647 }), { maximum: 100 });

const named = {
  user_ids: integers({ min: 0 }).optional(),
  usernames: csv().optional(),
  group_ids: integers({ min: 0 }).optional(),
};
const branches = {
  protected_branch_ids: integers({ min: 0 }).optional(),
  applies_to_all_protected_branches: boolean().optional(),
};
const making = {
  name: documented(text({ notEmpty: true }), oneLine),
  approvals_required: required(),
  rule_type: oneOf('regular', 'any_approver').default('regular'),
  ...named,
};
const changing = {
  name: documented(text({ notEmpty: true }), oneLine).optional(),
  approvals_required: required().optional(),
  ...named,
};
const hidden = { remove_hidden_groups: boolean().optional() };
const changeable = ['name', 'approvals_required', 'user_ids', 'usernames', 'group_ids'];

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
type Scope = Values<typeof named> & Partial<Values<typeof branches>>;

const idsOf = (ids: readonly number[] | undefined) => (ids === undefined ? undefined : { ids: positive(ids) });

const scopeOf = (given: Scope): ApprovalRuleScope => ({
  userIds: idsOf(given.user_ids),
  usernames: given.usernames && { names: given.usernames.filter((name) => name !== '') },
  groupIds: idsOf(given.group_ids),
  protectedBranchIds: idsOf(given.protected_branch_ids),
  appliesToAllProtectedBranches: given.applies_to_all_protected_branches,
});

/** @param owner `iid` 0: the project itself */
const creationOf = (
  owner: { readonly projectId: number; readonly iid: number },
  given: Values<typeof making> & Scope,
  sourceRuleId: number,
) => ({
  ...owner,
  name: given.name,
  ruleType: given.rule_type,
  approvalsRequired: given.approvals_required,
  scope: scopeOf(given),
  sourceRuleId,
});

/** @param owner `iid` 0: the project itself */
const updateOf = (
  owner: { readonly projectId: number; readonly iid: number },
  ruleId: number,
  given: Values<typeof changing> & Values<typeof hidden> & Scope,
) => ({
  ...owner,
  ruleId,
  name: given.name,
  approvalsRequired: given.approvals_required,
  scope: scopeOf(given),
  removeHiddenGroups: given.remove_hidden_groups ?? false,
});

/** Approval rules of projects (G-4.2-8). */
const projectRuleRoutes = [
  defineRoute({
    ...shared,
    method: 'get',
    path: ofProject,
    summary: 'List the approval rules of a project',
    access: { project: 'read_merge_request' },
    list: { orderBy: [] },
    returns: { 200: ['ApprovalRule'] },
    handle: ({ access, page, call }) =>
      call(ApprovalRuleServiceService).listApprovalRules({ projectId: access.id, iid: 0, page }),
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: `${ofProject}/:approval_rule_id`,
    summary: 'Get an approval rule of a project',
    access: { project: 'read_merge_request' },
    path_params: ruleId,
    returns: { 200: 'ApprovalRule' },
    handle: ({ path, access, call }) =>
      call(ApprovalRuleServiceService).getApprovalRule({ projectId: access.id, iid: 0, ruleId: path.approval_rule_id }),
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: ofProject,
    summary: 'Make an approval rule of a project',
    docs: {
      description:
        'Demand approvals for merge requests of the project: of the users and groups named, or, by a rule for any approver, of anyone who may approve. A rule holds for the protected branches named, else for every branch.',
      example: { name: 'Security', approvals_required: 1, user_ids: [7], group_ids: [12] },
    },
    access: { project: 'admin_approval_rule' },
    params: { ...making, ...branches },
    returns: { 201: 'ApprovalRule' },
    handle: ({ params, access, call }) =>
      call(ApprovalRuleServiceService).createApprovalRule(creationOf({ projectId: access.id, iid: 0 }, params, 0)),
  }),
  defineRoute({
    ...shared,
    method: 'put',
    path: `${ofProject}/:approval_rule_id`,
    summary: 'Update an approval rule of a project',
    docs: {
      description:
        'Change an approval rule. The users and groups given stand in place of those that it names. Groups that the caller cannot see stay, unless `remove_hidden_groups` is set.',
      example: { approvals_required: 2 },
    },
    access: { project: 'admin_approval_rule' },
    path_params: ruleId,
    params: { ...changing, ...branches, ...hidden },
    relations: [atLeastOne(...changeable, ...Object.keys(branches), ...Object.keys(hidden))],
    returns: { 200: 'ApprovalRule' },
    handle: ({ params, path, access, call }) =>
      call(ApprovalRuleServiceService).updateApprovalRule(
        updateOf({ projectId: access.id, iid: 0 }, path.approval_rule_id, params),
      ),
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: `${ofProject}/:approval_rule_id`,
    summary: 'Remove an approval rule of a project',
    docs: { fails: [412] },
    access: { project: 'admin_approval_rule' },
    path_params: ruleId,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(ApprovalRuleServiceService).deleteApprovalRule({
        projectId: access.id,
        iid: 0,
        ruleId: path.approval_rule_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];

/** Approval rules of single merge requests (G-4.2-8). */
const mergeRequestRuleRoutes = [
  defineRoute({
    ...shared,
    method: 'get',
    path: ofMergeRequest,
    summary: 'List the approval rules of a merge request',
    docs: { description: 'List the rules that a merge request has in place of those of its project.' },
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestApprovalRule'] },
    handle: ({ path, access, page, call }) =>
      call(ApprovalRuleServiceService).listApprovalRules({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: `${ofMergeRequest}/:approval_rule_id`,
    summary: 'Get an approval rule of a merge request',
    access: { project: 'read_merge_request' },
    path_params: { ...mergeRequest, ...ruleId },
    returns: { 200: 'MergeRequestApprovalRule' },
    handle: ({ path, access, call }) =>
      call(ApprovalRuleServiceService).getApprovalRule({
        projectId: access.id,
        iid: path.merge_request_iid,
        ruleId: path.approval_rule_id,
      }),
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: ofMergeRequest,
    summary: 'Make an approval rule of a merge request',
    docs: {
      description:
        'Give an open merge request a rule of its own. Its own rules stand in place of those of its project. With `approval_project_rule_id` the rule is made from one of the project: it names the same users and groups where none are given, and demands no fewer approvals.',
      example: { name: 'Security', approvals_required: 1, user_ids: [7] },
    },
    access: { project: 'approve_merge_request' },
    path_params: mergeRequest,
    params: { ...making, approval_project_rule_id: integer({ min: 1 }).optional() },
    returns: { 201: 'MergeRequestApprovalRule' },
    handle: ({ params, path, access, call }) =>
      call(ApprovalRuleServiceService).createApprovalRule(
        creationOf({ projectId: access.id, iid: path.merge_request_iid }, params, params.approval_project_rule_id ?? 0),
      ),
  }),
  defineRoute({
    ...shared,
    method: 'put',
    path: `${ofMergeRequest}/:approval_rule_id`,
    summary: 'Update an approval rule of a merge request',
    docs: { example: { approvals_required: 2 } },
    access: { project: 'approve_merge_request' },
    path_params: { ...mergeRequest, ...ruleId },
    params: { ...changing, ...hidden },
    relations: [atLeastOne(...changeable, ...Object.keys(hidden))],
    returns: { 200: 'MergeRequestApprovalRule' },
    handle: ({ params, path, access, call }) =>
      call(ApprovalRuleServiceService).updateApprovalRule(
        updateOf({ projectId: access.id, iid: path.merge_request_iid }, path.approval_rule_id, params),
      ),
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: `${ofMergeRequest}/:approval_rule_id`,
    summary: 'Remove an approval rule of a merge request',
    docs: { fails: [412] },
    access: { project: 'approve_merge_request' },
    path_params: { ...mergeRequest, ...ruleId },
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(ApprovalRuleServiceService).deleteApprovalRule({
        projectId: access.id,
        iid: path.merge_request_iid,
        ruleId: path.approval_rule_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: `${oneMergeRequest}/approval_state`,
    summary: 'Get the approval state of a merge request',
    docs: { description: 'Get the rules that are in force for a merge request, and who has approved by each.' },
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    returns: { 200: 'ApprovalState' },
    handle: ({ path, access, call }) =>
      call(ApprovalRuleServiceService).getApprovalState({ projectId: access.id, iid: path.merge_request_iid }),
  }),
];

/** Approval rules, and what they come to. */
export const approvalRuleRoutes = [...projectRuleRoutes, ...mergeRequestRuleRoutes];

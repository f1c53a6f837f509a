import { IssueFilter, IssueServiceService } from '@switchyard/protos/collaboration/v1/issue';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { MergeRequestFilter, MergeRequestServiceService } from '@switchyard/protos/merge_requests/v1/merge_request';
import type { z } from 'zod';
import { boolean, date, dateTime, documented, integer, integers, nullable, oneOf, text } from '../../http/params';
import { defineRoute, type HandlerContext, type Route } from '../../http/route';
import { longText, oneLine } from '../field-facts';
import { type ParentKind, parentOf } from './parents';

const milestone = { milestone_id: integer() };
const content = {
  description: documented(nullable(text()), longText).optional(),
  due_date: nullable(date()).optional(),
  start_date: nullable(date()).optional(),
};
const cleared = (value: string | null | undefined): string | undefined => (value === null ? '' : value);

/** Filters of the milestones of groups alone. */
const ofGroups = { include_descendants: boolean().optional() };

type Context = HandlerContext<z.ZodRawShape, z.ZodRawShape, unknown>;

/** Whose issues or merge requests. */
interface OfMilestone extends Pick<Context, 'page'> {
  readonly projectId: number;
  readonly groupId: number;
  readonly milestoneId: number;
}

/** What a milestone holds, each from its owner. */
const issuables = [
  {
    name: 'issues',
    ability: 'read_issue',
    component: 'IssueListed',
    list: (call: Context['call'], { milestoneId, ...request }: OfMilestone) =>
      call(IssueServiceService).listIssues({
        ...request,
        filter: IssueFilter.fromPartial({ milestoneId }),
        withLabelsDetails: false,
        renderHtml: false,
      }),
  },
  {
    name: 'merge_requests',
    ability: 'read_merge_request',
    component: 'MergeRequestItem',
    list: (call: Context['call'], { milestoneId, ...request }: OfMilestone) =>
      call(MergeRequestServiceService).listMergeRequests({
        ...request,
        filter: MergeRequestFilter.fromPartial({ milestoneId }),
        simple: false,
        withLabelsDetails: false,
        renderHtml: false,
        withMergeStatusRecheck: false,
      }),
  },
] as const;

/** Milestones of projects and of groups are one resource on two paths. */
const milestoneRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/milestones`;
  const component = kind === 'group' ? 'GroupMilestone' : 'ProjectMilestone';
  const read =
    kind === 'group' ? ({ group: 'read_group_milestone' } as const) : ({ project: 'read_milestone' } as const);
  const administer =
    kind === 'group' ? ({ group: 'admin_group_milestone' } as const) : ({ project: 'admin_milestone' } as const);
  return [
    defineRoute({
      method: 'get',
      path: root,
      section: 'Milestones',
      summary: `List the milestones of a ${kind}`,
      access: read,
      params: {
        iids: integers().optional(),
        state: oneOf('active', 'closed', 'all').optional(),
        title: text().optional(),
        search: text().optional(),
        include_parent_milestones: boolean().optional(),
        include_ancestors: boolean().optional(),
        ...(kind === 'group' ? ofGroups : ({} as typeof ofGroups)),
        updated_before: dateTime().optional(),
        updated_after: dateTime().optional(),
        containing_date: date().optional(),
      },
      list: {},
      returns: { 200: ['Milestone'] },
      handle: ({ params, access, page, call }) =>
        call(MilestoneServiceService).listMilestones({
          parent: parentOf(kind, access),
          page,
          iids: params.iids ?? [],
          state: params.state === 'all' ? '' : (params.state ?? ''),
          title: params.title ?? '',
          search: params.search ?? '',
          includeAncestors: params.include_ancestors ?? params.include_parent_milestones ?? false,
          includeDescendants: params.include_descendants ?? false,
          updatedBefore: params.updated_before,
          updatedAfter: params.updated_after,
          containingDate: params.containing_date ?? '',
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${root}/:milestone_id`,
      section: 'Milestones',
      summary: `Get a milestone of a ${kind}`,
      access: read,
      path_params: milestone,
      returns: { 200: component },
      handle: ({ path, access, call }) =>
        call(MilestoneServiceService).getMilestone({ parent: parentOf(kind, access), milestoneId: path.milestone_id }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      section: 'Milestones',
      summary: `Create a milestone in a ${kind}`,
      docs: { example: { title: '1.0', start_date: '2030-01-01', due_date: '2030-01-31' } },
      access: administer,
      params: { title: documented(text({ notEmpty: true }), oneLine), ...content },
      returns: { 201: component },
      handle: ({ params, access, call }) =>
        call(MilestoneServiceService).createMilestone({
          parent: parentOf(kind, access),
          title: params.title,
          description: params.description ?? '',
          dueDate: params.due_date ?? '',
          startDate: params.start_date ?? '',
        }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:milestone_id`,
      section: 'Milestones',
      summary: `Change a milestone of a ${kind}`,
      docs: { example: { state_event: 'close' } },
      access: administer,
      path_params: milestone,
      params: {
        title: documented(text(), oneLine).optional(),
        state_event: oneOf('close', 'activate').optional(),
        ...content,
      },
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(MilestoneServiceService).updateMilestone({
          parent: parentOf(kind, access),
          milestoneId: path.milestone_id,
          title: params.title,
          description: cleared(params.description),
          dueDate: cleared(params.due_date),
          startDate: cleared(params.start_date),
          stateEvent: params.state_event ?? '',
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:milestone_id`,
      section: 'Milestones',
      summary: `Delete a milestone of a ${kind}`,
      docs: { fails: [412] },
      access: administer,
      path_params: milestone,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(MilestoneServiceService).deleteMilestone({
          parent: parentOf(kind, access),
          milestoneId: path.milestone_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
    ...issuables.map(({ name, list, ability, component: item }) =>
      defineRoute({
        method: 'get',
        path: `${root}/:milestone_id/${name}`,
        section: 'Milestones',
        summary: `List the ${name.replace('_', ' ')} of a milestone of a ${kind}`,
        access: kind === 'group' ? read : { project: ability },
        path_params: milestone,
        // One order, the newest first.
        list: { orderBy: [] },
        returns: { 200: [item] },
        handle: async ({ path, access, page, call }) => {
          const parent = parentOf(kind, access);
          await call(MilestoneServiceService).getMilestone({ parent, milestoneId: path.milestone_id });
          return list(call, { ...parent, milestoneId: path.milestone_id, page });
        },
      }),
    ),
  ];
};

export const milestoneRoutes = [...milestoneRoutesOf('group'), ...milestoneRoutesOf('project')];

import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, integer, nullable, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { type ParentKind, parentOf } from './parents';

const priority = () => nullable(integer({ min: 0, max: 2_147_483_647 })).optional();
const changes = {
  new_name: text().optional(),
  color: text().optional(),
  description: nullable(text()).optional(),
  priority: priority(),
};

/** Labels of projects and of groups are one resource on two paths. */
const labelRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/labels`;
  const component = kind === 'group' ? 'GroupLabel' : 'ProjectLabel';
  const read = kind === 'group' ? ({ group: 'read_group_label' } as const) : ({ project: 'read_label' } as const);
  const administer =
    kind === 'group' ? ({ group: 'admin_group_label' } as const) : ({ project: 'admin_label' } as const);
  return [
    defineRoute({
      method: 'get',
      path: root,
      summary: `List the labels of a ${kind}`,
      access: read,
      params: {
        with_counts: boolean().optional(),
        search: text().optional(),
        include_ancestor_groups: boolean().optional(),
        include_descendant_groups: boolean().optional(),
        only_group_labels: boolean().optional(),
      },
      list: {},
      returns: { 200: [component] },
      handle: ({ params, access, page, call }) =>
        call(LabelServiceService).listLabels({
          parent: parentOf(kind, access),
          page,
          search: params.search ?? '',
          includeAncestorGroups: params.include_ancestor_groups,
          includeDescendantGroups: params.include_descendant_groups ?? false,
          onlyGroupLabels: params.only_group_labels,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${root}/:label_id`,
      path_params: { label_id: text() },
      summary: `Get a label of a ${kind}`,
      access: read,
      params: { include_ancestor_groups: boolean().optional() },
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(LabelServiceService).getLabel({
          parent: parentOf(kind, access),
          label: path.label_id,
          includeAncestorGroups: params.include_ancestor_groups,
        }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      summary: `Create a label in a ${kind}`,
      access: administer,
      params: {
        name: text({ notEmpty: true }),
        color: text({ notEmpty: true }),
        description: nullable(text()).optional(),
        priority: priority(),
      },
      returns: { 201: component },
      handle: ({ params, access, call }) =>
        call(LabelServiceService).createLabel({
          parent: parentOf(kind, access),
          name: params.name,
          color: params.color,
          description: params.description ?? '',
          priority: params.priority ?? undefined,
        }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:label_id`,
      path_params: { label_id: text() },
      summary: `Change a label of a ${kind}`,
      access: administer,
      params: changes,
      relations: [atLeastOne('new_name', 'color', 'description', 'priority')],
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(LabelServiceService).updateLabel({
          parent: parentOf(kind, access),
          label: path.label_id,
          newName: params.new_name ?? '',
          color: params.color ?? '',
          description: params.description === null ? '' : params.description,
          priority: params.priority ?? undefined,
          removePriority: params.priority === null,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:label_id`,
      path_params: { label_id: text() },
      summary: `Delete a label of a ${kind}`,
      access: administer,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(LabelServiceService).deleteLabel({
          parent: parentOf(kind, access),
          label: path.label_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

export const labelRoutes = [...labelRoutesOf('group'), ...labelRoutesOf('project')];

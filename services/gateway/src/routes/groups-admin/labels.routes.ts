import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import type { z } from 'zod';
import { atLeastOne, exactlyOne } from '../../http/check-parameters';
import { boolean, documented, integer, nullable, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { atMost, color, labelTitle } from '../field-facts';
import { type ParentKind, parentOf } from './parents';

const priority = () => nullable(integer({ min: 0, max: 2_147_483_647 })).optional();
const changes = {
  new_name: documented(text(), labelTitle).optional(),
  color: documented(text(), color).optional(),
  description: documented(nullable(text()), atMost(512_000)).optional(),
  priority: priority(),
};

/** The older way to name a label, which clients still use for every change: in the parameters, and not in the path. */
const names = { label_id: text().optional(), name: text({ notEmpty: true }).optional() };

/** A label as either way names it; a name is never an id. */
const keyOf = (path: { label_id?: string }, params: { label_id?: string | undefined; name?: string | undefined }) => ({
  label: path.label_id ?? params.label_id ?? params.name ?? '',
  byTitle: params.name !== undefined,
});

/** Filters of the labels of groups alone. */
const ofGroups = { include_descendant_groups: boolean().optional(), only_group_labels: boolean().optional() };

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
      section: 'Labels',
      summary: `List the labels of a ${kind}`,
      access: read,
      params: {
        search: text().optional(),
        include_ancestor_groups: boolean().optional(),
        ...(kind === 'group' ? ofGroups : ({} as typeof ofGroups)),
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
      section: 'Labels',
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
      section: 'Labels',
      summary: `Create a label in a ${kind}`,
      docs: { fails: [409], example: { name: 'bug', color: '#cc3333', description: 'Something is broken' } },
      access: administer,
      params: {
        name: documented(text({ notEmpty: true }), labelTitle),
        color: documented(text({ notEmpty: true }), color),
        description: documented(nullable(text()), atMost(512_000)).optional(),
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
    ...(['subscribe', 'unsubscribe'] as const).map((verb) =>
      defineRoute({
        method: 'post',
        path: `${root}/:label_id/${verb}`,
        section: 'Labels',
        path_params: { label_id: text() },
        summary: verb === 'subscribe' ? `Subscribe to a label of a ${kind}` : `Unsubscribe from a label of a ${kind}`,
        docs: {
          description:
            verb === 'subscribe'
              ? 'Subscribe to a label, also to one of the groups above. 304 when the caller is subscribed to it here.'
              : 'End the subscription to a label. 304 when the caller is not subscribed to it here.',
        },
        access: read,
        returns: { 201: component, 304: undefined },
        handle: ({ path, access, call }) =>
          call(LabelServiceService).setLabelSubscription({
            parent: parentOf(kind, access),
            label: path.label_id,
            subscribed: verb === 'subscribe',
          }),
      }),
    ),
    ...[true, false].flatMap((inPath) => {
      const address = inPath
        ? { path: `${root}/:label_id`, path_params: { label_id: text() } }
        : { path: root, path_params: {} as { label_id: z.ZodType<string> } };
      const named = inPath ? ({} as typeof names) : names;
      const rules = inPath ? [] : [exactlyOne('label_id', 'name')];
      const which = inPath ? '' : ' that the parameters name';
      return [
        defineRoute({
          method: 'put',
          section: 'Labels',
          ...address,
          summary: `Change a label of a ${kind}${which}`,
          docs: { fails: [409], example: { ...(inPath ? {} : { name: 'bug' }), new_name: 'defect', color: '#cc3333' } },
          access: administer,
          params: { ...named, ...changes },
          relations: [...rules, atLeastOne('new_name', 'color', 'description', 'priority')],
          returns: { 200: component },
          handle: ({ params, path, access, call }) =>
            call(LabelServiceService).updateLabel({
              parent: parentOf(kind, access),
              ...keyOf(path, params),
              newName: params.new_name,
              color: params.color,
              description: params.description === null ? '' : params.description,
              priority: params.priority ?? undefined,
              removePriority: params.priority === null,
            }),
        }),
        defineRoute({
          method: 'delete',
          section: 'Labels',
          ...address,
          summary: `Delete a label of a ${kind}${which}`,
          docs: { fails: [412] },
          access: administer,
          params: named,
          relations: rules,
          returns: { 204: undefined },
          handle: ({ params, path, access, unmodifiedSince, call }) =>
            call(LabelServiceService).deleteLabel({
              parent: parentOf(kind, access),
              ...keyOf(path, params),
              ifUnmodifiedSince: unmodifiedSince,
            }),
        }),
      ];
    }),
  ];
};

export const labelRoutes = [...labelRoutesOf('group'), ...labelRoutesOf('project')];

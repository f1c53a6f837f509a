import { CustomAttributeServiceService } from '@switchyard/protos/groups_admin/v1/custom_attribute';
import { boolean, documented, forAdministrators, integer, text, textsByName } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { notBlank, oneLine } from '../field-facts';

/** Parameters of reads that show custom attributes. */
export const shownCustomAttributes = { with_custom_attributes: forAdministrators(boolean().optional()) };

/** Parameters of lists that show custom attributes, and filter by them. */
export const listedCustomAttributes = {
  ...shownCustomAttributes,
  custom_attributes: forAdministrators(
    documented(textsByName({ maxNames: 20 }), {
      description: 'Only what has these custom attributes, as `custom_attributes[key]=value`.',
    }).optional(),
  ),
};

type Kind = 'user' | 'group' | 'project';
type Owner = { userId: number; groupId: number; projectId: number };

const attribute = { key: documented(text(), oneLine) };
const user = { id: integer() };

// A user is named by its id; groups and projects are resolved by the gateway.
const rules: Readonly<Record<Kind, Pick<Route, 'access' | 'administrators'>>> = {
  user: { access: 'admin' },
  group: { access: { group: 'read_group' }, administrators: true },
  project: { access: { project: 'read_project' }, administrators: true },
};

const ownerOf = (kind: Kind, path: { id: number }, access: { id: number } | undefined): Owner => ({
  userId: kind === 'user' ? path.id : 0,
  groupId: kind === 'group' ? (access?.id ?? 0) : 0,
  projectId: kind === 'project' ? (access?.id ?? 0) : 0,
});

/** Custom attributes of users, of groups and of projects are one resource on three paths. */
const customAttributeRoutesOf = (kind: Kind): Route[] => {
  const root = `/${kind}s/:id/custom_attributes`;
  const rule = rules[kind];
  const path_params = kind === 'user' ? user : ({} as typeof user);
  const one = { ...path_params, ...attribute };
  return [
    defineRoute({
      method: 'get',
      path: root,
      section: 'Custom attributes',
      summary: `List the custom attributes of a ${kind}`,
      ...rule,
      path_params,
      list: {},
      returns: { 200: ['CustomAttribute'] },
      handle: ({ path, access, page, call }) =>
        call(CustomAttributeServiceService).listCustomAttributes({ owner: ownerOf(kind, path, access), page }),
    }),
    defineRoute({
      method: 'get',
      path: `${root}/:key`,
      section: 'Custom attributes',
      summary: `Get a custom attribute of a ${kind}`,
      ...rule,
      path_params: one,
      returns: { 200: 'CustomAttribute' },
      handle: ({ path, access, call }) =>
        call(CustomAttributeServiceService).getCustomAttribute({ owner: ownerOf(kind, path, access), key: path.key }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:key`,
      section: 'Custom attributes',
      summary: `Set a custom attribute of a ${kind}`,
      docs: { description: 'Make a custom attribute, or change its value.', example: { value: 'Lyon' } },
      ...rule,
      path_params: one,
      params: { value: documented(text(), notBlank(255)) },
      returns: { 200: 'CustomAttribute' },
      handle: ({ path, params, access, call }) =>
        call(CustomAttributeServiceService).setCustomAttribute({
          owner: ownerOf(kind, path, access),
          key: path.key,
          value: params.value,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:key`,
      section: 'Custom attributes',
      summary: `Delete a custom attribute of a ${kind}`,
      docs: { fails: [412] },
      ...rule,
      path_params: one,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(CustomAttributeServiceService).deleteCustomAttribute({
          owner: ownerOf(kind, path, access),
          key: path.key,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

/** Custom attributes, which administrators alone see and change (G-4.15-11). */
export const customAttributeRoutes = (['user', 'group', 'project'] as const).flatMap(customAttributeRoutesOf);

import { VariableServiceService } from '@switchyard/protos/groups_admin/v1/variable';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import { boolean, documented, hash, nullable, oneOf, text } from '../../http/params';
import { defineRoute, type Route, type RouteAccess } from '../../http/route';
import { atMost, variableKey } from '../field-facts';
import { parentOf } from './parents';

type Place = 'group' | 'project' | 'instance';

const scope = () =>
  documented(text(), {
    minLength: 1,
    maxLength: 255,
    pattern: '^[A-Za-z0-9_/{}$. *-]+$',
    description: 'Environments that it is for; `*` means any text.',
  });
const value = () =>
  documented(text(), {
    maxLength: 10_000,
    description: 'That of a masked variable has 8 characters or more, on one line.',
  });
const variableType = () => oneOf('env_var', 'file');
const description = () => documented(nullable(text()), atMost(255)).optional();

/** Which of several variables with one key. */
const filter = { filter: hash({ environment_scope: text().optional() }).optional() };
/** What variables of groups and projects have, and those of the instance have not. */
const scoped = { environment_scope: scope().optional(), masked_and_hidden: boolean().default(false) };
const rescoped = { ...filter, environment_scope: scope().optional(), masked_and_hidden: boolean().optional() };

const places = {
  group: { root: '/groups/:id/variables', of: 'a group', component: 'Variable' },
  project: { root: '/projects/:id/variables', of: 'a project', component: 'Variable' },
  instance: { root: '/admin/ci/variables', of: 'the instance', component: 'InstanceVariable' },
} as const;

/** Owners of groups, Maintainers of projects, administrators (api.md 4.3, gaps §10 Project variables). */
const accessTo: Record<Place, { readonly read: RouteAccess; readonly write: RouteAccess }> = {
  group: { read: { group: 'admin_group' }, write: { group: 'admin_group' } },
  project: { read: { project: 'admin_project' }, write: { project: 'admin_variable' } },
  instance: { read: 'admin', write: 'admin' },
};

const path_params = { key: text() };

/** Variables of groups, of projects and of the instance are one resource on three paths. */
const variableRoutesOf = (place: Place): Route[] => {
  const { root, of, component } = places[place];
  const { read, write } = accessTo[place];
  const hasScopes = place !== 'instance';
  const one = { path: `${root}/:key`, path_params, section: 'Variables' } as const;
  const filtered = hasScopes ? filter : ({} as typeof filter);
  const parent = (access: Access | undefined) =>
    place === 'instance' || access === undefined ? { groupId: 0, projectId: 0 } : parentOf(place, access);
  return [
    defineRoute({
      method: 'get',
      path: root,
      section: 'Variables',
      summary: `List the variables of ${of}`,
      access: read,
      list: {},
      returns: { 200: [component] },
      handle: ({ access, page, call }) => call(VariableServiceService).listVariables({ parent: parent(access), page }),
    }),
    defineRoute({
      ...one,
      method: 'get',
      summary: `Get a variable of ${of}`,
      docs: hasScopes ? { fails: [409] } : {},
      access: read,
      params: filtered,
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(VariableServiceService).getVariable({
          parent: parent(access),
          key: path.key,
          environmentScope: params.filter?.environment_scope,
        }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      section: 'Variables',
      summary: `Create a variable of ${of}`,
      docs: { example: { key: 'DEPLOY_HOST', value: 'host.example.com', protected: true } },
      access: write,
      params: {
        key: documented(text(), variableKey),
        value: value(),
        variable_type: variableType().default('env_var'),
        protected: boolean().default(false),
        masked: boolean().default(false),
        raw: boolean().default(false),
        description: description(),
        ...(hasScopes ? scoped : ({} as typeof scoped)),
      },
      returns: { 201: component },
      handle: ({ params, access, call }) =>
        call(VariableServiceService).createVariable({
          parent: parent(access),
          key: params.key,
          value: params.value,
          variableType: params.variable_type,
          isProtected: params.protected,
          masked: params.masked,
          maskedAndHidden: params.masked_and_hidden ?? false,
          raw: params.raw,
          environmentScope: params.environment_scope ?? '',
          description: params.description ?? undefined,
        }),
    }),
    defineRoute({
      ...one,
      method: 'put',
      summary: `Change a variable of ${of}`,
      docs: {
        description: hasScopes
          ? 'Without `filter` the oldest variable with the key changes. The key cannot be changed.'
          : 'The key cannot be changed.',
        example: { value: 'other.example.com' },
      },
      access: write,
      params: {
        value: value().optional(),
        variable_type: variableType().optional(),
        protected: boolean().optional(),
        masked: boolean().optional(),
        raw: boolean().optional(),
        description: description(),
        ...(hasScopes ? rescoped : ({} as typeof rescoped)),
      },
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(VariableServiceService).updateVariable({
          parent: parent(access),
          key: path.key,
          ofScope: params.filter?.environment_scope,
          value: params.value,
          variableType: params.variable_type,
          isProtected: params.protected,
          masked: params.masked,
          maskedAndHidden: params.masked_and_hidden,
          raw: params.raw,
          environmentScope: params.environment_scope,
          description: params.description ?? undefined,
          removeDescription: params.description === null,
        }),
    }),
    defineRoute({
      ...one,
      method: 'delete',
      summary: `Delete a variable of ${of}`,
      docs: { fails: hasScopes ? [409, 412] : [412] },
      access: write,
      params: filtered,
      returns: { 204: undefined },
      handle: ({ params, path, access, unmodifiedSince, call }) =>
        call(VariableServiceService).deleteVariable({
          parent: parent(access),
          key: path.key,
          environmentScope: params.filter?.environment_scope,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

/** CI variables (api.md 4.3, G-4.3-1 … G-4.3-14). */
export const variableRoutes = [
  ...variableRoutesOf('group'),
  ...variableRoutesOf('project'),
  ...variableRoutesOf('instance'),
];

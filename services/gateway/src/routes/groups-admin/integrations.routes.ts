import {
  type Field,
  type IntegrationKind,
  integrationKind,
  integrationKinds,
  kindSchemas,
  kindTable,
  parametersOf,
  switchAliases,
} from '@switchyard/integration-kinds';
import { type IntegrationParameter, IntegrationServiceService } from '@switchyard/protos/groups_admin/v1/integration';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import type { z } from 'zod';
import { inWords } from '../../http/check-parameters';
import { boolean, csv, documented, integer, oneOf, text } from '../../http/params';
import { defineRoute, type Route, type RouteAccess } from '../../http/route';
import { parentOf } from './parents';

type Place = 'group' | 'project' | 'instance';

const slugs = integrationKinds.map(({ slug }) => slug);

/** Kinds that the description of a parameter names; of more it says how many. */
const namedKinds = 8;

/** The kinds that have a parameter, in words. */
function kindsWith(name: string): string {
  const having = integrationKinds.filter((kind) => parametersOf(kind).includes(name)).map(({ slug }) => `\`${slug}\``);
  return having.length > namedKinds ? `Of ${having.length} kinds.` : `Of ${having.join(', ')}.`;
}

function schemaOf(field: Field): z.ZodType {
  if (field.type === 'flag') return boolean();
  if (field.type === 'list') return csv();
  if (field.type === 'number') return integer({ min: field.min, max: field.max });
  return documented(text(), { maxLength: field.max });
}

/** Of the fields with one name the one that takes least: the document states what every kind accepts. */
const strictest = (one: Field | undefined, other: Field): Field =>
  one?.type === 'text' && other.type === 'text' && one.max <= other.max ? one : other;

/**
 * Every parameter of every kind: names mean the same wherever they are used. Which of them a kind takes, and which it
 * needs, follows from the slug.
 */
const params: z.ZodRawShape = {
  use_inherited_settings: documented(boolean(), {
    description: 'Have the settings of the nearest place above that has some, now and later.',
  }).default(false),
  ...Object.fromEntries(
    [
      ...integrationKinds
        .flatMap(({ fields }) => fields)
        .reduce(
          (byName, field) => byName.set(field.name, strictest(byName.get(field.name), field)),
          new Map<string, Field>(),
        )
        .values(),
    ].map((field) => [field.name, documented(schemaOf(field), { description: kindsWith(field.name) }).optional()]),
  ),
  ...Object.fromEntries(
    [...new Set(integrationKinds.flatMap(({ switches }) => switches)), ...Object.keys(switchAliases)].map((name) => [
      name,
      documented(boolean(), { description: kindsWith(name) }).optional(),
    ]),
  ),
};

/** The kind that a path names; undefined for none. */
const kindOf = (path: Readonly<Record<string, unknown>>): IntegrationKind | undefined =>
  integrationKind(String(path.slug));

/** Required parameters of the kind must be sent (G-4.4-2), unless it has the settings of another place. */
const hasRequired = inWords((sent, path) => {
  if (boolean().safeParse(sent.use_inherited_settings).data === true) return undefined;
  const missing = (kindOf(path)?.fields ?? []).filter(({ name, required }) => required && !Object.hasOwn(sent, name));
  return missing.length === 0 ? undefined : missing.map(({ name }) => `${name} is missing`).join(', ');
});

/** What was sent of the parameters that the kind has. */
const sentOf = (slug: string, values: Readonly<Record<string, unknown>>): IntegrationParameter[] => {
  const kind = integrationKind(slug);
  const names = kind === undefined ? [] : parametersOf(kind).filter((name) => name !== 'use_inherited_settings');
  return names.flatMap((name): IntegrationParameter[] => {
    const value = values[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [{ name, value: { $case: 'flag', value } }];
    if (typeof value === 'number') return [{ name, value: { $case: 'number', value } }];
    if (Array.isArray(value)) return [{ name, value: { $case: 'texts', value: { items: value } } }];
    return [{ name, value: { $case: 'text', value: String(value) } }];
  });
};

/** Maintainers of groups and projects (G-4.4-1, api.md 5.3); administrators for the instance. */
const accessTo: Record<Place, { readonly read: RouteAccess; readonly write: RouteAccess }> = {
  group: { read: { group: 'admin_group_integration' }, write: { group: 'admin_group_integration' } },
  project: { read: { project: 'admin_project' }, write: { project: 'admin_integration' } },
  instance: { read: 'admin', write: 'admin' },
};

const names: Record<Place, string> = { group: 'a group', project: 'a project', instance: 'the instance' };

const described: Record<Place, string> = {
  group: [
    'Parameters that are not sent stay; a blank one is taken away. The parameters of each kind:',
    kindTable(),
  ].join('\n\n'),
  project: `Takes what \`PUT /groups/{id}/integrations/{slug}\` takes. Of projects alone: ${integrationKinds
    .filter(({ projectOnly }) => projectOnly)
    .map(({ slug }) => `\`${slug}\``)
    .join(', ')}.`,
  instance:
    'The settings of groups and projects that have none of their own. Takes what `PUT /groups/{id}/integrations/{slug}` takes.',
};

/** What the body of each kind needs and takes, or that it has the settings of another place. */
const bodiesFor = (place: Place) => ({
  InheritedIntegrationSettings: {
    title: 'The settings of a place above',
    type: 'object',
    required: ['use_inherited_settings'],
    properties: { use_inherited_settings: { const: true } },
  },
  ...kindSchemas(integrationKinds.filter(({ projectOnly }) => place === 'project' || projectOnly !== true)),
});

/** Integrations of groups, of projects and of the instance are one resource on four paths. */
const integrationRoutesOf = (place: Place, root: string): Route[] => {
  const { read, write } = accessTo[place];
  const section = 'Integrations';
  const known = { path: `${root}/:slug`, section, path_params: { slug: oneOf(...slugs) } } as const;
  const parent = (access: Access | undefined) =>
    place === 'instance' || access === undefined ? { groupId: 0, projectId: 0 } : parentOf(place, access);
  const of = names[place];
  return [
    defineRoute({
      method: 'get',
      path: root,
      section,
      summary: `List the active integrations of ${of}`,
      docs: { description: 'Inherited ones among them. The list is not paged.' },
      access: read,
      returns: { 200: ['Integration'] },
      handle: ({ access, call }) => call(IntegrationServiceService).listIntegrations({ parent: parent(access) }),
    }),
    defineRoute({
      ...known,
      method: 'get',
      summary: `Get an integration of ${of}`,
      docs: { description: 'Its secrets are not shown.' },
      access: read,
      returns: { 200: 'IntegrationWithProperties' },
      handle: ({ path, access, call }) =>
        call(IntegrationServiceService).getIntegration({ parent: parent(access), slug: path.slug }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:slug`,
      section,
      path_params: { slug: text() },
      summary: `Set up an integration of ${of}`,
      docs: {
        description: described[place],
        fails: [405, 422],
        bodies: bodiesFor(place),
        example: { webhook: 'https://chat.example.com/hooks/one', push_events: true },
      },
      access: write,
      params,
      relations: [hasRequired],
      returns: { 200: 'IntegrationWithProperties' },
      handle: ({ params: values, path, access, call }) =>
        call(IntegrationServiceService).setIntegration({
          parent: parent(access),
          slug: path.slug,
          parameters: sentOf(path.slug, values),
          useInheritedSettings: values.use_inherited_settings === true,
        }),
    }),
    defineRoute({
      ...known,
      method: 'delete',
      summary: `Disable an integration of ${of}`,
      docs: { description: 'Its settings are forgotten.', fails: [412, 422] },
      access: write,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(IntegrationServiceService).disableIntegration({
          parent: parent(access),
          slug: path.slug,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

/** Integrations (api.md 4.4, G-4.4-1 … G-4.4-12); `services` is what their paths were called before. */
export const integrationRoutes = [
  ...integrationRoutesOf('group', '/groups/:id/integrations'),
  ...integrationRoutesOf('project', '/projects/:id/integrations'),
  ...integrationRoutesOf('project', '/projects/:id/services'),
  ...integrationRoutesOf('instance', '/admin/integrations'),
];

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { needsToken, scopesOf, targetKind } from './authorize';
import { pageParameters } from './page';
import { openapiOf } from './params';
import type { Route } from './route';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
  readonly [key: string]: unknown;
}

/** One operation of the document. */
export interface Operation {
  readonly summary: string;
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
  readonly [key: string]: unknown;
}

/** Schemas of the public representations, by component name, as `protos/openapi/*.yaml` state them. */
export function readComponents(): Record<string, unknown> {
  const folder = join(dirname(require.resolve('@switchyard/protos/package.json')), 'openapi');
  const schemas: Record<string, unknown> = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    const document = parse(readFileSync(join(folder, file), 'utf8')) as {
      components: { schemas: Record<string, unknown> };
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (Object.hasOwn(schemas, name)) throw new Error(`component ${name} is stated twice`);
      schemas[name] = schema;
    }
  }
  return schemas;
}

const reference = (component: string | readonly [string] | undefined): unknown => {
  if (component === undefined) return undefined;
  if (typeof component === 'string') return { $ref: `#/components/schemas/${component}` };
  return { type: 'array', items: { $ref: `#/components/schemas/${component[0]}` } };
};

const isRead = (route: Route): boolean => route.method === 'get' || route.method === 'delete';

/** The document that follows from the route declarations and the component schemas. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route.path.replace(/[:*]([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Switchyard REST API', version: 'v4' },
    servers: [{ url: `${serverUrl}/api/v4` }],
    paths,
    components: {
      schemas: readComponents(),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operation(route: Route): Operation {
  const own = Object.entries({ ...route.params, ...(route.list === undefined ? {} : pageParameters(route.list)) });
  const described = own.map(([name, schema]) => ({
    name,
    required: !acceptsAbsence(schema),
    schema: openapiOf(schema),
  }));
  const taken = [
    ...(route.upload === undefined
      ? []
      : [{ name: route.upload, required: true, schema: { type: 'string', format: 'binary' } }]),
    ...described,
  ];
  const pathParameters = [...route.path.matchAll(/[:*]([a-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema:
      name === 'id' && targetKind(route) !== undefined
        ? { type: 'string', description: 'Id or URL-encoded full path' }
        : openapiOf(route.path_params?.[name] ?? { meta: () => ({ openapi: { type: 'string' } }) }),
  }));
  const scopes = scopesOf(route);
  return {
    summary: route.summary,
    tags: [tagOf(route.path)],
    ...(route.tier === undefined ? {} : { 'x-tier': route.tier }),
    'x-access': route.access,
    security: [...(needsToken(route) ? [] : [{}]), { token: [] }, { bearer: scopes === 'any' ? [] : scopes }],
    parameters: [
      ...pathParameters,
      ...(isRead(route) ? described.map((parameter) => ({ ...parameter, in: 'query' })) : []),
    ],
    ...(isRead(route) || taken.length === 0
      ? {}
      : {
          requestBody: {
            content: {
              [route.upload === undefined ? 'application/json' : 'multipart/form-data']: {
                schema: {
                  type: 'object',
                  required: taken.filter(({ required }) => required).map(({ name }) => name),
                  properties: Object.fromEntries(taken.map(({ name, schema }) => [name, schema])),
                },
              },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.returns).map(([status, component]) => [
          status,
          {
            description: status,
            ...(component === undefined ? {} : { content: { 'application/json': { schema: reference(component) } } }),
          },
        ]),
      ),
      default: { description: 'Failure', content: { 'application/json': { schema: reference('Error') } } },
    },
  };
}

const acceptsAbsence = (schema: unknown): boolean => {
  const { type } = (schema as { _zod: { def: { type: string } } })._zod.def;
  return type === 'optional' || type === 'default';
};

/** Sections of the reference by a segment of the path; what names none, such as `/projects/:id/archive`, stands with the first segment. */
const sections: Readonly<Record<string, string>> = {
  version: 'Instance',
  metadata: 'Instance',
  user: 'Users',
  users: 'Users',
  personal_access_tokens: 'Personal access tokens',
  namespaces: 'Namespaces',
  groups: 'Groups',
  projects: 'Projects',
  members: 'Members',
  labels: 'Labels',
  milestones: 'Milestones',
  issues: 'Issues',
  issues_statistics: 'Issues',
  events: 'Events',
  todos: 'To-dos',
  merge_requests: 'Merge requests',
  repository: 'Repositories',
  branches: 'Branches',
  commits: 'Commits',
  files: 'Repository files',
  tags: 'Tags',
  protected_branches: 'Protected branches',
  pipelines: 'Pipelines',
  pipeline: 'Pipelines',
  statuses: 'Commit statuses',
};

const tagOf = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '');
  const [first = '', second = '', third = '', fourth = ''] = parts;
  const named = [third === 'repository' ? fourth : '', third, second, first].find((part) =>
    Object.hasOwn(sections, part),
  );
  return named === undefined ? first : (sections[named] as string);
};

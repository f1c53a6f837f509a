import { readFileSync } from 'node:fs';
import { needsToken, scopesOf } from './authorize';
import { descriptionOf } from './reference/access-text';
import { ingestionPaths, ingestionSecuritySchemes } from './reference/ingestion';
import { linksOf } from './reference/links';
import { operationId } from './reference/operation-id';
import { bodySchema, parameterComponents, parametersOf, queryRules, requestBody } from './reference/parameters';
import { failureComponents, headerComponents, responsesOf } from './reference/responses';
import { sections } from './reference/sections';
import type { Route } from './route';
import { openapiPath } from './route-path';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, unknown>; readonly [kind: string]: Record<string, unknown> };
  readonly [key: string]: unknown;
}

/** One operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly [key: string]: unknown;
}

/** Schemas of the public representations, by component name, as `protos/openapi/*.yaml` state them. */
const readComponents = (): Record<string, unknown> =>
  JSON.parse(readFileSync(require.resolve('@switchyard/protos/components.json'), 'utf8'));

function add(schemas: Record<string, unknown>, name: string, schema: unknown): void {
  if (Object.hasOwn(schemas, name)) throw new Error(`component ${name} is stated twice`);
  schemas[name] = schema;
}

const description = `A collaboration platform with merge trains. Clients of the GitLab REST API v4 can use it as they are.

- A token goes into \`PRIVATE-TOKEN\` or \`Authorization: Bearer\`; that of an administrator with the scope \`sudo\` acts for the user in \`Sudo\`.
- Parameters of reads and deletions stand in the query string, those of the rest in a JSON or form body. What is not declared is ignored.
- An array is written \`a=1,2\` or \`a[]=1&a[]=2\`, a hash \`not[labels]=bug\`, an array of hashes \`actions[][action]=create\`. Tools that follow this
  document write the first form.
- Texts are UTF-8. A body has at most 5 MiB where an operation does not say otherwise, 32 levels, 20,000 names and
  100,000 values of JSON, and 1,000 keys of a form.
- A failure is JSON with \`message\` or \`error\`. After 429 and 503 \`Retry-After\` says when to come again; nothing was begun. After 504 a write may have been carried out.
- A write with an \`Idempotency-Key\` can be sent again: it is carried out once in 24 hours, and answered as the first time.
- Git over HTTP is served at \`/<full path>.git\` and is not part of this document.`;

/** The document that follows from the route declarations and the component schemas. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): OpenApiDocument {
  const schemas = readComponents();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = openapiPath(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(route, routes) };
    const schema = bodySchema(route);
    const bodies = route.docs?.bodies;
    if (schema !== undefined) add(schemas, requestComponent(route), { ...schema, ...choiceOf(bodies) });
    // Several routes take the same bodies.
    Object.assign(schemas, bodies);
  }
  Object.assign(paths, ingestionPaths(serverUrl));
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard REST API',
      version: 'v4',
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Switchyard' },
    },
    servers: [{ url: `${serverUrl}/api/v4` }],
    tags: Object.entries(sections)
      .filter(([name]) => used.has(name))
      .map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas,
      parameters: parameterComponents,
      headers: headerComponents,
      responses: failureComponents,
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'A personal access token.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
        ...ingestionSecuritySchemes,
      },
    },
  };
}

/** That a body fits at least one of some components. */
const choiceOf = (bodies: Readonly<Record<string, object>> | undefined) =>
  bodies === undefined ? {} : { anyOf: Object.keys(bodies).map((name) => ({ $ref: `#/components/schemas/${name}` })) };

/** Name of the component that describes an endpoint's body. */
const requestComponent = (route: Route): string => {
  const id = operationId(route);
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
};

function operation(route: Route, routes: readonly Route[]): Operation {
  const scopes = scopesOf(route);
  const parameters = parametersOf(route);
  const body = requestBody(route, requestComponent(route));
  const rules = queryRules(route);
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.section],
    ...(route.tier === undefined ? {} : { 'x-tier': route.tier }),
    'x-access': route.access,
    ...(rules === undefined ? {} : { 'x-query-rules': rules }),
    security: [...(needsToken(route) ? [] : [{}]), { token: [] }, { bearer: scopes === 'any' ? [] : scopes }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(route, linksOf(route, routes)),
  };
}

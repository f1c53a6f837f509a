import { integrationKinds } from '@switchyard/integration-kinds';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { checkParameters } from '../../src/http/check-parameters';
import { openApiDocument } from '../../src/http/openapi';
import { operationId } from '../../src/http/reference/operation-id';
import { exampleOf, requestBody, shapeOf, takesFileAlone } from '../../src/http/reference/parameters';
import { sections } from '../../src/http/reference/sections';
import { routes } from '../../src/routes';
import { startTestGateway } from '../support/gateway';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Record<string, unknown>[];
  readonly responses: Record<string, { links?: Record<string, { operationId: string; parameters: object }> }>;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
const document = openApiDocument(routes, 'https://forge.example') as any;
const operations: { method: string; path: string; operation: Operation }[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Operation>)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({ method, path, operation })),
);

test('every route stands in the document, in a section, and nothing else but the alert inlet', () => {
  expect(operations.filter(({ path }) => !path.includes('/alerts/notify'))).toHaveLength(routes.length);
  // Each section has operations, and the document lists them in reading order.
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(Object.keys(sections));
  expect([...used].sort()).toEqual(Object.keys(sections).sort());
  expect(operations.map(({ path }) => path)).toContain('/{project_path}/alerts/notify/{name}/{endpoint_id}');
});

test('every operation says what it does and how it fails', () => {
  for (const { operation } of operations) {
    expect(operation.summary).not.toBe('');
    expect(operation.description).toMatch(/^[A-Z][\s\S]*\n\n- Access: [A-Z]/i);
    expect(Object.keys(operation.responses).some((status) => status.startsWith('4'))).toBe(true);
    expect(Object.keys(operation.responses).some((status) => /^[23]/.test(status))).toBe(true);
  }
});

// That they stay as they are is held by document.test.ts.
test('operation ids are unique names in camel case', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
});

test('nothing is left of OpenAPI 3.0', () => {
  const find = (value: unknown, at: string): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) => [
          ...(key === 'nullable' ? [at] : []),
          ...find(inner, `${at}/${key}`),
        ]);
  expect(find(document, '')).toEqual([]);
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'document', components: document.components });
const fits = (component: string, value: unknown): string =>
  ajv.validate({ $ref: `document#/components/schemas/${component}` }, value) ? '' : ajv.errorsText();
const requestOf = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
const withBody = routes.filter(
  (route) =>
    requestBody(route, '') !== undefined &&
    route.upload === undefined &&
    route.streams === undefined &&
    !takesFileAlone(route),
);

test('the example of every body fits its schema and is accepted', () => {
  expect(withBody.length).toBeGreaterThan(60);
  for (const route of withBody) {
    const example = exampleOf(route);
    const id = operationId(route);
    expect(`${id} ${checkParameters(shapeOf(route) as never, example, route.relations).problems.join()}`).toBe(
      `${id} `,
    );
    expect(`${id} ${fits(requestOf(id), example)}`).toBe(`${id} `);
  }
});

test('rules over several parameters are in the schemas', () => {
  const issue = { title: 'A' };
  expect(fits('CreateProjectIssueRequest', issue)).toBe('');
  expect(fits('CreateProjectIssueRequest', { ...issue, assignee_id: 1, assignee_ids: [1] })).toBe('');
  expect(fits('CreateProjectRequest', {})).not.toBe('');
  expect(fits('CreateProjectRequest', { path: 'web' })).toBe('');
  expect(fits('CreateProjectSnippetRequest', { title: 'A', visibility: 'private' })).not.toBe('');
  const both = { title: 'A', visibility: 'private', content: 'x', files: [{ file_path: 'a', content: 'x' }] };
  expect(fits('CreateProjectSnippetRequest', both)).not.toBe('');
  const rules = document.paths['/merge_requests'].get['x-query-rules'];
  expect(ajv.validate(rules, { author_id: 1 })).toBe(true);
  expect(ajv.validate(rules, { author_id: 1, author_username: 'ada' })).toBe(false);
});

test('what each kind of integration needs is in the schemas (G-4.4-2)', () => {
  for (const { slug, fields } of integrationKinds) {
    const component = `${slug.replace(/(^|-)([a-z])/g, (_whole, _start, letter) => letter.toUpperCase())}IntegrationSettings`;
    const required = fields.filter((field) => field.required);
    const body = Object.fromEntries(
      required.map((field) => [field.name, ('choices' in field ? field.choices?.[0] : undefined) ?? 'a']),
    );
    expect(`${slug} ${fits(component, body)}`).toBe(`${slug} `);
    for (const { name } of required) {
      const { [name]: _, ...others } = body;
      expect(`${slug} ${fits(component, others)}`).toContain(`'${name}'`);
    }
    expect(Object.keys(document.components.schemas[component].properties)).toEqual(
      expect.arrayContaining(fields.map(({ name }) => name)),
    );
  }
  const choices = (id: string) => JSON.stringify(document.components.schemas[id].anyOf);
  expect(choices('UpdateProjectIntegrationRequest')).toContain('/JenkinsIntegrationSettings');
  expect(choices('UpdateGroupIntegrationRequest')).not.toContain('/JenkinsIntegrationSettings');
  expect(document.components.schemas.RedmineIntegrationSettings.description).toContain('Nothing is sent');
});

test('links lead from what was made to its own operations', () => {
  const links = operations.flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([, { links: found = {} }]) =>
      Object.values(found).map((link) => ({ path, link })),
    ),
  );
  expect(links.length).toBeGreaterThan(40);
  for (const { path, link } of links) {
    const target = operations.find(({ operation }) => operation.operationId === link.operationId);
    expect(target?.path.startsWith(`${path}/{`)).toBe(true);
    expect(Object.keys(link.parameters)).toEqual(
      [...(target?.path ?? '').matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name),
    );
  }
  const { links: made } = document.paths['/projects/{id}/issues'].post.responses[201];
  expect(made.getProjectIssue.parameters).toEqual({ id: '$request.path.id', issue_iid: '$response.body#/iid' });
});

test('a link reads a field that the reply has', () => {
  const propertiesOf = (schema: {
    $ref?: string;
    oneOf?: object[];
    anyOf?: object[];
    allOf?: object[];
    properties?: object;
  }): string[] =>
    schema.$ref !== undefined
      ? propertiesOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''])
      : [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
          .flatMap(propertiesOf)
          .concat(Object.keys(schema.properties ?? {}));
  for (const { operation } of operations) {
    for (const response of Object.values(operation.responses) as {
      links?: object;
      content?: Record<string, { schema: object }>;
    }[]) {
      const schema = response.content?.['application/json']?.schema ?? {};
      for (const [, field] of JSON.stringify(response.links ?? {}).matchAll(/\$response\.body#\/([a-z]+)/g))
        expect({ operation: operation.operationId, fields: propertiesOf(schema) }).toEqual({
          operation: operation.operationId,
          fields: expect.arrayContaining([field]),
        });
    }
  }
});

describe('/docs/openapi.json', () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  beforeAll(async () => {
    gateway = await startTestGateway({});
  });
  afterAll(() => gateway.close());
  const ask = (headers: Record<string, string>) => fetch(`${gateway.url}/docs/openapi.json`, { headers });

  it('is compressed, and not sent again to those who have it', async () => {
    const plain = await ask({ 'Accept-Encoding': 'identity' });
    const body = await plain.text();
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(JSON.parse(body).openapi).toBe('3.1.0');
    for (const encoding of ['gzip', 'br']) {
      const reply = await ask({ 'Accept-Encoding': encoding });
      expect(reply.headers.get('content-encoding')).toBe(encoding);
      expect(reply.headers.get('vary')).toContain('Accept-Encoding');
      expect(Number(reply.headers.get('content-length'))).toBeLessThan(body.length / 10);
      expect(await reply.text()).toBe(body);
    }
    const tag = plain.headers.get('etag') ?? '';
    const again = await ask({ 'If-None-Match': tag, 'Cache-Control': 'max-age=0' });
    expect(again.status).toBe(304);
    expect(again.headers.get('cache-control')).toContain('max-age');
    expect(await again.text()).toBe('');
  });
});

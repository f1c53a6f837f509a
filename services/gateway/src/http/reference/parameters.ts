import { targetKind } from '../authorize';
import type { RelationRule } from '../check-parameters';
import { keyHeader, takesKey } from '../keyed-requests';
import { pageParameters } from '../page';
import {
  acceptsAbsence,
  isFile,
  isUnsupported,
  memberShape,
  objectOf,
  openapiOf,
  type ParameterSchema,
} from '../params';
import type { Route } from '../route';
import { pathNames } from '../route-path';
import { meanings, pathMeanings, samples } from './glossary';

type Json = Record<string, unknown>;

/** Parameters of lists, the same nearly everywhere and so components. */
const paging = new Set(['page', 'per_page', 'pagination', 'cursor']);

/** A list with a description of its own for one has a rule of its own. */
const isShared = (name: string, schema: ParameterSchema): boolean =>
  paging.has(name) && schema.description === undefined;

const isArray = ({ type }: ParameterSchema): boolean => [type].flat().includes('array');
const isObject = ({ type }: ParameterSchema): boolean => [type].flat().includes('object');
const isHashes = (schema: ParameterSchema): boolean =>
  isArray(schema) && isObject((schema.items ?? {}) as ParameterSchema);

/** How arrays and hashes are written in a query string or form: `a=1,2`, `not[a]=1`, `actions[0][a]=1`. */
const spelling = (schema: ParameterSchema): Json =>
  isObject(schema) || isHashes(schema)
    ? { style: 'deepObject', explode: true }
    : isArray(schema)
      ? { style: 'form', explode: false }
      : {};

const describe = (name: string, schema: ParameterSchema): ParameterSchema => {
  const description = (schema.description as string | undefined) ?? meanings[name];
  const inner = schema.properties as Record<string, ParameterSchema> | undefined;
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(inner === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, describe(key, one)])) }),
    ...(isHashes(schema) ? { items: describe('', schema.items as ParameterSchema) } : {}),
  };
};

/** Every parameter of an endpoint beside those of its path, without those that are refused. */
export const shapeOf = (route: Route): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(route.params ?? {}).filter(([, one]) => !isUnsupported(one))),
  ...(route.list === undefined ? {} : pageParameters(route.list)),
});

/** Names of the parameters that are refused with any value: `approved`, `not[epic_id]`. */
export function unsupportedOf(route: Route): string[] {
  return Object.entries(route.params ?? {}).flatMap(([name, one]) => {
    const members = memberShape(one) ?? {};
    return isUnsupported(one)
      ? [name]
      : Object.keys(members).flatMap((key) => (isUnsupported(members[key]) ? [`${name}[${key}]`] : []));
  });
}

/**
 * A parameter of the query string. Members of a hash are parameters of their own, `not[labels]`: `deepObject` says
 * nothing of arrays inside.
 */
function queryParameters(name: string, parameter: unknown): Json[] {
  const own = openapiOf(parameter);
  if (isShared(name, own)) return [{ $ref: `#/components/parameters/${name}` }];
  const { description, ...schema } = describe(name, own);
  const members = schema.properties as Record<string, ParameterSchema> | undefined;
  if (members !== undefined)
    return Object.entries(members).map(([key, { description: meaning, ...member }]) => ({
      name: `${name}[${key}]`,
      in: 'query',
      description: [description, meaning].filter((text) => text !== undefined).join(' '),
      schema: member,
      ...spelling(member),
    }));
  const required = acceptsAbsence(parameter) ? {} : { required: true };
  const described = description === undefined ? {} : { description };
  return [{ name, in: 'query', ...required, ...described, schema, ...spelling(schema) }];
}

const idOrPath = (kind: string): ParameterSchema => ({
  type: ['integer', 'string'],
  minimum: 1,
  minLength: 1,
  description: `Id or URL-encoded full path of the ${kind}.`,
});

function pathParameter(route: Route, name: string): Json {
  const kind = name === 'id' ? targetKind(route) : undefined;
  if (kind !== undefined) return { $ref: `#/components/parameters/${kind}` };
  const own = route.path_params?.[name];
  const { description, ...schema } = own === undefined ? { type: 'string' } : openapiOf(own);
  return {
    name,
    in: 'path',
    required: true,
    description: description ?? pathMeanings[name] ?? 'Id.',
    schema: schema.type === 'string' ? { ...schema, minLength: 1 } : schema,
  };
}

/** The header of a request that is carried out once. */
export const idempotencyKey = { $ref: '#/components/parameters/idempotency_key' };
const ifUnmodifiedSince = { $ref: '#/components/parameters/if_unmodified_since' };

/** Parameters in the path, the query and the headers. */
export const parametersOf = (route: Route): Json[] => [
  ...pathNames(route.path).map((name) => pathParameter(route, name)),
  ...(hasBody(route) ? [] : Object.entries(shapeOf(route)).flatMap(([name, one]) => queryParameters(name, one))),
  ...(route.docs?.fails?.includes(412) === true ? [ifUnmodifiedSince] : []),
  ...(takesKey(route) ? [idempotencyKey] : []),
];

/** Least values of paging: a page below 1 is taken for the first, and `per_page` below 1 refused. */
const pagingFacts: Readonly<Record<string, ParameterSchema>> = { page: { minimum: 1 }, per_page: { minimum: 1 } };

const withPagingFacts = (properties: Record<string, ParameterSchema>): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, { ...one, ...pagingFacts[name] }]));

/** Parameters that many operations share, by the name of their component. */
export const parameterComponents: Json = {
  ...Object.fromEntries(
    Object.entries(pageParameters({ orderBy: [] })).map(([name, parameter]) => {
      const least = name === 'page' || name === 'per_page' ? { minimum: 1 } : {};
      return [name, { name, in: 'query', description: meanings[name], schema: { ...openapiOf(parameter), ...least } }];
    }),
  ),
  ...Object.fromEntries(
    ['project', 'group'].map((kind) => {
      const { description, ...schema } = idOrPath(kind);
      return [kind, { name: 'id', in: 'path', required: true, description, schema }];
    }),
  ),
  idempotency_key: {
    name: keyHeader,
    in: 'header',
    description:
      'A text of your own, such as a UUID. The request is carried out once in 24 hours; sent again it gets the first answer, 409 with `Retry-After` while the first one runs, 409 where its outcome is unknown, and 422 where it differs. What is uploaded is read again to be compared; of a form the boundary may differ.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
  if_unmodified_since: {
    name: 'If-Unmodified-Since',
    in: 'header',
    description: 'Do it only when the object has not changed since (RFC 9110).',
    schema: { type: 'string' },
  },
};

/** Whether the parameters of an endpoint stand in the body. */
export const hasBody = ({ method, streams }: Pick<Route, 'method' | 'streams'>): boolean =>
  method !== 'get' && method !== 'delete' && streams !== true;

const pairs = (names: readonly string[]): [string, string][] =>
  names.flatMap((one, at) => names.slice(at + 1).map((other): [string, string] => [one, other]));

/** A rule over several parameters as JSON Schema. */
function ruleSchemas({ kind, names }: RelationRule): Json[] {
  const required = names.map((name) => ({ required: [name] }));
  if (kind === 'at least one') return [{ anyOf: required }];
  if (kind === 'exactly one') return [{ oneOf: required }];
  return pairs(names).map((pair) => ({ not: { required: pair } }));
}

/** Rules over several parameters of an endpoint. */
export const rulesOf = (route: Route): RelationRule[] => (route.relations ?? []).flatMap(({ rule }) => rule ?? []);

/** Schema of the query of an endpoint that takes no body, as one object. */
export const querySchema = (route: Route): Json => {
  const { properties, ...own } = objectOf(shapeOf(route));
  return {
    ...own,
    properties: withPagingFacts(properties as Record<string, ParameterSchema>),
    ...queryRules(route),
  };
};

/** The rules of parameters in a query, where OpenAPI has no place for them; undefined for none. */
export const queryRules = (route: Route): Json | undefined => {
  const rules = hasBody(route) ? [] : rulesOf(route).flatMap(ruleSchemas);
  return rules.length === 0 ? undefined : { allOf: rules };
};

/** Members of a shape that take files, or that do not. */
const members = (shape: Record<string, unknown>, files: boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(shape).filter(([, one]) => isFile(one) === files));

/** Whether the body of an endpoint is nothing but a file. */
export const takesFileAlone = (route: Route): boolean => {
  const shape = shapeOf(route);
  return Object.keys(shape).length > 0 && Object.keys(members(shape, false)).length === 0;
};

/**
 * Schema of the body; undefined when the endpoint takes none. A file that can be next to other fields is left out: a
 * multipart body alone has it (`requestBody`).
 */
export function bodySchema(route: Route): Json | undefined {
  if (!hasBody(route)) return undefined;
  const shape = takesFileAlone(route) ? shapeOf(route) : members(shapeOf(route), false);
  const file =
    route.upload === undefined
      ? {}
      : { [route.upload]: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' } };
  if (Object.keys(shape).length + Object.keys(file).length === 0) return undefined;
  const { properties: named, required, ...own } = describe('', objectOf(shape));
  const properties = withPagingFacts(named as Record<string, ParameterSchema>);
  const rules = rulesOf(route).flatMap(ruleSchemas);
  const needed = [...Object.keys(file), ...((required as string[] | undefined) ?? [])];
  return {
    ...own,
    ...(needed.length === 0 ? {} : { required: needed }),
    properties: { ...file, ...properties },
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
}

/** A body that is accepted: what must be sent, and some of what can. */
export function exampleOf(route: Route): Json {
  const shape = members(shapeOf(route), false);
  const own = route.docs?.example ?? {};
  const example: Json = {};
  const put = (name: string): void => {
    const schema = openapiOf(shape[name]);
    example[name] = own[name] ?? fitting(schema, samples[name]) ?? plainValue(schema);
  };
  const rules = rulesOf(route);
  const excluded = (name: string): boolean =>
    rules.some(
      ({ kind, names }) =>
        kind !== 'at least one' && names.includes(name) && names.some((one) => Object.hasOwn(example, one)),
    );
  for (const name of Object.keys(own)) put(name);
  for (const name of Object.keys(shape)) if (!acceptsAbsence(shape[name]) && !Object.hasOwn(example, name)) put(name);
  for (const { kind, names } of rules)
    if (kind !== 'mutually exclusive' && !names.some((name) => Object.hasOwn(example, name)))
      put(names.find((name) => Object.hasOwn(samples, name)) ?? (names[0] as string));
  for (const name of Object.keys(shape)) {
    if (Object.keys(example).length >= 3) break;
    if (Object.hasOwn(samples, name) && !Object.hasOwn(example, name) && !excluded(name)) put(name);
  }
  if (Object.keys(example).length === 0) put(Object.keys(shape)[0] as string);
  return example;
}

/** A sample in the form a parameter takes; undefined when it takes another. */
function fitting(schema: ParameterSchema, sample: unknown): unknown {
  if (schema.const !== undefined) return undefined;
  const types = [schema.type ?? (schema.oneOf as ParameterSchema[] | undefined)?.map(({ type }) => type)].flat();
  if (isArray(schema)) return Array.isArray(sample) ? sample : undefined;
  const one = Array.isArray(sample) ? sample[0] : sample;
  const words = schema.enum as unknown[] | undefined;
  const type = Number.isInteger(one) ? 'integer' : typeof one;
  return types.includes(type) && (words === undefined || words.includes(one)) ? one : undefined;
}

function plainValue(schema: ParameterSchema): unknown {
  const type = [schema.type].flat()[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return (schema.enum as unknown[])[0];
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
  if (schema.format === 'date') return '2030-01-01';
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(schema.minimum ?? 1));
  if (type === 'array') return [plainValue(schema.items as ParameterSchema)];
  if (type === 'object') return {};
  return 'example';
}

/** The request body; undefined when the endpoint takes none. `component` names its schema. */
export function requestBody(route: Route, component: string): Json | undefined {
  if (route.streams === true && route.method !== 'delete')
    return { required: true, content: { 'application/octet-stream': {} } };
  const schema = bodySchema(route);
  if (schema === undefined) return undefined;
  const reference = { schema: { $ref: `#/components/schemas/${component}` } };
  const isNeeded = schema.required !== undefined || rulesOf(route).some(({ kind }) => kind !== 'mutually exclusive');
  const encoding = Object.fromEntries(
    Object.entries(schema.properties as Record<string, ParameterSchema>).flatMap(([name, one]) => {
      const how = spelling(one);
      return Object.keys(how).length === 0 ? [] : [[name, how]];
    }),
  );
  if (route.upload !== undefined || takesFileAlone(route))
    return { required: true, content: { 'multipart/form-data': reference } };
  const files = members(shapeOf(route), true);
  const example = exampleOf(route);
  return {
    required: isNeeded,
    content: {
      'application/json': { ...reference, examples: { example: { value: example } } },
      'application/x-www-form-urlencoded': {
        ...reference,
        ...(Object.keys(encoding).length === 0 ? {} : { encoding }),
      },
      ...(Object.keys(files).length === 0
        ? {}
        : { 'multipart/form-data': { schema: { allOf: [reference.schema, describe('', objectOf(files))] } } }),
    },
  };
}

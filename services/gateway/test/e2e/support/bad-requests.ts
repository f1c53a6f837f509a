import { isUtf8 } from 'node:buffer';
import { pageParameters } from '../../../src/http/page';
import { openapiOf, type ParameterSchema } from '../../../src/http/params';
import type { Route } from '../../../src/http/route';
import { pairs } from './hostile-values';
import type { RawRequest } from './raw-client';
import type { ApiReply } from './system';

/** Things of every kind, as many as make lists of several pages, and how requests name them. */
export interface BadInputFixture {
  readonly ada: number;
  readonly group: number;
  readonly project: number;
  readonly other: number;
  /** Values of path parameters that name something, by operation or by parameter. */
  readonly known: Readonly<Record<string, string>>;
  /** Values of required parameters that are accepted. */
  readonly plausible: Readonly<Record<string, unknown>>;
}

/** Makes a thing; fails when it is refused. */
export type Post = (path: string, body: unknown) => Promise<ApiReply['body']>;

/** `GET /path` of a route. */
export const operationOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`;

/** Whether a route changes anything. */
export const writes = (route: Route): boolean => route.method !== 'get';

/** Every parameter of a route but those of its path. */
export const shapeOf = (route: Route): Record<string, unknown> => ({
  ...(route.list === undefined ? {} : pageParameters(route.list)),
  ...route.params,
});
/** A place for a value: a parameter of a route, or one inside a hash, such as `line_range` in `position`. */
export interface Slot {
  readonly name: string;
  readonly inner?: string;
  /** It takes objects of any content, in which odd texts hide. */
  readonly isOpen: boolean;
}
const isOpen = ({ type, properties }: ParameterSchema): boolean => type === 'object' && properties === undefined;
/** Every place of a route that takes a value. */
export const slotsOf = (route: Route): Slot[] =>
  Object.entries(shapeOf(route)).flatMap(([name, parameter]) => {
    const schema = openapiOf(parameter);
    const inside = Object.entries((schema.properties ?? {}) as Record<string, ParameterSchema>);
    return [{ name, isOpen: isOpen(schema) }, ...inside.map(([inner, own]) => ({ name, inner, isOpen: isOpen(own) }))];
  });
/** Whether a parameter takes a value. */
export const accepts = (schema: unknown, value: unknown): boolean =>
  (schema as { safeParse(value: unknown): { success: boolean } }).safeParse(value).success;
/** Whether a parameter must be sent. */
export const isRequired = (schema: unknown): boolean => !accepts(schema, undefined);
/** What an escaped text stands for, text or not. */
const bytesOf = (escaped: string): Buffer =>
  Buffer.from(
    escaped.replace(/%([0-9A-F]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16))),
    'latin1',
  );
/** Whether parameters of a request hold bytes that are no text. */
export const isNoText = ({ path, headers, body }: RawRequest): boolean =>
  [path.split('?')[1], headers?.['Content-Type']?.includes('urlencoded') ? body : undefined].some(
    (written) => !isUtf8(bytesOf(String(written ?? ''))),
  ) || !isUtf8(Buffer.from(body ?? ''));
/** A request with these parameters: query on reads and uploads; JSON, form or multipart on writes. */
export function requestOf(route: Route, path: string, values: Record<string, unknown>, form: number): RawRequest {
  const method = route.method.toUpperCase();
  const written = Object.entries(values).flatMap(([name, value]) => pairs(name, value));
  // What is uploaded streams on unread, so the query is all that is read.
  if (!writes(route) || route.upload !== undefined || route.streams === true)
    return { method, path: written.length === 0 ? path : `${path}?${written.join('&')}`.slice(0, 20_000) };
  if (form < 0.6)
    return { method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
  if (form < 0.8)
    return {
      method,
      path,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: written.join('&'),
    };
  const part = (pair: string): string => {
    const at = pair.indexOf('=');
    const name = bytesOf(pair.slice(0, at)).toString('latin1').replaceAll('"', '%22');
    const value = bytesOf(pair.slice(at + 1)).toString('latin1');
    return `--line\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  };
  return {
    method,
    path,
    headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
    body: Buffer.from(`${written.map(part).join('')}--line--\r\n`, 'latin1'),
  };
}

/** Requests that would be good but for what is put into them. */
export function goodRequests(fixture: BadInputFixture, rootToken: string, post: Post, next: () => number) {
  /** The path of a route, its parameters given or known. */
  const pathOf = (route: Route, given: Record<string, string> = {}): string =>
    route.path.replace(/[:*]([a-z_0-9]+)/g, (_, name: string) => {
      const value =
        given[name] ??
        fixture.known[`${operationOf(route)} ${name}`] ??
        fixture.known[`${route.path.split('/')[1]}.${name}`] ??
        fixture.known[name];
      if (value === undefined) throw new Error(`no value for :${name} of ${operationOf(route)}`);
      return value;
    });

  /** The project or group of routes that would take the common one away, made afresh for every request. */
  async function victim(route: Route): Promise<Record<string, string>> {
    const name = `victim-${next()}`;
    switch (operationOf(route)) {
      case 'DELETE /projects/:id':
      case 'POST /projects/:id/fork/:forked_from_id':
      case 'POST /projects/:id/archive':
      case 'PUT /projects/:id/transfer':
      case 'POST /projects/:id/restore':
      case 'PUT /projects/:id':
        return { id: String((await post('/projects', { name })).id) };
      case 'DELETE /groups/:id':
      case 'POST /groups/:id/transfer':
      case 'PUT /groups/:id':
      case 'POST /groups/:id/restore':
        return { id: String((await post('/groups', { name, path: name })).id) };
      case 'PUT /users/:id':
      case 'POST /users/:id/emails':
      case 'DELETE /users/:id':
      case 'POST /users/:id/block':
      case 'POST /users/:id/deactivate': {
        const email = `${name}@example.com`;
        return { id: String((await post('/users', { name, username: name, email, force_random_password: true })).id) };
      }
      default:
        return {};
    }
  }
  /** A token that the request may use up. */
  const tokenFor = async (route: Route): Promise<string> =>
    writes(route) && route.path.startsWith('/personal_access_tokens')
      ? (await post(`/users/1/personal_access_tokens`, { name: 'spent', scopes: ['api'] })).token
      : rootToken;

  const sample = (name: string): unknown => {
    const value = fixture.plausible[name];
    return typeof value === 'function' ? value() : value;
  };
  const baseOf = (route: Route): Record<string, unknown> => ({
    ...Object.fromEntries(
      Object.entries(route.params ?? {})
        .filter(([, schema]) => isRequired(schema))
        .map(([name]) => [name, sample(name)]),
    ),
    ...(operationOf(route) === 'POST /users' ? { force_random_password: true } : {}),
    ...(operationOf(route) === 'POST /projects' ? { name: sample('name') } : {}),
    ...(/^POST .*variables$/.test(operationOf(route)) ? { key: sample('variable') } : {}),
    ...(/^PUT .*control$/.test(operationOf(route)) ? { state: 'running' } : {}),
    ...(/^POST .*members$/.test(operationOf(route)) ? { user_id: String(fixture.ada) } : {}),
    ...(/^PUT .projects.:id.(merge_requests|issues).:[a-z_]+_iid$/.test(operationOf(route)) ? { title: 'T' } : {}),
  });

  /** What would be sent, with a value in one place. */
  const withValue = (route: Route, { name, inner }: Slot, value: unknown): Record<string, unknown> => ({
    ...baseOf(route),
    [name]: inner === undefined ? value : { ...(sample(name) as object | undefined), [inner]: value },
  });

  return { pathOf, victim, tokenFor, baseOf, withValue };
}

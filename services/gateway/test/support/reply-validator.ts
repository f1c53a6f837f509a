import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readComponents } from '../../src/http/openapi';
import { statusesOf } from '../../src/http/reference/responses';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';

/** Checks a reply against what its route declares; the problems, or none. `path` is below `/api/v4`. */
export type ReplyValidator = (method: string, path: string, status: number, body: unknown) => string[];

const segments = (path: string): string[] => (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');

const fits = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, index) => part.startsWith(':') || part.startsWith('*') || part === path[index]);

/** Every route with its path taken apart, the one with most literal segments first: looked through at every request of a test. */
const patterns = routes
  .map((route) => ({ route, pattern: segments(route.path) }))
  .map((one) => ({ ...one, literals: one.pattern.filter((part) => !part.startsWith(':')).length }))
  .sort((a, b) => b.literals - a.literals);

/** The route that serves a request, the one with most literal segments first. */
export function routeOf(method: string, path: string): Route | undefined {
  const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  const asked = segments(path);
  return patterns.find(({ route, pattern }) => route.method === verb && fits(pattern, asked))?.route;
}

/** Builds the validator over every component of `protos/openapi`. */
export function replyValidator(): ReplyValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'switchyard', components: { schemas: readComponents() } });
  const compiled = new Map<string, ValidateFunction>();
  // Ajv knows a schema it has compiled by its identity alone.
  const validatorOf = (component: string, list: boolean): ValidateFunction => {
    const name = list ? `${component}[]` : component;
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const one = { $ref: `switchyard#/components/schemas/${component}` };
    const made = ajv.compile(list ? { type: 'array', items: one } : one);
    compiled.set(name, made);
    return made;
  };
  return (method, path, status, body) => {
    const route = routeOf(method, path);
    if (route === undefined || method.toUpperCase() === 'HEAD') return [];
    if (!statusesOf(route).includes(status))
      return [`status ${status} is not declared by ${route.method} ${route.path}`];
    if (status >= 400) return typeof body === 'object' || body === undefined ? [] : ['a failure is not a JSON object'];
    if (status === 301 || status === 304) return [];
    const component = route.returns[status];
    if (component === undefined) return body === undefined ? [] : ['a body where none is declared'];
    const validate = typeof component === 'string' ? validatorOf(component, false) : validatorOf(component[0], true);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  };
}

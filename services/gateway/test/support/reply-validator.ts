import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readComponents } from '../../src/http/openapi';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';

/** Checks a reply against what its route declares; the problems, or none. `path` is below `/api/v4`. */
export type ReplyValidator = (method: string, path: string, status: number, body: unknown) => string[];

const segments = (path: string): string[] => (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');

const fits = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, index) => part.startsWith(':') || part.startsWith('*') || part === path[index]);

const literals = (route: Route): number => segments(route.path).filter((part) => !part.startsWith(':')).length;

/** The route that serves a request, the one with most literal segments first. */
export function routeOf(method: string, path: string): Route | undefined {
  const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  return [...routes]
    .filter((route) => route.method === verb && fits(segments(route.path), segments(path)))
    .sort((a, b) => literals(b) - literals(a))[0];
}

/** Builds the validator over every component of `protos/openapi`. */
export function replyValidator(): ReplyValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'switchyard', components: { schemas: readComponents() } });
  return (method, path, status, body) => {
    const route = routeOf(method, path);
    if (route === undefined || method.toUpperCase() === 'HEAD') return [];
    if (status >= 400) return typeof body === 'object' || body === undefined ? [] : ['a failure is not a JSON object'];
    if (status === 301 || status === 304) return [];
    if (!Object.hasOwn(route.returns, status))
      return [`status ${status} is not declared by ${route.method} ${route.path}`];
    const component = route.returns[status];
    if (component === undefined) return body === undefined ? [] : ['a body where none is declared'];
    const reference = (name: string) => ({ $ref: `switchyard#/components/schemas/${name}` });
    const validate = ajv.compile(
      typeof component === 'string' ? reference(component) : { type: 'array', items: reference(component[0]) },
    );
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  };
}

import { type Component, componentValidator } from './component-validator';

/** An endpoint of the public API, as the gateway's routes declare it. */
export interface DeclaredEndpoint {
  /** In lower case. */
  readonly method: string;
  /** Path below `/api/v4`; `:name` and `*name` match any segment. */
  readonly path: string;
  /** Status of a success → its body; undefined without one. */
  readonly returns: Readonly<Record<number, Component | undefined>>;
}

/** Checks a reply against what its endpoint declares; the problems, or none. `path` is below `/api/v4`. */
export type ReplyValidator = (method: string, path: string, status: number, body: unknown) => string[];

const segments = (path: string): string[] => (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');

const fits = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, index) => part.startsWith(':') || part.startsWith('*') || part === path[index]);

/** Finds the endpoint that serves a request, the one with most literal segments first. */
export function endpointFinder<Endpoint extends DeclaredEndpoint>(
  endpoints: readonly Endpoint[],
): (method: string, path: string) => Endpoint | undefined {
  // Taken apart once: a test finds one for every request.
  const patterns = endpoints
    .map((endpoint) => ({ endpoint, pattern: segments(endpoint.path) }))
    .map((one) => ({ ...one, literals: one.pattern.filter((part) => !part.startsWith(':')).length }))
    .sort((a, b) => b.literals - a.literals);
  return (method, path) => {
    const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
    const requested = segments(path);
    return patterns.find(({ endpoint, pattern }) => endpoint.method === verb && fits(pattern, requested))?.endpoint;
  };
}

/**
 * Builds the validator of these endpoints' replies. A request that none of them serves has no problems.
 * @param statusesOf every status that an endpoint may reply with
 */
export function replyValidator<Endpoint extends DeclaredEndpoint>(
  endpoints: readonly Endpoint[],
  statusesOf: (endpoint: Endpoint) => readonly number[],
): ReplyValidator {
  const find = endpointFinder(endpoints);
  const validate = componentValidator();
  return (method, path, status, body) => {
    const endpoint = find(method, path);
    if (endpoint === undefined || method.toUpperCase() === 'HEAD') return [];
    if (!statusesOf(endpoint).includes(status))
      return [`status ${status} is not declared by ${endpoint.method} ${endpoint.path}`];
    if (status >= 400) return typeof body === 'object' || body === undefined ? [] : ['a failure is not a JSON object'];
    if (status === 301 || status === 304) return [];
    const component = endpoint.returns[status];
    if (component === undefined) return body === undefined ? [] : ['a body where none is declared'];
    return validate(component, body);
  };
}

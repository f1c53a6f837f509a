import type { Route } from '../route';
import { pathNames } from '../route-path';
import { operationId } from './operation-id';

type Json = Record<string, unknown>;

/** Field of a new object that a name in the path stands for. */
const fieldOf = (name: string): string => {
  if (name.endsWith('_iid')) return 'iid';
  if (['branch', 'tag_name', 'name'].includes(name)) return 'name';
  if (name === 'key') return 'key';
  return 'id';
};

/** What can be done next with what an endpoint has made: the operations whose path is its own and one name more. */
export function linksOf(route: Route, routes: readonly Route[]): Json {
  const component = Object.values(route.returns)[0];
  if (route.method !== 'post' || typeof component !== 'string') return {};
  const next = routes.filter(({ method, path }) => {
    const rest = path.startsWith(`${route.path}/:`) ? path.slice(route.path.length + 2) : '/';
    return ['get', 'put', 'patch', 'delete'].includes(method) && !rest.includes('/');
  });
  return Object.fromEntries(
    next.map((one) => {
      const name = one.path.slice(route.path.length + 2);
      const id = operationId(one);
      const before = pathNames(route.path).map((at) => [at, `$request.path.${at}`]);
      return [
        id,
        {
          operationId: id,
          description: `${one.summary}.`,
          parameters: Object.fromEntries([...before, [name, `$response.body#/${fieldOf(name)}`]]),
        },
      ];
    }),
  );
}

import { type AppError, forbidden, notFound, unauthorized } from '@switchyard/errors';
import type { ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import { type Ability, groupAbilities, isClosed, projectAbilities } from './abilities';
import { insufficientScope } from './resolve-access';
import type { Route } from './route';

const tiers = ['free', 'premium', 'ultimate'];
const isRead = (method: string): boolean => method === 'get';

/** Scopes that do for a route (G-5-5). */
export const scopesOf = (route: Route): readonly string[] | 'any' =>
  route.scopes === 'any' ? 'any' : ['api', ...(isRead(route.method) ? ['read_api'] : []), ...(route.scopes ?? [])];

/** What the route's path names, where it names a project or group. */
export const targetKind = (route: Route): 'project' | 'group' | undefined =>
  typeof route.access === 'string' ? undefined : 'project' in route.access ? 'project' : 'group';

/** True when the route cannot be used without a token. */
export const needsToken = (route: Route): boolean =>
  route.needsToken === true ||
  route.access === 'user' ||
  route.access === 'admin' ||
  (route.access !== 'public' && !isRead(route.method));

/** The refusal of a caller whose token may not do this, before parameters are looked at; nothing when it may. */
export function refusalOfCaller(route: Route, answer: ResolveResponse): AppError | undefined {
  const actor = answer.actor;
  if (actor === undefined || actor.userId === 0) return needsToken(route) ? unauthorized() : undefined;
  const scopes = scopesOf(route);
  if (scopes !== 'any' && !scopes.some((scope) => actor.scopes.includes(scope))) return insufficientScope(scopes);
  return route.access === 'admin' && !actor.admin ? forbidden() : undefined;
}

/** The refusal of this target to this caller: invisible is 404, visible but not allowed 403 (G-5-15); nothing when allowed. */
export function refusalOfTarget(route: Route, answer: ResolveResponse, instanceTier: string): AppError | undefined {
  if (typeof route.access === 'string') return tooLowTier(route, instanceTier) ? forbidden() : undefined;
  const { access } = answer;
  if (access === undefined) return notFound('project' in route.access ? 'Project' : 'Group');
  if (tooLowTier(route, access.tier)) return forbidden();
  const ability: Ability =
    'project' in route.access ? projectAbilities[route.access.project] : groupAbilities[route.access.group];
  const needed = ability[access.visibility as 'public' | 'internal' | 'private'];
  if (access.level < needed || isClosed(ability, access))
    return (answer.actor?.userId ?? 0) === 0 ? unauthorized() : forbidden();
  return access.archived && ability.write ? forbidden() : undefined;
}

const tooLowTier = (route: Route, tier: string): boolean =>
  route.tier !== undefined && tiers.indexOf(tier) < tiers.indexOf(route.tier);

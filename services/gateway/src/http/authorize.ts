import { AppError, forbidden, notFound, unauthorized } from '@switchyard/errors';
import type { ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import {
  type Ability,
  type GroupAbility,
  groupAbilities,
  isClosed,
  isDecidedByService,
  isSwitchedOff,
  levelFor,
  type ProjectAbility,
  projectAbilities,
} from './abilities';
import type { TokenKind } from './authenticate';
import { boolean } from './params';
import type { RawParameters } from './read-parameters';
import { insufficientScope } from './resolve-access';
import type { Located, Route } from './route';

const tiers = ['free', 'premium', 'ultimate'];
const isRead = (method: string): boolean => method === 'get';

/** Scopes that do for a route (G-5-5). */
export const scopesOf = (route: Route): readonly string[] | 'any' =>
  route.scopes === 'any' ? 'any' : ['api', ...(isRead(route.method) ? ['read_api'] : []), ...(route.scopes ?? [])];

/** What the route's path names, where it names a project or group. */
export const targetKind = (route: Route): 'project' | 'group' | undefined =>
  typeof route.access === 'string' || 'located' in route.access
    ? undefined
    : 'project' in route.access
      ? 'project'
      : 'group';

/** True when the route reads packages of a project or group, which may be open to who does not see it otherwise. */
export const readsPackages = ({ access }: Route): boolean => {
  if (typeof access === 'string' || 'located' in access) return false;
  const ability: Ability = 'project' in access ? projectAbilities[access.project] : groupAbilities[access.group];
  return ability.readsPackages === true;
};

/** True when the route cannot be used without a token. */
export const needsToken = (route: Route): boolean =>
  route.needsToken === true ||
  route.administrators === true ||
  route.access === 'user' ||
  route.access === 'admin' ||
  (route.access !== 'public' && !isRead(route.method));

/** True for a caller without a token. A deploy token has no user, and is one. */
const isAnonymous = (actor: Actor): boolean => actor.userId === 0 && actor.deployTokenId === undefined;

/** Whether a route takes tokens of this kind; those of users it always does. */
export const takes = ({ tokens }: Pick<Route, 'tokens'>, kind: TokenKind): boolean =>
  kind === 'user' || tokens?.includes(kind) === true;

/** A job sees its own pipeline, and no other one. */
export function refusalOfJob(actor: Actor | undefined, path: Readonly<Record<string, unknown>>): AppError | undefined {
  if (actor?.job === undefined || path.pipeline_id === undefined) return undefined;
  return String(path.pipeline_id) === String(actor.job.pipelineId) ? undefined : notFound('Pipeline');
}

/** The refusal of a caller whose token may not do this, before parameters are read; nothing when it may. */
export function refusalOfCaller(route: Route, answer: ResolveResponse): AppError | undefined {
  const { actor = anonymous } = answer;
  // The scopes of a job token are the routes that take it (G-5-13).
  if (actor.job !== undefined) return takes(route, 'job') ? undefined : unauthorized();
  if (isAnonymous(actor)) return needsToken(route) ? unauthorized() : undefined;
  if (actor.deployTokenId !== undefined && !takes(route, 'deploy')) return unauthorized();
  const scopes = scopesOf(route);
  if (scopes !== 'any' && !scopes.some((scope) => actor.scopes.includes(scope))) return insufficientScope(scopes);
  return (route.access === 'admin' || route.administrators) && !actor.admin ? forbidden() : undefined;
}

/** The noun in the owner's 404, by the segment before the name in a path; all others get `404 Not found`. */
const nouns: Readonly<Record<string, string>> = {
  branches: 'Branch',
  tags: 'Tag',
  commits: 'Commit',
  statuses: 'Commit',
  blobs: 'Blob',
  files: 'File',
  pipelines: 'Pipeline',
  snippets: 'Snippet',
};

/** The same where something is said of it. */
const spokenOn: Readonly<Record<string, string>> = { ...nouns, issues: 'Issue', merge_requests: 'Merge request' };

/**
 * The answer of a route whose path names an object that is not there; nothing when it names none, or what it is to
 * make.
 */
function notThere({ path, createsNamed }: Route): AppError | undefined {
  if (createsNamed === true) return undefined;
  const [, collection = ''] = /([a-z_]+)\/:(?!id(?:\/|$))/.exec(path) ?? [];
  const texts = /\/(notes|draft_notes|discussions|award_emoji)(\/|$)/.test(path) ? spokenOn : nouns;
  return collection === '' ? undefined : notFound(texts[collection]);
}

const flag = boolean();

/** Whether a value of a parameter requests something; a flag that is off does not. */
const isRequested = (value: unknown): boolean => value !== null && flag.safeParse(value).data !== false;

type Target = { project: ProjectAbility } | { group: GroupAbility };

/**
 * What the caller has to be able to do: what the route requires, and what the parameters that are sent require beside
 * it.
 */
const abilitiesOf = (access: Target, { abilityWith = {} }: Route, sent: RawParameters): Ability[] => [
  'project' in access ? projectAbilities[access.project] : groupAbilities[access.group],
  ...Object.entries(abilityWith)
    .filter(([parameter]) => Object.hasOwn(sent, parameter) && isRequested(sent[parameter]))
    .map(([, ability]) => projectAbilities[ability]),
];

/** True when the service decides on this caller, whom the answer must therefore not describe as they were. */
export function isLeftToService(route: Route, { access }: ResolveResponse, sent: RawParameters = {}): boolean {
  if (typeof route.access === 'string') return false;
  const abilities =
    'located' in route.access ? [projectAbilities[route.access.located]] : abilitiesOf(route.access, route, sent);
  return abilities.some((ability) => isDecidedByService(ability, access));
}

/**
 * The refusal of this target to this caller: invisible is 404, visible but not allowed 403 (G-5-15); nothing when
 * allowed. What lies in a feature that is closed to the caller is as invisible as what is not there; what lies in one
 * that is switched off is refused as its list is (G-4.2-1).
 */
export function refusalOfTarget(
  route: Route,
  answer: ResolveResponse,
  instanceTier: string,
  sent: RawParameters = {},
): AppError | undefined {
  if (typeof route.access === 'string' || 'located' in route.access)
    return tooLowTier(route, instanceTier) ? forbidden() : undefined;
  const { access } = answer;
  if (access === undefined) {
    if (route.challenges && isAnonymous(answer.actor ?? anonymous)) return unauthorized();
    return notFound('project' in route.access ? 'Project' : 'Group');
  }
  if (tooLowTier(route, access.tier)) return forbidden();
  const abilities = abilitiesOf(route.access, route, sent);
  const needed = Math.max(...abilities.map((one) => levelFor(one, access)));
  const closed = abilities.some((one) => isClosed(one, access));
  const hidden = closed ? notThere(route) : undefined;
  if (hidden !== undefined) return hidden;
  // Said of what is there and of what is not, as by the list, whoever asks: no token would help.
  if (!closed && abilities.some((one) => isSwitchedOff(one, access))) return forbidden();
  if (access.level < needed || closed) return isAnonymous(answer.actor ?? anonymous) ? unauthorized() : forbidden();
  return access.archived && abilities.some(({ write }) => write) ? forbidden() : undefined;
}

/**
 * The refusal of the project or group in which the owner found what the request names: what the caller may not read is as
 * good as not there.
 */
export function refusalOfLocated(
  route: Route,
  place: Located,
  answer: ResolveResponse,
  instanceTier: string,
): AppError | undefined {
  if (typeof route.access === 'string' || !('located' in route.access) || route.locate === undefined) return undefined;
  const { located, orGroup } = route.access;
  const refusal = (access: Target, tier: Route['tier']): AppError | undefined =>
    refusalOfTarget({ ...route, tier, access }, answer, instanceTier);
  const { read, thing, refusal: text } = route.locate;
  const isInGroup = 'groupId' in place;
  const { alsoRead = read } = isInGroup ? {} : place;
  const reads: Target[] = isInGroup ? [{ group: 'read_group' }] : [{ project: read }, { project: alsoRead }];
  const needed: Target | undefined = isInGroup ? orGroup && { group: orGroup } : { project: located };
  // What is there can be read in every tier.
  const mayRead = reads.every((one) => refusal(one, undefined) === undefined);
  if (!mayRead || needed === undefined) return thing === '' ? new AppError('not_found') : notFound(thing);
  const refused = refusal(needed, route.tier);
  return refused?.kind === 'forbidden' && text !== undefined ? new AppError('forbidden', text) : refused;
}

const tooLowTier = (route: Route, tier: string): boolean =>
  route.tier !== undefined && tiers.indexOf(tier) < tiers.indexOf(route.tier);

import { levels } from '@switchyard/rights';
import { type Ability, groupAbilities, projectAbilities } from '../abilities';
import { needsToken, scopesOf } from '../authorize';
import { applicationLimits } from '../rate-limits';
import { defaultBodyLimit } from '../read-parameters';
import type { Route } from '../route';
import { unsupportedOf } from './parameters';

const roles = Object.entries(levels)
  .map(([role, level]) => ({ role: role.charAt(0).toUpperCase() + role.slice(1), level: level as number }))
  .sort((a, b) => a.level - b.level);

const roleOf = (level: number): string => roles.find((one) => one.level >= level)?.role ?? String(level);

const features: Readonly<Record<NonNullable<Ability['feature']>, string>> = {
  repository: 'the repository',
  mergeRequests: 'merge requests',
  issues: 'issues',
  monitor: 'monitoring',
  snippets: 'snippets',
  packages: 'the package registry',
};

function ofTarget(ability: Ability, kind: 'project' | 'group', token: boolean): string[] {
  const everywhere = ability.public === ability.private && ability.internal === ability.private;
  const seen = token ? 'Every signed-in user who can see' : 'Everyone who can see';
  const who =
    everywhere && ability.private > 0
      ? `Members of the ${kind} with the role ${roleOf(ability.private)} or higher.`
      : everywhere
        ? `${seen} the ${kind}.`
        : `${seen} a public or internal ${kind}; in a private one, members with the role ${roleOf(ability.private)} or higher.`;
  return [
    who,
    ...(ability.feature === undefined
      ? []
      : [`The feature (${features[ability.feature]}) must be open to the caller.`]),
    ...(ability.write === true ? [`An archived ${kind} refuses it.`] : []),
  ];
}

/** Who may use an endpoint, in words. */
export function accessText(route: Route): string {
  const { access } = route;
  if (access === 'admin' || route.administrators) return 'Administrators.';
  if (access === 'user') return 'Every signed-in user.';
  if (access === 'public') return needsToken(route) ? 'Every signed-in user.' : 'Everyone, with or without a token.';
  if ('located' in access) {
    const { located, orGroup } = access;
    const inGroup = orGroup === undefined ? [] : ofTarget(groupAbilities[orGroup], 'group', true);
    return [...ofTarget(projectAbilities[located], 'project', true), ...inGroup].join(' ');
  }
  return 'project' in access
    ? ofTarget(projectAbilities[access.project], 'project', needsToken(route)).join(' ')
    : ofTarget(groupAbilities[access.group], 'group', needsToken(route)).join(' ');
}

const scopesText = (route: Route): string => {
  const scopes = scopesOf(route);
  return scopes === 'any' ? 'any' : scopes.map((scope) => `\`${scope}\``).join(' or ');
};

const spanOf = (seconds: number): string => (seconds === 60 ? 'a minute' : `in ${seconds / 60} minutes`);

function limitText(name: string): string {
  const limit: { requests: number; seconds: number; anonymousRequests?: number } | undefined =
    applicationLimits[name as keyof typeof applicationLimits];
  if (limit === undefined) return '';
  const anonymous = limit.anonymousRequests;
  return `${limit.requests} requests ${spanOf(limit.seconds)}${anonymous === undefined ? '' : `, ${anonymous} without a token`}`;
}

const tiers = { premium: 'Premium or Ultimate', ultimate: 'Ultimate' } as const;

/** What an endpoint does, who may use it, and what it is limited to. */
export function descriptionOf(route: Route): string {
  const { limit, limitWith, list } = route;
  const refused = unsupportedOf(route);
  const facts = [
    `Access: ${accessText(route)}`,
    `Scope of the token: ${scopesText(route)}.`,
    ...(route.tier === undefined ? [] : [`Licence tier: ${tiers[route.tier]}.`]),
    ...(list === undefined ? [] : ['The reply is one page; `Link` and the `X-` headers name the others.']),
    ...(limit === undefined ? [] : [`Limit: ${limitText(limit)}.`]),
    ...(limitWith === undefined ? [] : [`Limit with \`${limitWith.parameter}\`: ${limitText(limitWith.limit)}.`]),
    ...(route.bodyLimit === undefined || route.bodyLimit === defaultBodyLimit
      ? []
      : [`Largest body: ${route.bodyLimit >> 20} MiB.`]),
    ...(refused.length === 0
      ? []
      : [`Not supported yet, and refused with 400: ${refused.map((name) => `\`${name}\``).join(', ')}.`]),
    ...(route.relations ?? []).flatMap(({ rule }) => {
      if (rule === undefined) return [];
      const names = rule.names.map((name) => `\`${name}\``).join(', ');
      return [
        rule.kind === 'mutually exclusive'
          ? `At most one of ${names}.`
          : rule.kind === 'at least one'
            ? `At least one of ${names}.`
            : `Exactly one of ${names}.`,
      ];
    }),
  ];
  const description = route.docs?.description ?? `${route.summary}.`;
  return `${description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`;
}

import type { GatewayLimits, RequestThrottle } from '@switchyard/protos/groups_admin/v1/settings';
import type { applicationLimits, Limit, LimitsInForce, Throttles } from './rate-limits';

type Name = keyof typeof applicationLimits;

/** Application limits that administrators set, by the public name of their setting; `anonymous`: of callers without a token. */
export const limitSettings = {
  groups_api_limit: { limit: 'groups_list' },
  group_api_limit: { limit: 'group' },
  group_projects_api_limit: { limit: 'group_projects' },
  projects_api_limit: { limit: 'projects_list' },
  projects_api_rate_limit_unauthenticated: { limit: 'projects_list', anonymous: true },
  project_api_limit: { limit: 'project' },
  users_get_by_id_limit: { limit: 'user' },
  issues_create_limit: { limit: 'issues_create' },
  search_rate_limit: { limit: 'search' },
  search_rate_limit_unauthenticated: { limit: 'search', anonymous: true },
} as const satisfies Record<string, { limit: Name; anonymous?: true }>;

type Setting = keyof typeof limitSettings;

const settings = Object.entries(limitSettings) as [Setting, { limit: Name; anonymous?: true }][];

/** What a throttle gives that is switched on before a number was set: GitLab's 7,200 and 3,600 an hour (G-7-8). */
const usual = {
  authenticated: { requests: 7_200, seconds: 3_600 },
  unauthenticated: { requests: 3_600, seconds: 3_600 },
};

const toThrottle = (limit: Limit | undefined, kind: keyof Throttles): RequestThrottle => {
  const { requests, seconds } = limit ?? usual[kind];
  return { enabled: limit !== undefined, requestsPerPeriod: requests, periodInSeconds: seconds };
};

/** Limits in force, as settings name them. */
export const toSettings = ({ throttles, application }: LimitsInForce): GatewayLimits => ({
  authenticatedApi: toThrottle(throttles.authenticated, 'authenticated'),
  unauthenticatedApi: toThrottle(throttles.unauthenticated, 'unauthenticated'),
  application: Object.fromEntries(
    settings.map(([name, { limit, anonymous }]) => {
      const { requests, anonymousRequests = requests } = application[limit];
      return [name, anonymous ? anonymousRequests : requests];
    }),
  ),
});

function throttleOf(
  set: RequestThrottle | undefined,
  limit: Limit | undefined,
  kind: keyof Throttles,
): Limit | undefined {
  if (!(set?.enabled ?? limit !== undefined)) return undefined;
  const { requests, seconds } = limit ?? usual[kind];
  return { requests: set?.requestsPerPeriod ?? requests, seconds: set?.periodInSeconds ?? seconds };
}

/** Limits with what administrators have set over them. */
export function withSettings({ throttles, application }: LimitsInForce, set: GatewayLimits | undefined): LimitsInForce {
  const changed: Record<Name, Limit> = { ...application };
  for (const [name, { limit, anonymous }] of settings) {
    const requests = set?.application[name];
    if (requests !== undefined)
      changed[limit] = { ...changed[limit], ...(anonymous ? { anonymousRequests: requests } : { requests }) };
  }
  return {
    throttles: {
      authenticated: throttleOf(set?.authenticatedApi, throttles.authenticated, 'authenticated'),
      unauthenticated: throttleOf(set?.unauthenticatedApi, throttles.unauthenticated, 'unauthenticated'),
    },
    application: changed,
  };
}

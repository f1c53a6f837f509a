import { type RequestThrottle, SettingsServiceService } from '@switchyard/protos/groups_admin/v1/settings';
import { limitSettings, toSettings } from '../../http/limit-settings';
import { boolean, documented, integer, oneOf, onlyDefault, text, texts } from '../../http/params';
import { defineRoute } from '../../http/route';
import { refName } from '../field-facts';

const visibility = () => oneOf('private', 'internal', 'public');

const maxInteger = 2_147_483_647;

const throttle = (name: 'authenticated_api' | 'unauthenticated_api') =>
  ({
    [`throttle_${name}_enabled`]: boolean().optional(),
    [`throttle_${name}_requests_per_period`]: integer({ min: 1, max: maxInteger }).optional(),
    [`throttle_${name}_period_in_seconds`]: integer({ min: 1, max: 86_400 }).optional(),
  }) as const;

const applicationLimits = Object.fromEntries(
  Object.keys(limitSettings).map((name) => [name, integer({ min: 0, max: maxInteger }).optional()]),
);

const settings = {
  default_branch_name: documented(text(), refName).optional(),
  default_project_visibility: visibility().optional(),
  default_group_visibility: visibility().optional(),
  default_projects_limit: integer({ min: 0, max: maxInteger }).optional(),
  can_create_group: boolean().optional(),
  user_default_external: boolean().optional(),
  deletion_adjourned_period: integer({ min: 0, max: 90 }).optional(),
  max_personal_access_token_lifetime: integer({ min: 1, max: 400 }).optional(),
  minimum_password_length: integer({ min: 8, max: 128 }).optional(),
  allow_top_level_group_owners_to_create_service_accounts: boolean().optional(),
  domain_allowlist: texts().optional(),
  domain_denylist: texts().optional(),
  domain_denylist_enabled: boolean().optional(),
  // Imports come with the service that runs them.
  import_sources: onlyDefault(texts(), []).optional(),
  ...throttle('authenticated_api'),
  ...throttle('unauthenticated_api'),
  ...applicationLimits,
};

const throttleOf = (
  given: Readonly<Record<string, unknown>>,
  name: 'authenticated_api' | 'unauthenticated_api',
): RequestThrottle => ({
  enabled: given[`throttle_${name}_enabled`] as boolean | undefined,
  requestsPerPeriod: given[`throttle_${name}_requests_per_period`] as number | undefined,
  periodInSeconds: given[`throttle_${name}_period_in_seconds`] as number | undefined,
});

const limitsOf = (given: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(
    Object.keys(limitSettings).flatMap((name) => (given[name] === undefined ? [] : [[name, given[name] as number]])),
  );

/** Settings of the instance, effective within a second on every replica. */
export const settingsRoutes = [
  defineRoute({
    method: 'get',
    path: '/application/settings',
    section: 'Instance',
    summary: 'Get the settings of the instance',
    access: 'admin',
    returns: { 200: 'ApplicationSettings' },
    handle: ({ limits, call }) => call(SettingsServiceService).getSettings({ defaults: toSettings(limits) }),
  }),
  defineRoute({
    method: 'put',
    path: '/application/settings',
    section: 'Instance',
    summary: 'Change the settings of the instance',
    docs: {
      description: 'Change settings. They count within a second on every replica.',
      example: { default_branch_name: 'trunk', search_rate_limit: 60 },
    },
    access: 'admin',
    params: settings,
    returns: { 200: 'ApplicationSettings' },
    handle: ({ params, limits, call }) =>
      call(SettingsServiceService).updateSettings({
        defaults: toSettings(limits),
        defaultBranchName: params.default_branch_name,
        defaultProjectVisibility: params.default_project_visibility,
        defaultGroupVisibility: params.default_group_visibility,
        defaultProjectsLimit: params.default_projects_limit,
        canCreateGroup: params.can_create_group,
        userDefaultExternal: params.user_default_external,
        deletionAdjournedPeriod: params.deletion_adjourned_period,
        maxPersonalAccessTokenLifetime: params.max_personal_access_token_lifetime,
        minimumPasswordLength: params.minimum_password_length,
        allowTopLevelGroupOwnersToCreateServiceAccounts: params.allow_top_level_group_owners_to_create_service_accounts,
        domainAllowlist: params.domain_allowlist && { domains: params.domain_allowlist },
        domainDenylist: params.domain_denylist && { domains: params.domain_denylist },
        domainDenylistEnabled: params.domain_denylist_enabled,
        limits: {
          authenticatedApi: throttleOf(params, 'authenticated_api'),
          unauthenticatedApi: throttleOf(params, 'unauthenticated_api'),
          application: limitsOf(params),
        },
      }),
  }),
];

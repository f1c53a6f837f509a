import { badRequest } from '@switchyard/errors';
import {
  type RequestThrottle,
  SettingsServiceService,
  type UpdateSettingsRequest,
  type GatewayLimits as WireLimits,
} from '@switchyard/protos/groups_admin/v1/settings';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { Visibility } from '../../rules';
import type { ManageSettings } from '../application/manage-settings';
import type { CompleteLimits, GatewayLimits, StoredSettings, Throttle } from '../domain/instance-settings';
import { presentSettings } from '../presenters/settings.presenter';

/** Without the keys of what was not sent. */
const sent = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

const toThrottle = (wire: RequestThrottle | undefined): Throttle | undefined =>
  wire &&
  sent<Throttle>({
    enabled: wire.enabled,
    requests_per_period: wire.requestsPerPeriod,
    period_in_seconds: wire.periodInSeconds,
  });

const toLimits = (wire: WireLimits | undefined): GatewayLimits =>
  sent<GatewayLimits>({
    authenticated_api: toThrottle(wire?.authenticatedApi),
    unauthenticated_api: toThrottle(wire?.unauthenticatedApi),
    application: wire?.application,
  });

function toDefaultThrottle({ enabled, requestsPerPeriod, periodInSeconds }: RequestThrottle): Required<Throttle> {
  if (enabled === undefined || requestsPerPeriod === undefined || periodInSeconds === undefined) throw badRequest();
  return { enabled, requests_per_period: requestsPerPeriod, period_in_seconds: periodInSeconds };
}

/** The limits of a gateway, which sends each of them. @throws AppError bad_request */
function toDefaults(wire: WireLimits | undefined): CompleteLimits {
  if (wire?.authenticatedApi === undefined || wire.unauthenticatedApi === undefined) throw badRequest();
  return {
    authenticated_api: toDefaultThrottle(wire.authenticatedApi),
    unauthenticated_api: toDefaultThrottle(wire.unauthenticatedApi),
    application: wire.application,
  };
}

const toWireThrottle = (throttle: Throttle | undefined): RequestThrottle | undefined =>
  throttle && {
    enabled: throttle.enabled,
    requestsPerPeriod: throttle.requests_per_period,
    periodInSeconds: throttle.period_in_seconds,
  };

const toWireLimits = (limits: GatewayLimits = {}): WireLimits => ({
  authenticatedApi: toWireThrottle(limits.authenticated_api),
  unauthenticatedApi: toWireThrottle(limits.unauthenticated_api),
  application: { ...limits.application },
});

const toChange = (request: UpdateSettingsRequest): StoredSettings =>
  sent<StoredSettings>({
    default_branch_name: request.defaultBranchName,
    default_project_visibility: request.defaultProjectVisibility as Visibility | undefined,
    default_group_visibility: request.defaultGroupVisibility as Visibility | undefined,
    default_projects_limit: request.defaultProjectsLimit,
    can_create_group: request.canCreateGroup,
    user_default_external: request.userDefaultExternal,
    deletion_adjourned_period: request.deletionAdjournedPeriod,
    max_personal_access_token_lifetime: request.maxPersonalAccessTokenLifetime,
    minimum_password_length: request.minimumPasswordLength,
    allow_top_level_group_owners_to_create_service_accounts: request.allowTopLevelGroupOwnersToCreateServiceAccounts,
    domain_allowlist: request.domainAllowlist?.domains,
    domain_denylist: request.domainDenylist?.domains,
    domain_denylist_enabled: request.domainDenylistEnabled,
    limits: request.limits && toLimits(request.limits),
  });

/** SettingsService. */
export const settingsHandler = (manage: ManageSettings): ServiceImplementation =>
  implement(
    SettingsServiceService,
    {
      getSettings: async ({ defaults }) => {
        const { settings, limits } = await manage.get(toDefaults(defaults));
        return entity(presentSettings(settings, limits));
      },

      updateSettings: async (request) => {
        const { settings, limits } = await manage.update(toChange(request), toDefaults(request.defaults));
        return entity(presentSettings(settings, limits));
      },

      followSettings: async ({ version, waitMs }, { signal }) => {
        const found = await manage.follow(version, waitMs, signal);
        return { version: found.version, limits: toWireLimits(found.settings.limits) };
      },
    },
    { followSettings: { callers: ['gateway'], unbounded: true } },
  );

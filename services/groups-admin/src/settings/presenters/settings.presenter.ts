import type { CompleteLimits, InstanceSettings, Throttle } from '../domain/instance-settings';

const presentThrottle = (name: string, { enabled, requests_per_period, period_in_seconds }: Required<Throttle>) => ({
  [`throttle_${name}_enabled`]: enabled,
  [`throttle_${name}_requests_per_period`]: requests_per_period,
  [`throttle_${name}_period_in_seconds`]: period_in_seconds,
});

/** The settings of the instance (G §10); what Switchyard does not have is not printed. */
export const presentSettings = (settings: InstanceSettings, limits: CompleteLimits) => ({
  id: 1,
  ...settings,
  ...presentThrottle('authenticated_api', limits.authenticated_api),
  ...presentThrottle('unauthenticated_api', limits.unauthenticated_api),
  ...limits.application,
  import_sources: [],
});

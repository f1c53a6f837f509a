/** How an issue stands, as its people say. */
export const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const;

export type HealthStatus = (typeof healthStatuses)[number];

/** Whether issues of a licence tier have a health status. */
export const hasHealthStatus = (tier: string): boolean => tier === 'ultimate';

/** The status an argument of a command names, in any case of letters, also with spaces; undefined for none. */
export function healthStatusOf(argument: string): HealthStatus | undefined {
  const name = argument.trim().toLowerCase().replaceAll(' ', '_');
  return healthStatuses.find((one) => one === name);
}

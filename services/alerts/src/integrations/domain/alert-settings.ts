/** The settings of a project about its alerts (G-4.12-13). */
export interface AlertSettings {
  /** A new alert opens an incident (Ultimate). */
  readonly createIssue: boolean;
  /** Owners and Maintainers get mail about a new alert. */
  readonly sendEmail: boolean;
  /** The end of an alert closes its incident. */
  readonly autoCloseIncident: boolean;
  /** A payload without a fingerprint gets one computed from its content (Premium, Ultimate). */
  readonly fingerprinting: boolean;
}

/** The settings of a project that has set none. */
export const defaultAlertSettings: AlertSettings = {
  createIssue: false,
  sendEmail: false,
  autoCloseIncident: true,
  fingerprinting: true,
};

/** Tiers that have a setting; every tier has the others. */
const tiersOf: Partial<Record<keyof AlertSettings, readonly string[]>> = {
  createIssue: ['ultimate'],
  fingerprinting: ['premium', 'ultimate'],
};

/**
 * The settings that a tier has. Others are ignored when they are set, left out of replies, and count as off (G-13-16).
 */
export const licensedSettings = (settings: Partial<AlertSettings>, tier: string): Partial<AlertSettings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => tiersOf[name as keyof AlertSettings]?.includes(tier) ?? true),
  );

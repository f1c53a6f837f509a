/** What a project wants done about its alerts (G-4.12-13). */
export interface AlertSettings {
  /** A new alert opens an incident; takes effect in Ultimate. */
  readonly createIssue: boolean;
  /** Owners and Maintainers get mail about a new alert. */
  readonly sendEmail: boolean;
  /** The end of an alert closes its incident. */
  readonly autoCloseIncident: boolean;
  /** A payload without a fingerprint gets one made of what it says; takes effect in Premium. */
  readonly fingerprinting: boolean;
}

/** What holds for a project that has set nothing. */
export const defaultAlertSettings: AlertSettings = {
  createIssue: false,
  sendEmail: false,
  autoCloseIncident: true,
  fingerprinting: true,
};

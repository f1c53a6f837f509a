import { type AlertSeverity, alertSeverities } from '../../payloads';

/** Which alert. */
export interface AlertNumber {
  readonly projectId: number;
  readonly iid: number;
}

/** An incident as an alert stores it. */
export interface LinkedIncident {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
}

/** Statuses of an alert; the index is the number in its row. */
export const alertStatuses = ['triggered', 'acknowledged', 'resolved', 'ignored'] as const;

/** Status of an alert; every one but `resolved` counts as unresolved. */
export type AlertStatus = (typeof alertStatuses)[number];

/** Number of a status in the rows of alerts. */
export const statusNumber = (status: AlertStatus): number => alertStatuses.indexOf(status);

/** Status of a number in the rows of alerts. */
export const statusOf = (number: number): AlertStatus => alertStatuses[number] ?? 'triggered';

/** Number of a severity in the rows of alerts. */
export const severityNumber = (severity: AlertSeverity): number => alertSeverities.indexOf(severity);

/** Severity of a number in the rows of alerts. */
export const severityOf = (number: number): AlertSeverity => alertSeverities[number] ?? 'unknown';

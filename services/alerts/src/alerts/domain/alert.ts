import { type AlertSeverity, alertSeverities } from '../../payloads';

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

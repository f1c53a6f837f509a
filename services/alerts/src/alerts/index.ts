export { composeAlerts } from './compose';
export { type AlertNumber, type AlertStatus, severityNumber, severityOf, statusNumber, statusOf } from './domain/alert';
export type { AlertEventInput, AlertSubject } from './domain/alert-event';
export type { IgnoreReason, ItemOutcome } from './domain/alert-receipt';
export type { ProjectScope } from './domain/project-scope';
export { appendAlertEvents } from './storage/alert.events';
export { scopeOf } from './transport/project-scope';

import type { AlertAttribute, AlertSeverity } from '../../payloads';
import type { AlertStatus } from './alert';

/** The alert in an event, after the change. */
export interface AlertSubject {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly severity: AlertSeverity;
  readonly status: AlertStatus;
  readonly version: number;
  readonly issueIid: number | undefined;
}

/** The parts of an alert that its incident shows. An event contains long texts cut, and names them (`cut`). */
export interface AlertDetails {
  readonly startedAt: Date;
  readonly description: string | undefined;
  readonly service: string | undefined;
  readonly monitoringTool: string | undefined;
  readonly hosts: readonly string[];
  readonly environment: string | undefined;
  readonly incidentMarkdown: string | undefined;
  readonly query: string | undefined;
  readonly runbook: string | undefined;
  readonly attributes: readonly AlertAttribute[];
}

/** What changed the status of an alert. */
export type StatusCause = 'payload' | 'user' | 'incident';

/** A fact about an alert (alert_event.proto). */
export type AlertFact =
  | {
      readonly kind: 'raised';
      readonly openIncident: boolean;
      readonly sendEmail: boolean;
      readonly details: AlertDetails;
    }
  | {
      readonly kind: 'statusChanged';
      readonly previous: AlertStatus;
      readonly cause: StatusCause;
      readonly closeIncident: boolean;
    }
  | {
      readonly kind: 'assigned';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
    }
  | { readonly kind: 'incidentWanted'; readonly details: AlertDetails };

/** One event of an alert, before it is encoded. */
export interface AlertEventInput {
  readonly alert: AlertSubject;
  /** 0 when a payload or a closed incident caused it. */
  readonly actorId: number;
  readonly occurredAt: Date;
  readonly fact: AlertFact;
}

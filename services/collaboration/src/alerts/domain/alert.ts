import { formatTimestamp } from '@switchyard/texts';

/** An alert as its events carry it; it belongs to the service alerts. */
export interface Alert {
  readonly id: number;
  /** Number within its project. */
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  /** `critical`, `high`, `medium`, `low`, `info` or `unknown`. */
  readonly severity: string;
  /** `triggered`, `acknowledged`, `resolved` or `ignored`. */
  readonly status: string;
  /** Version of its row. */
  readonly version: number;
}

/** What an incident or a mail shows of an alert. Missing texts are empty. */
export interface AlertDetails {
  readonly startedAt: Date | undefined;
  readonly description: string;
  readonly service: string;
  readonly monitoringTool: string;
  readonly hosts: readonly string[];
  readonly environment: string;
  readonly incidentMarkdown: string;
  readonly query: string;
  /** Address of a runbook. */
  readonly runbook: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  /** Names of the texts that were cut. */
  readonly cut: readonly string[];
}

/** What can happen to an alert. */
export type AlertFact =
  | {
      readonly kind: 'raised';
      readonly openIncident: boolean;
      readonly sendEmail: boolean;
      readonly details: AlertDetails;
    }
  | {
      readonly kind: 'statusChanged';
      readonly cause: 'payload' | 'user' | 'incident';
      readonly closeIncident: boolean;
    }
  | {
      readonly kind: 'assigned';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
    }
  | { readonly kind: 'incidentWanted'; readonly details: AlertDetails };

/**
 * Name and values of the known details of an alert, in the order in which they are shown. Details without a value are
 * left out.
 */
export function alertFacts(severity: string, details: AlertDetails): { name: string; values: readonly string[] }[] {
  const { startedAt, service, monitoringTool, hosts, environment, query, cut } = details;
  return [
    { name: 'Severity', values: [severity] },
    { name: 'Started', values: startedAt === undefined ? [] : [formatTimestamp(startedAt)] },
    { name: 'Service', values: [service] },
    { name: 'Monitoring tool', values: [monitoringTool] },
    { name: 'Hosts', values: hosts },
    { name: 'Environment', values: [environment] },
    { name: 'Query', values: [query] },
    { name: 'Cut short, whole in the payload of the alert', values: cut },
  ]
    .map(({ name, values }) => ({ name, values: values.filter((value) => value !== '') }))
    .filter(({ values }) => values.length > 0);
}

/** How far the events of an alert were followed before the one at hand. */
export interface FollowedAlert {
  /** A newer event has reported that it is resolved. */
  readonly ended: boolean;
  /** Version of the alert whose event opened its newest incident; 0 for none. */
  readonly incidentVersion: number;
}

/** What following alerts needs of a project. */
export interface AlertProject {
  readonly id: number;
  /** Full path. */
  readonly path: string;
  /** Issues can be opened in it: they are enabled, and it is not archived. */
  readonly takesIssues: boolean;
}

import type { UserRow } from '@switchyard/directory';
import type { AlertSeverity, PayloadFormat } from '../../payloads';
import type { AlertStatus } from './alert';

/** An alert with all that its representation shows. */
export interface AlertView {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  /** Current full path of the project. */
  readonly projectPath: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly severity: AlertSeverity;
  readonly status: AlertStatus;
  readonly service: string | undefined;
  readonly monitoringTool: string | undefined;
  readonly hosts: readonly string[];
  readonly fingerprint: string | undefined;
  readonly events: number;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  /** The environment of the project that the payload named; undefined where there was none of that name. */
  readonly environment: { readonly id: number; readonly name: string } | undefined;
  readonly runbook: string | undefined;
  readonly format: PayloadFormat;
  /** Further attributes of the payload by name. */
  readonly details: Readonly<Record<string, string>>;
  /** JSON text; undefined where it was not read. */
  readonly payload: string | undefined;
  /** Its incident; undefined while there is none, and when the viewer may not see the project that it was moved to. */
  readonly incident: IncidentReference | undefined;
  readonly assignees: readonly UserRow[];
  /** Undefined after its deletion. */
  readonly integration: { readonly id: number; readonly name: string; readonly type: string } | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An incident as its alert knows it. */
export interface IncidentReference {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  /** Full path of its project. */
  readonly projectPath: string;
}

/** Filter of a list by assignee. */
export type AssigneeMatch = 'none' | 'any' | { readonly userId: number } | { readonly username: string };

/** Filters of a list of alerts; undefined ones do not apply. */
export interface AlertFilter {
  readonly statuses?: readonly AlertStatus[] | undefined;
  readonly severities?: readonly AlertSeverity[] | undefined;
  readonly search?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** Name of an environment of the project. */
  readonly environment?: string | undefined;
  readonly assignee?: AssigneeMatch | undefined;
}

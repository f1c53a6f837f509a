import type { UserRow } from '@switchyard/directory';
import type { AlertSeverity, PayloadFormat } from '../../payloads';
import type { AlertStatus } from './alert';

/** An alert with what it is printed with. */
export interface AlertView {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  /** Full path of the project at present. */
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
  readonly environment: string | undefined;
  readonly runbook: string | undefined;
  readonly format: PayloadFormat;
  /** Further attributes of the payload by name. */
  readonly details: Readonly<Record<string, string>>;
  /** JSON text; undefined where it was not read. */
  readonly payload: string | undefined;
  /** Its incident; undefined while there is none, and where the reader may not see the project it was moved to. */
  readonly incident: IncidentReference | undefined;
  readonly assignees: readonly UserRow[];
  /** Undefined once it has been deleted. */
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

/** Which users' alerts a list is about. */
export type AssigneeMatch = 'none' | 'any' | { readonly userId: number } | { readonly username: string };

/** What a list of alerts is narrowed down by; what is undefined narrows nothing. */
export interface AlertFilter {
  readonly statuses?: readonly AlertStatus[] | undefined;
  readonly severities?: readonly AlertSeverity[] | undefined;
  readonly search?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly assignee?: AssigneeMatch | undefined;
}

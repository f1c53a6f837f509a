import type { DirectoryProjectRow, UserRow } from '@switchyard/directory';

/** An alert as bodies say it. */
export interface HookAlert {
  readonly id: number;
  readonly description: string | null;
  readonly service: string | null;
  readonly monitoring_tool: string | null;
  readonly hosts: readonly string[];
  readonly fingerprint: string | null;
  readonly events: number;
  readonly environment: string | null;
  readonly runbook: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly assignee_ids: readonly number[];
}

/** What the database knows now of those that events name; what is gone is missing. */
export interface HookFacts {
  readonly users: ReadonlyMap<number, UserRow>;
  readonly projects: ReadonlyMap<number, DirectoryProjectRow>;
  readonly alerts: ReadonlyMap<number, HookAlert>;
}

/** What the bodies of an event need, beside the assignees of its alert. */
export interface Named {
  readonly alertId: number;
  readonly projectId: number;
  readonly users: readonly number[];
}

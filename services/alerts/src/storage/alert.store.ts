import { type Database, isUniqueViolation, type Sql, sql, type Tx } from '@switchyard/database';
import { projectById, usersAtLevel } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { severityOf, statusNumber, statusOf } from '../domain/alert';
import type { ChangedStatus } from '../domain/alert-change';
import type { AlertDetails, AlertSubject } from './alert.events';

/** An alert that is held until the transaction ends. */
export interface LockedAlert extends AlertSubject {
  readonly endedAt: Date | undefined;
  readonly assigneeIds: readonly number[];
  readonly issueId: number | undefined;
}

/** An incident as an alert keeps it. */
export interface LinkedIncident {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
}

/** Alerts as rows, where something changes them that is no payload. */
export interface AlertStore {
  /**
   * Holds an alert, and off the payloads of its project, until the transaction ends: whether another unresolved alert has its fingerprint
   * is decided meanwhile.
   */
  lockOfProject(tx: Tx, projectId: number, iid: number): Promise<LockedAlert | undefined>;
  /** Holds the alert of an incident. */
  lockOfIncident(tx: Tx, issueId: number): Promise<LockedAlert | undefined>;
  /** Writes a new status. Throws what `isFingerprintTaken` knows when another unresolved alert of the project has the fingerprint. */
  setStatus(tx: Tx, id: number, change: ChangedStatus, now: Date): Promise<void>;
  setAssignees(tx: Tx, id: number, added: readonly number[], removed: readonly number[], now: Date): Promise<void>;
  /** Counts the version up, for a change that stands in no column. */
  touch(tx: Tx, id: number, now: Date): Promise<void>;
  /** What an incident says of an alert. */
  details(tx: Tx, id: number): Promise<AlertDetails>;
  /** Ties an alert to its incident, where it has none, or has `replacing`. */
  link(tx: Tx, id: number, incident: LinkedIncident, replacing: number): Promise<void>;
  /** Ties the alert of an incident to the issue that this one was moved to. */
  relink(tx: Tx, issueId: number, moved: LinkedIncident): Promise<void>;
  /** Forgets an incident that is gone. */
  unlink(tx: Tx, issueId: number): Promise<void>;
  /** The incident of an alert. */
  incidentOf(projectId: number, iid: number): Promise<LinkedIncident | undefined>;
  /** Whether issues can be opened in a project. */
  takesIssues(tx: Tx, projectId: number): Promise<boolean>;
  /** Those of `ids` who may read the alerts of a project. */
  readers(tx: Tx, projectId: number, ids: readonly number[]): Promise<number[]>;
}

const lockedColumns: Sql = sql`a.id, a.iid, a.project_id, a.title, a.severity, a.status, a.version, a.issue_id, a.issue_iid, a.ended_at,
  array(select aa.user_id from alert_assignees aa where aa.alert_id = a.id order by aa.user_id) as assignee_ids`;

interface LockedRow {
  id: number;
  iid: number;
  project_id: number;
  title: string;
  severity: number;
  status: number;
  version: number;
  issue_id: number | null;
  issue_iid: number | null;
  ended_at: Date | null;
  assignee_ids: number[];
}

const toLocked = (row: LockedRow): LockedAlert => ({
  id: row.id,
  iid: row.iid,
  projectId: row.project_id,
  title: row.title,
  severity: severityOf(row.severity),
  status: statusOf(row.status),
  version: row.version,
  issueId: row.issue_id ?? undefined,
  issueIid: row.issue_iid ?? undefined,
  endedAt: row.ended_at ?? undefined,
  assigneeIds: row.assignee_ids,
});

interface DetailsRow {
  started_at: Date;
  description: string | null;
  service: string | null;
  monitoring_tool: string | null;
  hosts: string[];
  environment: string | null;
  incident_markdown: string | null;
  query: string | null;
  runbook: string | null;
  details: Record<string, string>;
}

/** True for the failure of a write after which two unresolved alerts of a project would have one fingerprint. */
export const isFingerprintTaken = (error: unknown): boolean => isUniqueViolation(error, 'alerts_unresolved');

const touch = (tx: Tx, id: number, now: Date): Promise<unknown> =>
  tx.query(sql`update alerts set version = version + 1, updated_at = ${now} where id = ${id}`);

/** Opens the store. */
export const alertStore = (db: Database): AlertStore => ({
  async lockOfProject(tx, projectId, iid) {
    await tx.query(sql`select 1 from alert_counters where project_id = ${projectId} for update`);
    const row = await tx.one<LockedRow>(
      sql`select ${lockedColumns} from alerts a where a.project_id = ${projectId} and a.iid = ${iid} for update of a`,
    );
    return row && toLocked(row);
  },

  async lockOfIncident(tx, issueId) {
    const row = await tx.one<LockedRow>(
      sql`select ${lockedColumns} from alerts a where a.issue_id = ${issueId} for update of a`,
    );
    return row && toLocked(row);
  },

  async setStatus(tx, id, { status, endedAt }, now) {
    await tx.query(sql`
      update alerts set status = ${statusNumber(status)}, ended_at = ${endedAt ?? null}, version = version + 1, updated_at = ${now}
      where id = ${id}`);
  },

  async setAssignees(tx, id, added, removed, now) {
    await tx.query(
      sql`delete from alert_assignees where alert_id = ${id} and user_id = any(${[...removed]}::bigint[])`,
    );
    await tx.query(sql`
      insert into alert_assignees (alert_id, user_id) select ${id}, user_id from unnest(${[...added]}::bigint[]) u (user_id)
      on conflict do nothing`);
    await touch(tx, id, now);
  },

  async touch(tx, id, now) {
    await touch(tx, id, now);
  },

  async details(tx, id) {
    const row = await tx.one<DetailsRow>(sql`
      select started_at, description, service, monitoring_tool, hosts, environment, incident_markdown, query, runbook, details
      from alerts where id = ${id}`);
    if (row === undefined) throw new Error(`there is no alert ${id}`);
    return {
      startedAt: row.started_at,
      description: row.description ?? undefined,
      service: row.service ?? undefined,
      monitoringTool: row.monitoring_tool ?? undefined,
      hosts: row.hosts,
      environment: row.environment ?? undefined,
      incidentMarkdown: row.incident_markdown ?? undefined,
      query: row.query ?? undefined,
      runbook: row.runbook ?? undefined,
      attributes: Object.entries(row.details).map(([name, value]) => ({ name, value })),
    };
  },

  async link(tx, id, incident, replacing) {
    await tx.query(sql`
      update alerts set issue_id = ${incident.id}, issue_iid = ${incident.iid}, issue_project_id = ${incident.projectId},
        updated_at = now()
      where id = ${id} and (issue_id is null or issue_id = ${replacing})`);
  },

  async relink(tx, issueId, moved) {
    await tx.query(sql`
      update alerts set issue_id = ${moved.id}, issue_iid = ${moved.iid}, issue_project_id = ${moved.projectId}, updated_at = now()
      where issue_id = ${issueId}`);
  },

  async unlink(tx, issueId) {
    await tx.query(sql`
      update alerts set issue_id = null, issue_iid = null, issue_project_id = null, updated_at = now() where issue_id = ${issueId}`);
  },

  async incidentOf(projectId, iid) {
    const row = await db.one<{ id: number | null; iid: number; project_id: number }>(sql`
      select issue_id as id, issue_iid as iid, issue_project_id as project_id from alerts
      where project_id = ${projectId} and iid = ${iid}`);
    return row === undefined || row.id === null ? undefined : { id: row.id, iid: row.iid, projectId: row.project_id };
  },

  takesIssues: async (tx, projectId) => (await projectById(tx, projectId))?.issues_enabled === true,

  readers: (tx, projectId, ids) => usersAtLevel(tx, projectId, ids, levels.developer),
});

import { type Database, isUniqueViolation, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { projectById, usersAtLevel } from '@switchyard/directory';
import { conflict } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { levels } from '@switchyard/rights';
import { type AlertNumber, type LinkedIncident, severityOf, statusNumber, statusOf } from '../domain/alert';
import type { AlertDecision, AlertFacts, AlertQuestions, AlertStep, LockedAlert } from '../domain/alert-change';
import type { AlertDetails, AlertEventInput, AlertFact } from '../domain/alert-event';
import { appendAlertEvents } from './alert.events';

faultPoints.push('alert.written', 'alert.committed');

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

/** True when a write failed because another unresolved alert of the project has the fingerprint. */
const isFingerprintTaken = (error: unknown): boolean => isUniqueViolation(error, 'alerts_unresolved');

async function lockOfProject(tx: Tx, projectId: number, iid: number): Promise<LockedAlert | undefined> {
  await tx.query(sql`select 1 from alert_counters where project_id = ${projectId} for update`);
  const row = await tx.one<LockedRow>(
    sql`select ${lockedColumns} from alerts a where a.project_id = ${projectId} and a.iid = ${iid} for update of a`,
  );
  return row && toLocked(row);
}

async function lockOfIncident(tx: Tx, issueId: number): Promise<LockedAlert | undefined> {
  const row = await tx.one<LockedRow>(
    sql`select ${lockedColumns} from alerts a where a.issue_id = ${issueId} for update of a`,
  );
  return row && toLocked(row);
}

/** Reads the parts of an alert that its incident shows. */
async function detailsOf(tx: Tx, id: number): Promise<AlertDetails> {
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
}

async function saveAssignees(tx: Tx, id: number, added: readonly number[], removed: readonly number[]): Promise<void> {
  await tx.query(sql`delete from alert_assignees where alert_id = ${id} and user_id = any(${[...removed]}::bigint[])`);
  await tx.query(sql`
    insert into alert_assignees (alert_id, user_id) select ${id}, user_id from unnest(${[...added]}::bigint[]) u (user_id)
    on conflict do nothing`);
}

/** Writes one step. @returns the fact to publish */
async function saveStep(tx: Tx, alert: LockedAlert, step: AlertStep, now: Date): Promise<AlertFact> {
  switch (step.kind) {
    case 'status':
      await tx.query(sql`
        update alerts set status = ${statusNumber(step.status)}, ended_at = ${step.endedAt ?? null}, version = version + 1,
          updated_at = ${now}
        where id = ${alert.id}`);
      return { kind: 'statusChanged', previous: alert.status, cause: step.cause, closeIncident: false };
    case 'assignees': {
      const { addedAssigneeIds, removedAssigneeIds } = step;
      await saveAssignees(tx, alert.id, addedAssigneeIds, removedAssigneeIds);
      await incrementVersion(tx, alert.id, now);
      return { kind: 'assigned', addedAssigneeIds, removedAssigneeIds };
    }
    case 'incidentWanted':
      await incrementVersion(tx, alert.id, now);
      return { kind: 'incidentWanted', details: await detailsOf(tx, alert.id) };
  }
}

/** Increments the version, for a change that no column of the alert contains. */
const incrementVersion = (tx: Tx, id: number, now: Date): Promise<unknown> =>
  tx.query(sql`update alerts set version = version + 1, updated_at = ${now} where id = ${id}`);

/**
 * Opens the store for changes of alerts by users and incidents.
 * @param edges the clock, and how far this service has followed the directory
 */
export function alertStore(
  db: Database,
  { clock, directorySequence }: { readonly clock: () => Date; readonly directorySequence: () => number },
) {
  async function save(tx: Tx, locked: LockedAlert, { actorId, steps }: AlertDecision): Promise<void> {
    const occurredAt = clock();
    const inputs: AlertEventInput[] = [];
    let alert = locked;
    for (const step of steps) {
      const fact = await saveStep(tx, alert, step, occurredAt);
      const status = step.kind === 'status' ? step.status : alert.status;
      alert = { ...alert, status, version: alert.version + 1 };
      inputs.push({ alert, actorId, occurredAt, fact });
    }
    await appendAlertEvents(tx, inputs, directorySequence());
  }

  return {
    async change(
      { projectId, iid }: AlertNumber,
      questions: AlertQuestions,
      decide: (alert: LockedAlert, facts: AlertFacts) => AlertDecision,
    ): Promise<boolean> {
      const changed = db.transaction(async (tx) => {
        const alert = await lockOfProject(tx, projectId, iid);
        if (alert === undefined) return false;
        const candidates = questions.candidates?.(alert) ?? [];
        const readers =
          candidates.length === 0 ? [] : await usersAtLevel(tx, projectId, [...candidates], levels.developer);
        const takesIssues =
          questions.takesIssues === true && (await projectById(tx, projectId))?.issues_enabled === true;
        await save(tx, alert, decide(alert, { readers, takesIssues }));
        faultPoint('alert.written');
        return true;
      });
      const found = await changed.catch((error: unknown) => {
        throw isFingerprintTaken(error) ? conflict('Another unresolved alert has the same fingerprint') : error;
      });
      faultPoint('alert.committed');
      return found;
    },

    async changeOfIncident(tx: Tx, issueId: number, decide: (alert: LockedAlert) => AlertDecision): Promise<void> {
      const alert = await lockOfIncident(tx, issueId);
      if (alert !== undefined) await save(tx, alert, decide(alert));
    },

    async link(tx: Tx, id: number, incident: LinkedIncident, replacing: number): Promise<void> {
      await tx.query(sql`
      update alerts set issue_id = ${incident.id}, issue_iid = ${incident.iid}, issue_project_id = ${incident.projectId},
        updated_at = now()
      where id = ${id} and (issue_id is null or issue_id = ${replacing})`);
    },

    async relink(tx: Tx, issueId: number, moved: LinkedIncident): Promise<void> {
      await tx.query(sql`
      update alerts set issue_id = ${moved.id}, issue_iid = ${moved.iid}, issue_project_id = ${moved.projectId}, updated_at = now()
      where issue_id = ${issueId}`);
    },

    async unlink(tx: Tx, issueId: number): Promise<void> {
      await tx.query(sql`
      update alerts set issue_id = null, issue_iid = null, issue_project_id = null, updated_at = now() where issue_id = ${issueId}`);
    },

    async incidentOf(projectId: number, iid: number): Promise<LinkedIncident | undefined> {
      const row = await db.one<{ id: number | null; iid: number; project_id: number }>(sql`
      select issue_id as id, issue_iid as iid, issue_project_id as project_id from alerts
      where project_id = ${projectId} and iid = ${iid}`);
      return row === undefined || row.id === null ? undefined : { id: row.id, iid: row.iid, projectId: row.project_id };
    },
  };
}

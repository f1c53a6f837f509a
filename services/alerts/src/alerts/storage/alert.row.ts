import { type Sql, sql } from '@switchyard/database/sql';
import { fullPathSql, joinProject, type UserRow, usersJson, type Viewer, visibleProjects } from '@switchyard/directory';
import type { PayloadFormat } from '../../payloads';
import { severityOf, statusOf } from '../domain/alert';
import type { AlertView } from '../domain/alert-view';
import { environmentJson } from './environment.sql';

/** Alerts `a` with their projects `p` and namespaces `n`. */
export const alertFrom: Sql = sql`alerts a ${joinProject(sql`a.project_id`)}`;

// Subselects in the select list run only for the rows of the page, after the limit.
/** Select list of a view without payload, on the aliases of `alertFrom`. */
export const alertSelect = (
  viewer: Viewer,
): Sql => sql`a.id, a.iid, a.project_id, a.title, a.description, a.severity, a.status,
  a.service, a.monitoring_tool, a.hosts, a.fingerprint, a.events, a.started_at, a.ended_at, ${environmentJson} as environment, a.runbook, a.format,
  a.details, a.created_at, a.updated_at, a.issue_id, a.issue_iid, a.issue_project_id, ${fullPathSql} as project_path,
  ${usersJson(sql`array(select assigned.user_id from alert_assignees assigned where assigned.alert_id = a.id order by 1)`)} as assignees,
  (select json_build_object('id', i.id, 'name', i.name, 'type', i.type) from http_integrations i where i.id = a.integration_id)
    as integration,
  case when a.issue_project_id = a.project_id then ${fullPathSql} else (
    select ${fullPathSql} from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    where p.id = a.issue_project_id and ${visibleProjects(viewer, { feature: 'issues' })}) end as issue_project_path`;

/** Column of the payload, as text. */
export const payloadColumn: Sql = sql`a.payload::text as payload`;

const given = <T>(value: unknown): T | undefined => (value === null || value === undefined ? undefined : (value as T));

/** A row of `alertSelect`, with or without `payloadColumn`. */
export const toAlertView = (row: Record<string, unknown>): AlertView => ({
  id: row.id as number,
  iid: row.iid as number,
  projectId: row.project_id as number,
  projectPath: row.project_path as string,
  title: row.title as string,
  description: given(row.description),
  severity: severityOf(row.severity as number),
  status: statusOf(row.status as number),
  service: given(row.service),
  monitoringTool: given(row.monitoring_tool),
  hosts: row.hosts as string[],
  fingerprint: given(row.fingerprint),
  events: row.events as number,
  startedAt: row.started_at as Date,
  endedAt: given(row.ended_at),
  environment: given(row.environment),
  runbook: given(row.runbook),
  format: row.format as PayloadFormat,
  details: row.details as Record<string, string>,
  payload: given(row.payload),
  incident:
    given(row.issue_id) === undefined || given(row.issue_project_path) === undefined
      ? undefined
      : {
          id: row.issue_id as number,
          iid: row.issue_iid as number,
          projectId: row.issue_project_id as number,
          projectPath: row.issue_project_path as string,
        },
  assignees: row.assignees as UserRow[],
  integration: given(row.integration),
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

import { userReference } from '@switchyard/directory';
import { withJson } from '../../payloads';
import type { AlertView, IncidentReference } from '../domain/alert-view';

/** Web address of an alert. */
export const alertUrl = ({ projectPath, iid }: Pick<AlertView, 'projectPath' | 'iid'>, externalUrl: string): string =>
  `${externalUrl}/${projectPath}/-/alert_management/${iid}/details`;

/** A reference to the incident of an alert. */
export const presentIncidentReference = (
  { id, iid, projectId, projectPath }: IncidentReference,
  externalUrl: string,
) => ({
  id,
  iid,
  project_id: projectId,
  web_url: `${externalUrl}/${projectPath}/-/issues/${iid}`,
});

/** The public alert in lists: without its payload. */
export const presentAlert = (alert: AlertView, externalUrl: string) => ({
  id: alert.id,
  iid: alert.iid,
  project_id: alert.projectId,
  title: alert.title,
  description: alert.description ?? null,
  severity: alert.severity,
  status: alert.status,
  service: alert.service ?? null,
  monitoring_tool: alert.monitoringTool ?? null,
  hosts: alert.hosts,
  fingerprint: alert.fingerprint ?? null,
  events: alert.events,
  started_at: alert.startedAt,
  ended_at: alert.endedAt ?? null,
  environment: alert.environment?.name ?? null,
  environment_id: alert.environment?.id ?? null,
  runbook: alert.runbook ?? null,
  format: alert.format,
  details: alert.details,
  issue: alert.incident === undefined ? null : presentIncidentReference(alert.incident, externalUrl),
  assignees: alert.assignees.map((user) => userReference(user, externalUrl)),
  integration: alert.integration ?? null,
  web_url: alertUrl(alert, externalUrl),
  created_at: alert.createdAt,
  updated_at: alert.updatedAt,
});

/** The public alert with its payload, as bytes. */
export const renderAlert = (alert: AlertView, externalUrl: string): Buffer =>
  withJson(presentAlert(alert, externalUrl), 'payload', alert.payload);

import type { Database } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { projectById, projectByPath } from '@switchyard/directory';
import type { AlertEndpoint, EndpointIntegration, EndpointSelector, ProjectName } from '../domain/alert-endpoint';
import { type AlertSettings, defaultAlertSettings } from '../domain/alert-settings';
import { mappingOf } from './http-integration.row';

function selected(selector: EndpointSelector): Sql {
  if ('id' in selector) return sql`i.id = ${selector.id}`;
  return 'endpointId' in selector ? sql`i.endpoint_id = ${selector.endpointId}` : sql`i.type = ${selector.oldestOf}`;
}

interface EndpointRow {
  id: number | null;
  key_digest: Buffer | null;
  active: boolean | null;
  payload_attribute_mappings: unknown;
  create_issue: boolean | null;
  send_email: boolean | null;
  auto_close_incident: boolean | null;
  fingerprinting: boolean | null;
}

/** Opens the store. */
export const alertEndpointStore = (db: Database) => ({
  /**
   * The endpoint of a project and a selector; undefined when the replica has no such project, or alerts are disabled in
   * it.
   */
  async find(name: ProjectName, selector: EndpointSelector): Promise<AlertEndpoint | undefined> {
    const project = await ('id' in name ? projectById(db, name.id) : projectByPath(db, name.path));
    if (project === undefined || project.deleting || project.archived) return undefined;
    if (project.monitor_access_level === 'disabled') return undefined;
    const row = await db.one<EndpointRow>(
      named(
        'alert_endpoint',
        sql`select i.id, i.key_digest, i.active, i.payload_attribute_mappings,
            s.create_issue, s.send_email, s.auto_close_incident, s.fingerprinting
          from (select ${project.id}::bigint as project_id) p
          left join lateral (select * from http_integrations i where i.project_id = p.project_id and ${selected(selector)} order by i.id limit 1) i
            on true
          left join alert_settings s on s.project_id = p.project_id`,
      ),
    );
    return { projectId: project.id, tier: project.tier, settings: settingsOf(row), integration: integrationOf(row) };
  },
});

const settingsOf = (row: EndpointRow | undefined): AlertSettings => ({
  createIssue: row?.create_issue ?? defaultAlertSettings.createIssue,
  sendEmail: row?.send_email ?? defaultAlertSettings.sendEmail,
  autoCloseIncident: row?.auto_close_incident ?? defaultAlertSettings.autoCloseIncident,
  fingerprinting: row?.fingerprinting ?? defaultAlertSettings.fingerprinting,
});

const integrationOf = (row: EndpointRow | undefined): EndpointIntegration | undefined =>
  row === undefined || row.id === null || row.key_digest === null
    ? undefined
    : {
        id: row.id,
        keyDigest: row.key_digest,
        active: row.active === true,
        mapping: mappingOf(row.payload_attribute_mappings),
      };

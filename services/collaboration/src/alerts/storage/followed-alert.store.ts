import type { SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Alert, FollowedAlert } from '../domain/alert';

/** The status of alerts, which belong to another service. */
export const followedAlerts = {
  /** Locks the row of an alert and stores its status. */
  async follow(tx: SqlExecutor, { id, projectId, status, version }: Alert): Promise<FollowedAlert> {
    const [row] = await tx.query<{ version: number; status: string; incident_version: number }>(
      named(
        'alert_follow',
        sql`insert into followed_alerts as known (alert_id, project_id, version, status) values (${id}, ${projectId}, ${version}, ${status})
      on conflict (alert_id) do update set
        status = case when known.version < excluded.version then excluded.status else known.status end,
        version = greatest(known.version, excluded.version)
      returning version, status, incident_version`,
      ),
    );
    if (row === undefined) throw new Error('an alert has neither been found nor noted');
    return { ended: row.version > version && row.status === 'resolved', incidentVersion: row.incident_version };
  },

  /** Records that the event of this version opened the incident of an alert. */
  async openedIncident(tx: SqlExecutor, { id, version }: Alert): Promise<void> {
    await tx.query(sql`update followed_alerts set incident_version = ${version} where alert_id = ${id}`);
  },
};

import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { projectsByIds, usersByIds } from '@switchyard/directory';
import type { HookAlert, HookFacts, Named } from '../domain/hook-facts';

/** What is known of those that a batch of events names: one statement for each kind. */
export const hookFactsStore =
  (db: Database) =>
  async (all: readonly Named[]): Promise<HookFacts> => {
    const ids = [...new Set(all.map(({ alertId }) => alertId))];
    const alerts = await db.query<HookAlert>(
      named(
        'hook_alerts',
        sql`select a.id, a.description, a.service, a.monitoring_tool, a.hosts, a.fingerprint, a.events, a.environment,
          a.runbook, a.details, a.started_at, a.ended_at, a.created_at, a.updated_at,
          array(select s.user_id from alert_assignees s where s.alert_id = a.id order by 1) as assignee_ids
        from alerts a where a.id = any(${ids}::bigint[])`,
      ),
    );
    const [users, projects] = await Promise.all([
      usersByIds(db, [...all.flatMap((one) => one.users), ...alerts.flatMap(({ assignee_ids: assigned }) => assigned)]),
      projectsByIds(
        db,
        all.map(({ projectId }) => projectId),
      ),
    ]);
    return { users, projects, alerts: new Map(alerts.map((alert) => [alert.id, alert])) };
  };

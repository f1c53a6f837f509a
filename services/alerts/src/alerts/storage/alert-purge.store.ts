import type { Database } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';

/** Tables whose rows are purged with their projects; assignees and metric images are purged with their alerts. */
const ofProjects = {
  alerts: 'id',
  alert_receipts: 'id',
  http_integrations: 'id',
  episode_ends: '(project_id, fingerprint)',
  alert_settings: 'project_id',
  alert_counters: 'project_id',
  environments: 'id',
};

const orphans = (table: string, key: string, limit: number): Sql => {
  const columns = key
    .replace(/[()]/g, '')
    .split(', ')
    .map((column) => `t.${column}`);
  return sql`delete from ${raw(table)} where ${raw(key)} in (
    select ${raw(columns.join(', '))} from directory.projects p join ${raw(table)} t on t.project_id = p.id
    where p.deleted_at is not null limit ${limit}) returning 1`;
};

const movedAway = (limit: number): Sql => sql`
  update alerts set issue_id = null, issue_iid = null, issue_project_id = null, updated_at = now() where id in (
    select a.id from directory.projects p join alerts a on a.issue_project_id = p.id and a.issue_project_id <> a.project_id
    where p.deleted_at is not null limit ${limit}) returning 1`;

/** Opens the store. */
export const alertPurge = (db: Database) => ({
  async removeOrphans(limit: number): Promise<number> {
    let removed = 0;
    for (const [table, key] of Object.entries(ofProjects))
      removed += (await db.query(orphans(table, key, limit))).length;
    return removed + (await db.query(movedAway(limit))).length;
  },
});

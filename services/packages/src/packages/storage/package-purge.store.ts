import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';

/** Tables whose rows go with their projects, and their keys; files, pipelines and tags go with their packages. */
const ofProjects = {
  packages: 'id',
  package_protection_rules: 'id',
  package_measurements: 'project_id',
  package_cleanup_policies: 'project_id',
  uploads: 'id',
};

/** Opens the store. */
export const packagePurge = (db: Database) => ({
  async removeOrphans(limit: number): Promise<number> {
    let removed = 0;
    for (const [table, key] of Object.entries(ofProjects)) {
      const rows = await db.query(sql`
        delete from ${raw(table)} where ${raw(key)} in (
          select t.${raw(key)} from directory.projects p join ${raw(table)} t on t.project_id = p.id
          where p.deleted_at is not null limit ${limit}) returning 1`);
      removed += rows.length;
    }
    const ofGroups = await db.query(sql`
      delete from package_duplicate_rules where group_id in (
        select r.group_id from directory.namespaces n join package_duplicate_rules r on r.group_id = n.id
        where n.deleted_at is not null limit ${limit}) returning 1`);
    return removed + ofGroups.length;
  },
});

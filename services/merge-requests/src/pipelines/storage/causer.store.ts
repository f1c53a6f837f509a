import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { accessLevel } from '@switchyard/directory';
import type { ProjectAccess } from '../../repositories';

/** The users who cause pipelines, as the directory has them. */
export const causerStore = (db: Database) => ({
  /** The access of an active user to a project; undefined for one who is not active any more. */
  accessOf: (projectId: number, userId: number): Promise<ProjectAccess | undefined> =>
    db.one(sql`
      select u.admin, ${accessLevel({ userId, admin: false, external: false }, projectId)} as level
      from directory.users u where u.id = ${userId} and u.deleted_at is null and u.state = 'active'`),
});

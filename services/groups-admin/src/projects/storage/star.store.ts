import { contains, type Database, isForeignKeyViolation, listPage, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Viewer } from '../../directory';
import type { StarrerRow } from '../domain/starrer-row';

/** Stars in the database; triggers keep `projects.star_count` in the same transaction (migration `project_stars`). */
export const starStore = (db: Database) => ({
  async add(projectId: number, userId: number): Promise<'added' | 'known' | 'missing'> {
    try {
      const added = await db.query(sql`
        insert into project_stars (project_id, user_id) values (${projectId}::bigint, ${userId}::bigint)
        on conflict do nothing returning 1`);
      return added.length > 0 ? 'added' : 'known';
    } catch (error) {
      if (isForeignKeyViolation(error)) return 'missing';
      throw error;
    }
  },

  async remove(projectId: number, userId: number): Promise<boolean> {
    const removed = await db.query(sql`
      delete from project_stars where project_id = ${projectId}::bigint and user_id = ${userId}::bigint returning 1`);
    return removed.length > 0;
  },

  starrers: (projectId: number, search: string | undefined, request: PageRequest, viewer: Viewer) =>
    listPage<StarrerRow>({
      db,
      name: 'list_starrers',
      searches: search !== undefined,
      select: sql`u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, s.created_at as starred_since`,
      from: sql`project_stars s join users u on u.id = s.user_id`,
      where: [
        sql`s.project_id = ${projectId}`,
        sql`u.state = 'active'`,
        ...(viewer.admin ? [] : [sql`(not u.private_profile or u.id = ${viewer.userId})`]),
        ...(search === undefined
          ? []
          : [sql`(u.name ilike ${contains(search)} or u.username ilike ${contains(search)})`]),
      ],
      orders: {
        starred_since: [
          { name: 'starred_since', expression: sql`s.created_at`, type: 'timestamptz' },
          { name: 'id', expression: sql`u.id`, type: 'bigint' },
        ],
      },
      request,
      count: true,
    }),
});

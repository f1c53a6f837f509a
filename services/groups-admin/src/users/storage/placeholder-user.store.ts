import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type DirectoryWriter, directoryHead } from '../../directory';
import { noreplyAddress } from '../../rules';
import type { NewPlaceholder } from '../domain/placeholder-user';

/** Opens the store of placeholder users. */
export const placeholderUserStore = (
  db: Database,
  { transaction }: Pick<DirectoryWriter, 'transaction'>,
  host: string,
) => ({
  create: ({ projectId, foreignId, prefix, name }: NewPlaceholder): Promise<number | undefined> =>
    transaction(async (tx) => {
      // Its lock lets one request at a time make those of a project.
      const project = await tx.one(sql`select 1 from projects where id = ${projectId}::bigint for no key update`);
      if (project === undefined) return undefined;
      const known = await tx.one<{ user_id: number }>(sql`
        select user_id from placeholder_users where project_id = ${projectId}::bigint and foreign_id = ${foreignId}`);
      if (known !== undefined) return known.user_id;
      for (;;) {
        // The number makes the name free, unless somebody has chosen just this one.
        const next = await tx.one<{ id: number }>(sql`select nextval(pg_get_serial_sequence('users', 'id')) as id`);
        const id = Number(next?.id);
        const username = `${prefix}${id}`;
        const [row] = await tx.write(
          'user',
          sql`insert into users (id, username, name, email, user_type, external, can_create_group, projects_limit)
            overriding system value
            select ${id}::bigint, ${username}::text, ${name}, ${noreplyAddress(username, host)}, 'bot', true, false, 0
            where not exists (select from namespaces where lower(full_path) = lower(${username}::text))
            on conflict do nothing returning id`,
        );
        if (row === undefined) continue;
        await tx.query(sql`
          insert into placeholder_users (user_id, project_id, foreign_id)
          values (${row.id}, ${projectId}::bigint, ${foreignId})`);
        return row.id;
      }
    }),

  directorySequence: () => directoryHead(db),

  isOf: async (userId: number, projectId: number): Promise<boolean> =>
    (await db.one(sql`
      select 1 from placeholder_users where user_id = ${userId}::bigint and project_id = ${projectId}::bigint`)) !==
    undefined,

  orphans: (after: number, limit: number): Promise<{ id: number }[]> =>
    db.query(sql`
      select p.user_id as id from placeholder_users p
      where p.user_id > ${after}::bigint and not exists (select from projects where id = p.project_id)
      order by p.user_id limit ${limit}`),
});

import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type Directory, membersAtLevel, usersAtLevel } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { ImportedProject } from '../domain/shown-import';

/** Asks whether a user is active and has the role Maintainer in a project (G-4.19-9). */
export const mayImport =
  (db: Database, directory: Pick<Directory, 'ensure'>) =>
  async (
    { projectId, directorySequence }: Pick<ImportedProject, 'projectId' | 'directorySequence'>,
    userId: number,
  ): Promise<boolean> => {
    await directory.ensure(directorySequence);
    return (await usersAtLevel(db, projectId, [userId], levels.maintainer)).length > 0;
  };

/** Opens what is known of people of forges. */
export const peopleStore = (db: Database, directory: Pick<Directory, 'ensure'>) => ({
  async known(importId: number, logins: readonly string[]): Promise<Map<string, number>> {
    const rows = await db.query<{ login: string; user_id: number }>(sql`
      select login, user_id from import_people
      where import_id = ${importId} and login = any(${[...logins]}::text[]) and user_id is not null`);
    return new Map(rows.map(({ login, user_id }) => [login, user_id]));
  },

  async members({ projectId, directorySequence }: ImportedProject): Promise<number[]> {
    await directory.ensure(directorySequence);
    return membersAtLevel(db, projectId, levels.guest);
  },

  mayImport: mayImport(db, directory),

  async byEmail(email: string, among: readonly number[], counts: 'confirmed' | 'shown'): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select u.id from directory.users u
      where u.id = any(${[...among]}::bigint[])
        and lower(${email}::text) = any(array(select lower(one) from unnest(u.confirmed_emails) as one))
        and (${counts === 'confirmed'}::boolean or lower(u.public_email) = lower(${email}::text))
        and u.deleted_at is null and u.state = 'active' and not u.bot order by u.id limit 1`);
    return row?.id;
  },

  async record(importId: number, login: string, userId: number): Promise<void> {
    await db.query(sql`
      insert into import_people (import_id, login, user_id)
      values (${importId}, ${login}, ${userId})
      on conflict (import_id, login) do update set user_id = excluded.user_id where import_people.user_id is null`);
  },

  async withoutPlaceholders(importId: number, userIds: readonly number[]): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`
      select one.id from unnest(${[...userIds]}::bigint[]) as one (id)
      where not exists (select from import_placeholders p where p.import_id = ${importId} and p.user_id = one.id)`);
    return new Set(rows.map(({ id }) => id));
  },

  async usernames(userIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await db.query<{ id: number; username: string }>(sql`
      select u.id, u.username from directory.users u
      where u.id = any(${[...userIds]}::bigint[]) and u.kind <> 'placeholder' and u.deleted_at is null`);
    return new Map(rows.map(({ id, username }) => [id, username]));
  },

  async ghost(): Promise<number> {
    const row = await db.one<{ id: number }>(sql`
      select id from directory.users where kind = 'ghost' and deleted_at is null order by id limit 1`);
    if (row === undefined) throw new Error('the directory has no ghost user');
    return row.id;
  },
});

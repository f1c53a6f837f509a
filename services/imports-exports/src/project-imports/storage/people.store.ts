import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Opens what is known of people of forges. */
export const peopleStore = (db: Database) => ({
  async known(importId: number, logins: readonly string[]): Promise<Map<string, number | undefined>> {
    const rows = await db.query<{ login: string; user_id: number | null }>(sql`
      select login, user_id from import_people where import_id = ${importId} and login = any(${[...logins]}::text[])`);
    return new Map(rows.map(({ login, user_id }) => [login, user_id ?? undefined]));
  },

  async byEmails(emails: readonly string[]): Promise<Map<string, number>> {
    if (emails.length === 0) return new Map();
    const rows = await db.query<{ email: string; id: number }>(sql`
      select distinct on (given.email) given.email, u.id
      from unnest(${[...emails]}::text[]) as given (email)
      join directory.users u on lower(given.email) = any(array(select lower(one) from unnest(u.confirmed_emails) as one))
      where u.deleted_at is null and u.state = 'active' and not u.bot order by given.email, u.id`);
    return new Map(rows.map(({ email, id }) => [email, id]));
  },

  async record(importId: number, people: ReadonlyMap<string, number | undefined>): Promise<void> {
    await db.query(sql`
      insert into import_people (import_id, login, user_id)
      select ${importId}::bigint, * from unnest(${[...people.keys()]}::text[],
        ${[...people.values()].map((id) => id ?? null)}::bigint[]) on conflict do nothing`);
  },
});

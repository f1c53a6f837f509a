import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { groupMembersAtLevel, membersAtLevel, usersByIds } from '@switchyard/directory';
import type { ClaimedMail, Mail } from '../domain/mail';

interface Row {
  id: number;
  attempts: number;
  message_id: string;
  user_id: number;
  project_id: number;
  group_id: number;
  access_level: number;
  email_id: number | null;
  subject: string;
  body: string;
  headers: Record<string, string>;
}

/** Names the project or group that a mail is about, with the level it takes; empty for a mail of its recipient's own. */
const placeOf = ({ project_id: projectId, group_id: groupId, access_level: level }: Row): string =>
  projectId === 0 && groupId === 0 ? '' : `${projectId}:${groupId}:${level}`;

const recipientsOf = (
  db: SqlExecutor,
  { project_id: projectId, group_id: groupId, access_level: level }: Row,
): Promise<number[]> =>
  projectId > 0 ? membersAtLevel(db, projectId, level) : groupMembersAtLevel(db, groupId, level);

/** Its notices wake those who send mails, in all processes. */
const channel = 'switchyard_mails';

/** The queue of mails. */
export const mailStore = {
  /** Calls `wake` when mails have been asked for; returns what ends that. */
  onMails: (db: Database, wake: () => void): (() => void) => db.notices.listen(channel, wake),

  /**
   * Asks for a mail to each of some users, in the caller's transaction; one that was asked for before is not asked for
   * again.
   */
  async queue(tx: Tx, mail: Mail, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    await tx.query(sql`
      insert into mails (message_id, user_id, project_id, group_id, access_level, subject, body, headers)
      select ${mail.cause} || '.' || user_id, user_id, ${mail.projectId}, ${mail.groupId ?? 0}, ${mail.accessLevel}, ${mail.subject}, ${mail.body},
        ${JSON.stringify(mail.headers)}::jsonb
      from unnest(${[...userIds]}::bigint[]) as wanted (user_id)
      on conflict (message_id) do nothing`);
    tx.notify(channel);
  },

  /** Asks for the mail that lets an address be confirmed, in the caller's transaction; once for each e-mail. */
  async queueConfirmation(tx: Tx, { emailId, userId }: { emailId: number; userId: number }): Promise<void> {
    await tx.query(sql`
      insert into mails (message_id, user_id, project_id, access_level, subject, body, email_id)
      values (${`email-confirmation.${emailId}`}, ${userId}, 0, 0, '', '', ${emailId})
      on conflict (message_id) do nothing`);
    tx.notify(channel);
  },

  /**
   * Claims up to `limit` mails that are due; no other process claims them for `leaseSeconds`. Who gets a mail is
   * decided now, not when it was asked for: addresses change and memberships end while it waits.
   */
  async claim(db: SqlExecutor, limit: number, leaseSeconds: number): Promise<ClaimedMail[]> {
    const rows = await db.query<Row>(sql`
      update mails set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
      where id in (
        select id from mails where state = 'waiting' and due_at <= now() order by due_at, id limit ${limit}
        for update skip locked)
      returning id, attempts, message_id, user_id, project_id, group_id, access_level, email_id, subject, body, headers`);
    const allowed = new Map<string, ReadonlySet<number>>();
    for (const row of rows) {
      if (row.email_id !== null) continue;
      const key = placeOf(row);
      if (key !== '' && !allowed.has(key)) allowed.set(key, new Set(await recipientsOf(db, row)));
    }
    const users = await usersByIds(
      db,
      rows.map(({ user_id }) => user_id),
    );
    return rows.map((row) => {
      if (row.email_id !== null) {
        const confirms = { emailId: row.email_id, messageId: row.message_id };
        return { id: row.id, attempts: row.attempts, mail: undefined, confirms };
      }
      const user = users.get(row.user_id);
      const place = placeOf(row);
      const mayReceive =
        place === ''
          ? user?.id === row.user_id && user.state === 'active' && !user.bot
          : allowed.get(place)?.has(row.user_id) === true;
      const { id, attempts, message_id: messageId, subject, body, headers } = row;
      if (!mayReceive || !user?.email) return { id, attempts, mail: undefined };
      return {
        id,
        attempts,
        mail: { id, messageId, to: { name: user.name, address: user.email }, subject, body, headers },
      };
    });
  },

  async settle(db: SqlExecutor, id: number, state: 'sent' | 'dropped' | 'dead', error?: string): Promise<void> {
    await db.query(sql`
      update mails set state = ${state}, settled_at = now(), last_error = coalesce(${error ?? null}, last_error) where id = ${id}`);
  },

  async putOff(db: SqlExecutor, id: number, seconds: number, error: string): Promise<void> {
    await db.query(sql`
      update mails set due_at = now() + make_interval(secs => ${seconds}), last_error = ${error} where id = ${id}`);
  },

  /** How many mails wait. */
  async waiting(db: SqlExecutor): Promise<number> {
    const [row] = await db.query<{ waiting: number }>(sql`
      select count(*)::int as waiting from (select 1 from mails where state = 'waiting' limit 10001) as counted`);
    return row?.waiting ?? 0;
  },

  /**
   * Forgets up to `limit` mails that were settled more than 30 days ago, when no event can ask for them again: dead
   * letters are kept for 28. Returns how many.
   */
  async forget(db: SqlExecutor, limit: number): Promise<number> {
    const rows = await db.query(sql`
      delete from mails where id in (
        select id from mails where settled_at < now() - interval '30 days' limit ${limit}) returning 1`);
    return rows.length;
  },
};

import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { groupMembersAtLevel, membersAtLevel, usersByIds } from '@switchyard/directory';
import { isEmailAddress } from '@switchyard/texts';
import { type NewLedgerEntry, writeEntries } from '../../ledger';
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
  html: string | null;
  headers: Record<string, string>;
  thread: string | null;
  address: string | null;
  /** The mail of its project or group is switched off. */
  silenced: boolean;
}

/** Names the project or group that a mail is about, with the level it takes; empty for a mail of its recipient's own. */
const placeOf = ({ project_id: projectId, group_id: groupId, access_level: level }: Row): string =>
  projectId === 0 && groupId === 0 ? '' : `${projectId}:${groupId}:${level}`;

const recipientsOf = (
  db: SqlExecutor,
  { project_id: projectId, group_id: groupId, access_level: level }: Row,
): Promise<number[]> =>
  projectId > 0 ? membersAtLevel(db, projectId, level) : groupMembersAtLevel(db, groupId, level);

/** The mail of the project or group of a mail is switched off, there or above. */
const isSilenced = sql`coalesce((
  select p.emails_disabled or exists (select 1 from directory.namespaces g where g.id = any(n.ancestry) and g.emails_disabled)
  from directory.projects p join directory.namespaces n on n.id = p.namespace_id where p.id = mails.project_id), (
  select exists (select 1 from directory.namespaces g where g.id = any(n.ancestry) and g.emails_disabled)
  from directory.namespaces n where n.id = mails.group_id), false)`;

/** Addresses that were none and get a line in the ledger, of one mail. */
const maxInvalid = 1_000;

type User = {
  readonly id: number;
  readonly name: string;
  readonly email: string | null;
  readonly state: string;
  readonly bot: boolean;
};

/** Whom a mail goes to now, or the rule by which it goes to nobody. */
function recipientOf(
  row: Row,
  user: User | undefined,
  allowed: ReadonlySet<number> | undefined,
): { readonly to: { readonly name: string; readonly address: string } } | { readonly dropped: string } {
  if (row.silenced) return { dropped: 'emails_disabled' };
  if (row.address !== null) return { to: { name: '', address: row.address } };
  if (user?.id !== row.user_id || user.state !== 'active' || user.bot) return { dropped: 'inactive' };
  if (placeOf(row) !== '' && allowed?.has(row.user_id) !== true) return { dropped: 'access' };
  return user.email ? { to: { name: user.name, address: user.email } } : { dropped: 'no_address' };
}

function claimed(row: Row, user: User | undefined, allowed: ReadonlySet<number> | undefined): ClaimedMail {
  const { id, attempts, message_id: messageId, subject, body, html, headers } = row;
  if (row.email_id !== null) return { id, attempts, mail: undefined, confirms: { emailId: row.email_id, messageId } };
  if (row.thread !== null)
    return { id, attempts, mail: undefined, gathered: { id, messageId, userId: row.user_id, thread: row.thread } };
  const found = recipientOf(row, user, allowed);
  if ('dropped' in found) return { id, attempts, mail: undefined, dropped: found.dropped };
  return { id, attempts, mail: { id, messageId, to: found.to, subject, body, html: html ?? undefined, headers } };
}

/** Its notices wake those who send mails, in all processes. */
const channel = 'switchyard_mails';

/** What the ledger says of mails that were asked for: by a role in a place, by an account, or by an address. */
const entriesOf = (mail: Mail, queued: readonly { id: number; user_id: number }[]): NewLedgerEntry[] =>
  queued.map(({ id, user_id: userId }) => ({
    userId,
    projectId: mail.projectId,
    groupId: mail.groupId ?? 0,
    target: mail.target ?? { type: '', id: 0, iid: 0 },
    event: mail.event,
    channel: 'mail',
    decision: 'send',
    rule: userId === 0 ? 'address' : mail.projectId > 0 || (mail.groupId ?? 0) > 0 ? 'role' : 'own_account',
    detail: '',
    mailId: id,
  }));

/** Wakes those who send mails once the transaction has committed. */
export const wakeMails = (tx: Tx): void => tx.notify(channel);

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
    const queued = await tx.query<{ id: number; user_id: number }>(sql`
      insert into mails (message_id, user_id, project_id, group_id, access_level, subject, body, html, headers)
      select ${mail.cause} || '.' || user_id, user_id, ${mail.projectId}, ${mail.groupId ?? 0}, ${mail.accessLevel}, ${mail.subject}, ${mail.body},
        ${mail.html ?? null}, ${JSON.stringify(mail.headers)}::jsonb
      from unnest(${[...userIds]}::bigint[]) as wanted (user_id)
      on conflict (message_id) do nothing returning id, user_id`);
    await writeEntries(tx, entriesOf(mail, queued));
    tx.notify(channel);
  },

  /**
   * Asks for a mail to bare addresses, such as those of an integration, in the caller's transaction; one that was asked
   * for before is not asked for again. What is no address gets none, and the ledger says so.
   * @returns how many addresses there were, each once, and which were none
   */
  async queueToAddresses(
    tx: Tx,
    mail: Mail,
    addresses: readonly string[],
  ): Promise<{ readonly addresses: number; readonly invalid: readonly string[] }> {
    const distinct = [...new Map(addresses.map((one) => [one.trim().toLowerCase(), one.trim()])).values()];
    const valid = distinct.filter(isEmailAddress);
    const invalid = distinct.filter((one) => !isEmailAddress(one));
    const queued = await tx.query<{ id: number; user_id: number }>(sql`
      insert into mails (message_id, user_id, project_id, group_id, access_level, subject, body, html, headers, address)
      select ${mail.cause} || '.' || left(encode(sha256(convert_to(lower(address), 'UTF8')), 'hex'), 24), 0, ${mail.projectId}, ${mail.groupId ?? 0}, 0,
        ${mail.subject}, ${mail.body}, ${mail.html ?? null}, ${JSON.stringify(mail.headers)}::jsonb, address
      from unnest(${valid}::text[]) as wanted (address)
      on conflict (message_id) do nothing returning id, user_id`);
    const [refused] = entriesOf(mail, [{ id: 0, user_id: 0 }]);
    await writeEntries(tx, [
      ...entriesOf(mail, queued),
      ...invalid.slice(0, maxInvalid).flatMap((address) =>
        refused === undefined
          ? []
          : [
              {
                ...refused,
                decision: 'skip' as const,
                rule: 'invalid_address',
                detail: address.slice(0, 254),
                mailId: undefined,
              },
            ],
      ),
    ]);
    tx.notify(channel);
    return { addresses: distinct.length, invalid };
  },

  /** Asks for the mail that lets an address be confirmed, in the caller's transaction; once for each e-mail. */
  async queueConfirmation(tx: Tx, { emailId, userId }: { emailId: number; userId: number }): Promise<void> {
    const queued = await tx.query<{ id: number; user_id: number }>(sql`
      insert into mails (message_id, user_id, project_id, access_level, subject, body, email_id)
      values (${`email-confirmation.${emailId}`}, ${userId}, 0, 0, '', '', ${emailId})
      on conflict (message_id) do nothing returning id, user_id`);
    const mail = {
      event: 'email_confirmation',
      cause: '',
      projectId: 0,
      accessLevel: 0,
      subject: '',
      body: '',
      headers: {},
    };
    await writeEntries(tx, entriesOf(mail, queued));
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
      returning id, attempts, message_id, user_id, project_id, group_id, access_level, email_id, subject, body, html, headers, thread,
        address, ${isSilenced} as silenced`);
    const allowed = new Map<string, ReadonlySet<number>>();
    for (const row of rows) {
      if (row.email_id !== null || row.thread !== null || row.address !== null) continue;
      const key = placeOf(row);
      if (key !== '' && !allowed.has(key)) allowed.set(key, new Set(await recipientsOf(db, row)));
    }
    const users = await usersByIds(
      db,
      rows.map(({ user_id }) => user_id),
    );
    return rows.map((row) => claimed(row, users.get(row.user_id), allowed.get(placeOf(row))));
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

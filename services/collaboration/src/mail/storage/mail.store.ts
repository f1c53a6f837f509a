import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { groupMembersAtLevel, membersAtLevel } from '@switchyard/directory';
import { isEmailAddress } from '@switchyard/texts';
import { type NewLedgerEntry, writeEntries } from '../../ledger';
import { effectiveSetting, type StoredSetting, settingsOf } from '../../notification-settings';
import type { ClaimedMail, Mail } from '../domain/mail';
import { type MailUser, recipientOf } from '../domain/recipient';

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
  heeds_level: boolean;
  /** Its group and those above, or those above its project, from the root down. */
  group_ids: number[];
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

/** Ids of the group of a mail and of those above it, or of those above its project. */
const groupIds = sql`coalesce((
  select n.ancestry from directory.projects p join directory.namespaces n on n.id = p.namespace_id where p.id = mails.project_id), (
  select n.ancestry from directory.namespaces n where n.id = mails.group_id), '{}')`;

/** The mail of the project or group of a mail is switched off, there or above. */
const isSilenced = sql`(exists (select 1 from directory.projects p where p.id = mails.project_id and p.emails_disabled)
  or exists (select 1 from directory.namespaces g where g.id = any(${groupIds}) and g.emails_disabled))`;

/** Addresses that were none and get a line in the ledger, of one mail. */
const maxInvalid = 1_000;

/** Users who get mails, as they are now: one statement. */
async function usersOf(db: SqlExecutor, ids: readonly number[]): Promise<Map<number, MailUser>> {
  const rows = await db.query<MailUser & { id: number }>(sql`
    select u.id, u.name, u.state = 'active' as active, u.bot, coalesce(u.email, '') as email, u.confirmed_emails as confirmed
    from directory.users u where u.id = any(${[...ids]}::bigint[]) and u.deleted_at is null`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What is known of the recipients of claimed mails. */
interface Known {
  readonly users: ReadonlyMap<number, MailUser>;
  readonly settings: readonly StoredSetting[];
  /** Users who have the level that is asked for, by place. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<number>>;
}

/** A mail to a user that holds its text. */
const isToUser = ({ email_id, thread, address }: Row): boolean =>
  email_id === null && thread === null && address === null;

async function knownOf(db: SqlExecutor, rows: readonly Row[]): Promise<Known> {
  const toUsers = rows.filter(isToUser);
  if (toUsers.length === 0) return { users: new Map(), settings: [], allowed: new Map() };
  const allowed = new Map<string, ReadonlySet<number>>();
  for (const row of toUsers) {
    const key = placeOf(row);
    if (key !== '' && !allowed.has(key)) allowed.set(key, new Set(await recipientsOf(db, row)));
  }
  const userIds = toUsers.map(({ user_id: id }) => id);
  const places = {
    projectIds: toUsers.map(({ project_id: id }) => id),
    groupIds: toUsers.flatMap(({ group_ids: ids }) => ids),
  };
  return { users: await usersOf(db, userIds), settings: await settingsOf(db, places, userIds), allowed };
}

function claimed(row: Row, { users, settings, allowed }: Known): ClaimedMail {
  const { id, attempts, message_id: messageId, user_id: userId, subject, body, html, headers } = row;
  if (row.email_id !== null) return { id, attempts, mail: undefined, confirms: { emailId: row.email_id, messageId } };
  if (row.thread !== null)
    return { id, attempts, mail: undefined, gathered: { id, messageId, userId, thread: row.thread } };
  const place = placeOf(row);
  const found = recipientOf({
    silenced: row.silenced,
    address: row.address ?? undefined,
    user: users.get(userId),
    allowed: place === '' || allowed.get(place)?.has(userId) === true,
    heedsLevel: row.heeds_level,
    setting: effectiveSetting(
      settings.filter((setting) => setting.userId === userId),
      { projectId: row.project_id, groupIds: row.group_ids },
    ),
  });
  if ('dropped' in found) return { id, attempts, mail: undefined, dropped: found.dropped };
  const ends = row.heeds_level && row.project_id > 0 ? { userId, projectId: row.project_id } : undefined;
  return { id, attempts, ends, mail: { id, messageId, to: found.to, subject, body, html: html ?? undefined, headers } };
}

/** Its notices wake those who send mails, in all processes. */
const channel = 'switchyard_mails';

/** Why a mail that was asked for is sent: for a role in a place, to an account, or to an address. */
const ruleOf = ({ projectId, groupId = 0 }: Mail, userId: number): 'role' | 'own_account' | 'address' => {
  if (userId === 0) return 'address';
  return projectId > 0 || groupId > 0 ? 'role' : 'own_account';
};

const headersOf = (mail: Mail, userId: number): string =>
  JSON.stringify({ 'X-Switchyard-Reason': ruleOf(mail, userId), ...mail.headers });

/** What the ledger says of mails that were asked for. */
const entriesOf = (mail: Mail, queued: readonly { id: number; user_id: number }[]): NewLedgerEntry[] =>
  queued.map(({ id, user_id: userId }) => ({
    userId,
    projectId: mail.projectId,
    groupId: mail.groupId ?? 0,
    target: mail.target ?? { type: '', id: 0, iid: 0 },
    event: mail.event,
    channel: 'mail',
    decision: 'send',
    rule: ruleOf(mail, userId),
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
      insert into mails (message_id, user_id, project_id, group_id, access_level, heeds_level, subject, body, html, headers)
      select ${mail.cause} || '.' || user_id, user_id, ${mail.projectId}, ${mail.groupId ?? 0}, ${mail.accessLevel}, ${mail.heedsLevel ?? false},
        ${mail.subject}, ${mail.body}, ${mail.html ?? null}, ${headersOf(mail, userIds[0] ?? 0)}::jsonb
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
        ${mail.subject}, ${mail.body}, ${mail.html ?? null}, ${headersOf(mail, 0)}::jsonb, address
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
        address, heeds_level, ${groupIds} as group_ids, ${isSilenced} as silenced`);
    const known = await knownOf(db, rows);
    return rows.map((row) => claimed(row, known));
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

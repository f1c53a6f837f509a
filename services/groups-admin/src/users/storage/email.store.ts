import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  listPage,
  type PageRequest,
  requireUnmodified,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { badRequest } from '@switchyard/errors';
import { appendToOutbox, emailConfirmationId, userEvents } from '@switchyard/events';
import type { DirectoryTx, DirectoryWriter } from '../../directory';
import type { AddedEmail, EmailRow, LockedEmail } from '../domain/email';

const shown = sql`e.id, e.email, e.confirmed_at`;
const stored = sql`e.id, e.user_id, e.email, e.becomes_primary, e.confirmed_at, e.confirmation_sent_at`;

/** First half of the advisory locks of addresses; the second is a digest of the address. */
const addressLock = 72707381;

/**
 * Locks an address until the end of the transaction: it may be the primary one of one user, or a confirmed one of
 * another, and no index covers both tables.
 */
export const lockAddress = (tx: Tx, email: string): Promise<unknown> =>
  // Counted, since Prisma reads no column of type void.
  tx.query(sql`select count(*) from pg_advisory_xact_lock(${addressLock}::int, hashtext(lower(${email}::text)))`);

/** A condition: another user than `userId` has the address, as the primary one or confirmed. */
export const isAddressOfOther = (email: string, userId: number): Sql => sql`(
  exists (select from users where lower(email) = lower(${email}::text) and id <> ${userId}::bigint)
  or exists (select from emails where lower(email) = lower(${email}::text) and confirmed_at is not null
    and user_id <> ${userId}::bigint))`;

/** Confirmed addresses of a user, in lower case. */
export async function confirmedAddresses(tx: SqlExecutor, userId: number): Promise<Set<string>> {
  const rows = await tx.query<{ email: string }>(sql`
    select lower(email) as email from users where id = ${userId}::bigint and confirmed_at is not null
    union all select lower(email) from emails where user_id = ${userId}::bigint and confirmed_at is not null`);
  return new Set(rows.map(({ email }) => email));
}

/** An address that waits for its confirmation from now on. */
interface WaitingEmail {
  readonly userId: number;
  readonly email: string;
  readonly becomesPrimary: boolean;
  readonly actorId: number;
  readonly at: Date;
}

async function insertWaiting(tx: Tx, { userId, email, becomesPrimary, actorId, at }: WaitingEmail): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into emails (user_id, email, becomes_primary, confirmation_sent_at, created_at, updated_at)
    values (${userId}::bigint, ${email}, ${becomesPrimary}, ${at}, ${at}, ${at}) returning id`);
  if (row === undefined) throw new Error('an e-mail was not inserted');
  await appendToOutbox(
    tx,
    userEvents,
    {
      userId,
      actorId,
      occurredAt: at,
      fact: { $case: 'emailConfirmationRequested', value: { emailId: row.id } },
    },
    { id: emailConfirmationId(row.id, at) },
  );
  return row.id;
}

/** Forgets the address that would become the primary one, and `email` among the others of the user. */
export const forgetWaitingPrimary = (tx: Tx, userId: number, email: string): Promise<unknown> =>
  tx.query(
    sql`delete from emails where user_id = ${userId}::bigint and (becomes_primary or lower(email) = lower(${email}::text))`,
  );

/** Makes an address the one that becomes the primary e-mail once it is confirmed, in place of an earlier one. */
export async function awaitPrimary(tx: Tx, waiting: Omit<WaitingEmail, 'becomesPrimary'>): Promise<void> {
  await forgetWaitingPrimary(tx, waiting.userId, waiting.email);
  await insertWaiting(tx, { ...waiting, becomesPrimary: true });
}

/** A user no longer has an address: it is neither the public one nor that of commits. */
export const dropAddress = (tx: DirectoryTx, userId: number, email: string): Promise<unknown> =>
  tx.write(
    'user',
    sql`update users set public_email = case when lower(public_email) = lower(${email}::text) then '' else public_email end,
        commit_email = case when lower(commit_email) = lower(${email}::text) then null else commit_email end
      where id = ${userId}::bigint and lower(${email}::text) in (lower(public_email), lower(commit_email)) returning id`,
  );

async function confirmLocked(tx: DirectoryTx, email: LockedEmail, at: Date): Promise<void> {
  await lockAddress(tx, email.email);
  const other = await tx.one<{ found: boolean }>(sql`select ${isAddressOfOther(email.email, email.user_id)} as found`);
  if (other?.found) throw badRequest('Email has already been taken');
  if (!email.becomes_primary) {
    await tx.query(sql`update emails set confirmed_at = ${at}, updated_at = ${at} where id = ${email.id}`);
    tx.changed('user', [email.user_id]);
    return;
  }
  const user = await tx.one<{ email: string }>(sql`select email from users where id = ${email.user_id}::bigint`);
  await forgetWaitingPrimary(tx, email.user_id, email.email);
  await tx.write(
    'user',
    sql`update users set email = ${email.email}, confirmed_at = ${at}, updated_at = ${at}
      where id = ${email.user_id}::bigint returning id`,
  );
  if (user !== undefined && user.email.toLowerCase() !== email.email.toLowerCase())
    await dropAddress(tx, email.user_id, user.email);
}

/** E-mails over SQL: every change locks the user, the address or both. */
export function emailStore(db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) {
  const lock = async (tx: Tx, emailId: number): Promise<LockedEmail | undefined> => {
    const owner = await tx.one<{ user_id: number }>(sql`select user_id from emails where id = ${emailId}::bigint`);
    if (owner === undefined) return undefined;
    await tx.query(sql`select 1 from users where id = ${owner.user_id}::bigint for update`);
    return tx.one<LockedEmail>(sql`select ${stored} from emails e where e.id = ${emailId}::bigint for update`);
  };

  return {
    hasUser: async (userId: number): Promise<boolean> =>
      (await db.one(sql`select 1 from users where id = ${userId}::bigint`)) !== undefined,

    list: (userId: number, request: PageRequest) =>
      listPage<EmailRow>({
        db,
        name: 'list_user_emails',
        select: shown,
        from: sql`emails e`,
        where: [sql`e.user_id = ${userId}`, sql`not e.becomes_primary`],
        orders: { id: [{ name: 'id', expression: sql`e.id`, type: 'bigint' }] },
        request,
        count: true,
      }),

    find: (userId: number, emailId: number): Promise<EmailRow | undefined> =>
      db.one<EmailRow>(sql`
        select ${shown} from emails e
        where e.id = ${emailId}::bigint and e.user_id = ${userId}::bigint and not e.becomes_primary`),

    async add(
      userId: number,
      email: string,
      { confirmed, actorId, at }: { confirmed: boolean; actorId: number; at: Date },
    ): Promise<AddedEmail> {
      try {
        return await transaction(async (tx) => {
          await lockAddress(tx, email);
          const known = await tx.one<{ taken: boolean }>(sql`
            select ${isAddressOfOther(email, userId)}
              or exists (select from users where id = ${userId}::bigint and lower(email) = lower(${email}::text))
              or exists (select from emails where user_id = ${userId}::bigint and lower(email) = lower(${email}::text)) as taken`);
          if (known?.taken) return 'taken';
          if (!confirmed) return { id: await insertWaiting(tx, { userId, email, becomesPrimary: false, actorId, at }) };
          const row = await tx.one<{ id: number }>(sql`
            insert into emails (user_id, email, confirmed_at, created_at, updated_at)
            values (${userId}::bigint, ${email}, ${at}, ${at}, ${at}) returning id`);
          tx.changed('user', [userId]);
          return row ?? 'no_user';
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return 'no_user';
        if (isUniqueViolation(error, 'emails_of_user') || isUniqueViolation(error, 'emails_confirmed')) return 'taken';
        throw error;
      }
    },

    remove: (userId: number, emailId: number, unmodifiedSince: Date | undefined): Promise<boolean> =>
      transaction(async (tx) => {
        const email = await lock(tx, emailId);
        if (email === undefined || email.user_id !== userId || email.becomes_primary) return false;
        await requireUnmodified(tx, 'emails', emailId, unmodifiedSince);
        await tx.query(sql`delete from emails where id = ${emailId}::bigint`);
        if (email.confirmed_at !== null) {
          await dropAddress(tx, userId, email.email);
          tx.changed('user', [userId]);
        }
        return true;
      }),

    waiting: (emailId: number): Promise<LockedEmail | undefined> =>
      db.one<LockedEmail>(sql`select ${stored} from emails e where e.id = ${emailId}::bigint`),

    confirm: (emailId: number, at: Date, check: (email: LockedEmail) => void): Promise<string | undefined> =>
      transaction(async (tx) => {
        const email = await lock(tx, emailId);
        if (email === undefined) return undefined;
        check(email);
        await confirmLocked(tx, email, at);
        return email.email;
      }),
  };
}

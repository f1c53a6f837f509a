import { countStatements, type Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { logger } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { type Mailer, MailRefused, type MailSending, sendMails } from '../../src/mail/application/send-mails';
import { type Mail, mailAttempts, mailPause, type OutgoingMail } from '../../src/mail/domain/mail';
import { mailStore } from '../../src/mail/storage/mail.store';
import { type Replica, startReplica } from '../support/replica';

let replica: Replica;
let db: Database;

const model = new DirectoryModel();
const group = model.namespace();
const project = model.project(group.id);
const people = Array.from({ length: 7 }, () => {
  const { id } = model.user();
  model.member(id, { namespaceId: group.id }, 40);
  return id;
});

beforeAll(async () => {
  replica = await startReplica(model);
  db = replica.db;
});

beforeEach(async () => {
  await db.query(sql`truncate mails, mail_parts, ledger_entries, notification_settings`);
  await db.query(sql`
    update directory.users set state = 'active', deleted_at = null, email = 'user' || id || '@example.com'`);
  await db.query(sql`update directory.memberships set access_level = 40, expires_at = null`);
});

afterAll(() => replica.close());

const mail = (cause: string): Mail => ({
  cause,
  event: 'alert',
  projectId: project.id,
  accessLevel: 40,
  subject: 'Disk full',
  body: 'Look!',
  headers: { 'X-Switchyard-Alert-Iid': '3' },
});

const states = () =>
  db.query<{ user_id: number; state: string; attempts: number; last_error: string | null }>(
    sql`select user_id, state, attempts, last_error from mails order by user_id`,
  );

/** Sends what waits with a mailer that does what `send` does, until `done` holds. */
async function sending(
  send: Mailer['send'],
  done: () => Promise<void>,
  confirmation: MailSending['confirmation'] = async () => undefined,
): Promise<{ sent: number; dead: number }> {
  const counted = { sent: 0, dead: 0 };
  const count: MailSending['count'] = {
    sent: () => {
      counted.sent += 1;
    },
    dead: () => {
      counted.dead += 1;
    },
  };
  const mailer = { send, sweep: async () => undefined, close: () => undefined };
  const gather: MailSending['gather'] = async () => ({ dropped: 'access' });
  const unsubscribe: MailSending['unsubscribe'] = ({ userId, projectId }) => ({
    'List-Unsubscribe': `<${userId} ${projectId}>`,
  });
  const running = sendMails({ db, mails: mailStore, mailer, confirmation, gather, unsubscribe, log: logger, count });
  await eventually(done).finally(() => running.close());
  return counted;
}

describe('mails', () => {
  it('that let an address be confirmed are made when they are sent, and their secret is stored nowhere', async () => {
    const sent: OutgoingMail[] = [];
    const secret = '7-the-secret';
    const link = `https://forge.example/-/confirmation?token=${secret}`;
    const asked = { emailId: 7, userId: people[0] ?? 0 };
    await db.transaction((tx) => mailStore.queueConfirmation(tx, asked));
    await db.transaction((tx) => mailStore.queueConfirmation(tx, asked));
    await db.transaction((tx) => mailStore.queueConfirmation(tx, { ...asked, emailId: 8 }));
    const waits: MailSending['confirmation'] = async (emailId) =>
      emailId === 7 ? { address: 'new@example.org', link, expiresAt: new Date('2026-03-04T10:00:00Z') } : undefined;
    const send = async (one: OutgoingMail) => {
      sent.push(one);
    };
    const settled = async () => (await states()).map(({ state }) => state).sort();
    const done = async () => expect(await settled()).toEqual(['dropped', 'sent']);
    await sending(send, done, waits);
    expect(sent).toEqual([expect.objectContaining({ to: { name: '', address: 'new@example.org' } })]);
    expect(sent[0]?.body).toContain(`${link}\n`);
    expect(sent[0]?.body).toContain('2026-03-04 10:00:00 UTC');
    const [held] = await db.query<{ text: string }>(sql`select string_agg(m::text, '') as text from mails m`);
    expect(held?.text).not.toContain(secret);
  });

  it('are sent once to each recipient, however often they are asked for and however many send them', async () => {
    const sent: OutgoingMail[] = [];
    const send = async (one: OutgoingMail) => {
      sent.push(one);
    };
    await db.transaction((tx) => mailStore.queue(tx, mail('alert.raised.7'), people));
    await db.transaction((tx) => mailStore.queue(tx, mail('alert.raised.7'), people.slice(0, 3)));
    const done = async () => expect((await states()).map(({ state }) => state)).toEqual(Array(7).fill('sent'));
    await Promise.all([sending(send, done), sending(send, done)]);
    await db.transaction((tx) => mailStore.queue(tx, mail('alert.raised.7'), people.slice(0, 1)));
    expect(sent.map(({ messageId }) => messageId).sort()).toEqual(people.map((id) => `alert.raised.7.${id}`).sort());
    expect(sent.find(({ messageId }) => messageId === `alert.raised.7.${people[2]}`)).toMatchObject({
      to: { name: `User ${people[2]}`, address: `user${people[2]}@example.com` },
      subject: 'Disk full',
      body: 'Look!',
      headers: { 'X-Switchyard-Alert-Iid': '3', 'X-Switchyard-Reason': 'role' },
    });
  });

  it('go to no one who is deleted, blocked, without access or at the level disabled, and to the address of now', async () => {
    await db.transaction((tx) => mailStore.queue(tx, { ...mail('a'), heedsLevel: true }, people));
    await db.query(sql`update directory.users set state = 'blocked' where id = ${people[0]}`);
    await db.query(sql`update directory.users set deleted_at = now() where id = ${people[1]}`);
    await db.query(sql`update directory.memberships set access_level = 30 where user_id = ${people[2]}`);
    await db.query(
      sql`update directory.memberships set expires_at = now() - interval '1 s' where user_id = ${people[3]}`,
    );
    await db.query(sql`update directory.users set email = null where id = ${people[4]}`);
    await db.query(sql`update directory.users set confirmed_emails = array['new@example.com'] where id = ${people[5]}`);
    await db.query(sql`
      insert into notification_settings (user_id, group_id, level, email)
      values (${people[5]}, ${group.id}, 'global', 'new@example.com'), (${people[6]}, ${group.id}, 'disabled', null)`);
    const to: string[] = [];
    const counted = await sending(
      async (one) => {
        to.push(one.to.address);
        expect(one.headers['List-Unsubscribe']).toBe(`<${people[5]} ${project.id}>`);
      },
      async () => expect((await states()).map(({ state }) => state)).not.toContain('waiting'),
    );
    expect(to).toEqual(['new@example.com']);
    expect(counted).toEqual({ sent: 1, dead: 0 });
    expect((await states()).map(({ state, last_error }) => (state === 'sent' ? state : last_error))).toEqual([
      'inactive',
      'inactive',
      'access',
      'access',
      'no_address',
      'sent',
      'level',
    ]);
  });

  it('are tried again later and later, and given up in the end or when they are refused', async () => {
    await db.transaction((tx) => mailStore.queue(tx, mail('a'), people.slice(0, 3)));
    await db.query(sql`update mails set attempts = ${mailAttempts - 1} where user_id = ${people[1]}`);
    const counted = await sending(
      async ({ messageId }) => {
        if (messageId === `a.${people[2]}`) throw new MailRefused('no such user');
        throw new Error('nobody answers');
      },
      async () =>
        expect(await states()).toEqual([
          { user_id: people[0], state: 'waiting', attempts: 1, last_error: 'nobody answers' },
          { user_id: people[1], state: 'dead', attempts: mailAttempts, last_error: 'nobody answers' },
          { user_id: people[2], state: 'dead', attempts: 1, last_error: 'no such user' },
        ]),
    );
    expect(counted).toEqual({ sent: 0, dead: 2 });
    const due = await db.one<{ wait: number }>(
      sql`select extract(epoch from due_at - now())::int as wait from mails where user_id = ${people[0]}`,
    );
    expect(due?.wait).toBeGreaterThan(0);
    expect(due?.wait).toBeLessThanOrEqual(10);
    expect([1, 2, 9, 10, 12].map(mailPause)).toEqual([10, 20, 2_560, 3_600, 3_600]);
    await db.query(sql`update mails set due_at = now() - interval '1 second' where user_id = ${people[0]}`);
    await sending(
      async () => undefined,
      async () => expect((await states())[0]).toMatchObject({ state: 'sent', attempts: 2 }),
    );
  });

  it('that wait for a mail server that is away for an hour are all sent, each once', async () => {
    // One batch: after one that failed the sender rests.
    const some = people.slice(0, 5);
    await db.transaction((tx) => mailStore.queue(tx, mail('a'), some));
    let away = 0;
    for (let tried = 1; away < 3_600; tried++) {
      await sending(
        async () => {
          throw new Error('connect ECONNREFUSED');
        },
        async () => expect((await states()).map(({ attempts }) => attempts)).toEqual(some.map(() => tried)),
      );
      // The clock moves on to the next try.
      away += mailPause(tried);
      await db.query(sql`update mails set due_at = now() - interval '1 second' where state = 'waiting'`);
    }
    const taken: string[] = [];
    await sending(
      async ({ to }) => {
        taken.push(to.address);
      },
      async () => expect((await states()).map(({ state }) => state)).toEqual(some.map(() => 'sent')),
    );
    expect(taken.sort()).toEqual(some.map((id) => `user${id}@example.com`).sort());
  });

  it('to a thousand addresses with invalid ones between are asked for by as many statements as to one', async () => {
    const queued = (addresses: readonly string[], cause: string) =>
      countStatements(() => db.transaction((tx) => mailStore.queueToAddresses(tx, mail(cause), addresses)));
    const one = await queued(['one@out.example'], 'a');
    const addresses = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? `a${at}@out.example` : `bad ${at}`));
    const many = await queued(addresses, 'b');
    expect(many.statements).toBe(one.statements);
    expect([many.result.addresses, many.result.invalid.length]).toEqual([1_000, 500]);
    expect(
      await db.query(sql`select rule, count(*)::int as count from ledger_entries group by rule order by rule`),
    ).toEqual([
      { rule: 'address', count: 501 },
      { rule: 'invalid_address', count: 500 },
    ]);
  });

  it('are forgotten a month after they were settled', async () => {
    await db.transaction((tx) => mailStore.queue(tx, mail('a'), people.slice(0, 3)));
    await db.query(
      sql`update mails set state = 'sent', settled_at = now() - interval '31 days' where user_id <= ${people[1]}`,
    );
    await db.query(
      sql`update mails set settled_at = now() - interval '29 days', state = 'dead' where user_id = ${people[1]}`,
    );
    expect(await mailStore.forget(db, 10)).toBe(1);
    expect((await states()).map(({ user_id }) => user_id)).toEqual(people.slice(1, 3));
    expect(await mailStore.waiting(db)).toBe(1);
  });
});

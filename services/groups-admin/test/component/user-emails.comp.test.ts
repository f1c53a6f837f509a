import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { CreateUserRequest, UpdateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { SetUserStatusRequest, UserProfileServiceService } from '@switchyard/protos/groups_admin/v1/user_profile';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, type CallOptions } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { serviceAccountStore } from '../../src/service-accounts/storage/service-account.store';
import { emailStore } from '../../src/users/storage/email.store';
import { userProfileStore } from '../../src/users/storage/user-profile.store';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let db: Database;
let root: CallOptions;
let serial = 0;

const users = () => service.client(UserServiceService);
const emails = () => service.client(UserEmailServiceService);
const profiles = () => service.client(UserProfileServiceService);
const message = (text: unknown) => expect.objectContaining({ body: { message: text } });

interface Person {
  readonly id: number;
  readonly name: string;
  readonly as: CallOptions;
}

async function makeUser(settings: Record<string, unknown> = {}): Promise<Person> {
  serial += 1;
  const name = `person${serial}`;
  const request = CreateUserRequest.fromPartial({
    settings: { email: `${name}@example.com`, name, username: name, ...settings },
    skipConfirmation: true,
  });
  const { id } = bodyOf(await users().createUser(request, root));
  const made = await service
    .client(PersonalAccessTokenServiceService)
    .createPersonalAccessToken({ userId: id, name: 't', description: '', scopes: ['api'], expiresAt: '' }, root);
  return { id, name, as: await service.as(bodyOf(made).token) };
}

const add = async (person: Person, email: string) =>
  conforming('Email', bodyOf(await emails().addUserEmail({ userId: 0, email, skipConfirmation: true }, person.as)));
const update = async (userId: number, settings: Record<string, unknown>, skipReconfirmation = false) =>
  bodyOf(
    await users().updateUser(
      UpdateUserRequest.fromPartial({ userId, settings: settings as never, skipReconfirmation }),
      root,
    ),
  );
const listed = async (person: Person) =>
  bodyOf(await emails().listUserEmails({ userId: 0, page: undefined }, person.as)).map(
    ({ email }: { email: string }) => email,
  );

/** The secret in the link that the mail to an address would have; of the newest request. */
async function secretFor(email: string): Promise<string> {
  const row = await db.one<{ id: number }>(sql`select id from emails where email = ${email} order by id desc limit 1`);
  const asMail = service.client(UserEmailServiceService, 'collaboration');
  const mail = await asMail.getEmailConfirmation({ emailId: row?.id ?? 0 }, { requestId: 'test' });
  expect(mail).toMatchObject({ address: email, link: expect.stringMatching(/^http:\/\/switchyard\.test\/-\/confirm/) });
  return new URL(mail.link).searchParams.get('token') ?? '';
}
const confirm = (token: string) => emails().confirmUserEmail({ token }, { requestId: 'test', actor: anonymous });

beforeAll(async () => {
  service = await startTestService();
  root = await service.as(rootToken);
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
});

afterAll(async () => {
  await db.close();
  await service.close();
});

describe('e-mails of a user', () => {
  it('count once they are confirmed, by a link that is good once', async () => {
    const ada = await makeUser();
    const added = await add(ada, 'Ada@home.example');
    expect(added).toEqual({ id: added.id, email: 'Ada@home.example', confirmed_at: null });
    await expect(update(ada.id, { publicEmail: 'ada@home.example', commitEmail: 'x@y' })).rejects.toEqual(
      message({ public_email: ['is not an email you own'], commit_email: ['is not an email you own'] }),
    );
    const secret = await secretFor('Ada@home.example');
    expect(await confirm(secret)).toEqual({ email: 'Ada@home.example' });
    await expect(confirm(secret)).rejects.toEqual(message('400 Bad request - Email was already confirmed'));
    expect(await update(ada.id, { publicEmail: 'ada@home.example', commitEmail: 'ada@home.example' })).toMatchObject({
      public_email: 'ada@home.example',
      commit_email: 'ada@home.example',
    });
    const one = bodyOf(await emails().getUserEmail({ userId: 0, emailId: added.id }, ada.as));
    expect(conforming('Email', one).confirmed_at).not.toBeNull();
    const removal = { userId: ada.id, emailId: added.id, ifUnmodifiedSince: undefined };
    await emails().deleteUserEmail(removal, root);
    await expect(emails().deleteUserEmail(removal, root)).rejects.toEqual(message('404 Email Not Found'));
    const after = bodyOf(await users().getUser({ userId: ada.id }, root));
    expect(after).toMatchObject({ public_email: '', commit_email: `${ada.name}@example.com` });
  });

  it('that wait take no address from others; the first to confirm it has it', async () => {
    const [one, two] = [await makeUser(), await makeUser()];
    await add(one, 'shared@example.org');
    const first = await secretFor('shared@example.org');
    await add(two, 'SHARED@example.org');
    await confirm(await secretFor('SHARED@example.org'));
    await expect(confirm(first)).rejects.toEqual(message('400 Bad request - Email has already been taken'));
    const taken = { kind: 'invalid', body: { message: { email: ['has already been taken'] } } };
    for (const email of ['shared@example.org', `${two.name}@EXAMPLE.com`, `${one.name}@example.com`])
      await expect(add(one, email)).rejects.toMatchObject(taken);
    await expect(makeUser({ email: 'shared@example.org' })).rejects.toEqual(message('Email has already been taken'));
    await expect(update(one.id, { email: 'shared@example.org' })).rejects.toEqual(
      message('Email has already been taken'),
    );
  });

  it('are refused when they are no addresses, and links when they are wrong, old, or of another address', async () => {
    const ada = await makeUser();
    for (const email of ['', 'a', 'a b@c', 'a\n@b', `${'x'.repeat(256)}@example.com`])
      expect([email, await add(ada, email).catch(({ kind }) => kind)]).toEqual([email, 'invalid']);
    await add(ada, 'old@example.org');
    const old = await secretFor('old@example.org');
    await add(ada, 'other@example.org');
    const [, mac = ''] = (await secretFor('other@example.org')).split(/-(.*)/s);
    const invalid = message('400 Bad request - Confirmation token is invalid');
    const swapped = `${old.split('-')[0]}-${mac}`;
    for (const wrong of ['', 'x', `${old}x`, old.slice(0, -1), swapped, `999999-${mac}`])
      await expect(confirm(wrong)).rejects.toEqual(invalid);
    await db.query(sql`
      update emails set confirmation_sent_at = now() - interval '3 days' where email = 'old@example.org'`);
    await expect(confirm(old)).rejects.toEqual(message(expect.stringContaining('within 3 days')));
    await expect(secretFor('old@example.org')).rejects.toEqual(message('404 Email Not Found'));
    await expect(emails().getEmailConfirmation({ emailId: 1 }, root)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('skip their confirmation for administrators alone, and are their own', async () => {
    const [ada, bob] = [await makeUser(), await makeUser()];
    const made = await add(ada, 'waits@example.org');
    expect(made.confirmed_at).toBeNull();
    const request = { userId: ada.id, email: 'counts@example.org', skipConfirmation: true };
    expect(bodyOf(await emails().addUserEmail(request, root)).confirmed_at).not.toBeNull();
    await expect(emails().addUserEmail({ ...request, userId: 999_999 }, root)).rejects.toEqual(
      message('404 User Not Found'),
    );
    expect(await listed(ada)).toEqual(['waits@example.org', 'counts@example.org']);
    await expect(emails().getUserEmail({ userId: 0, emailId: made.id }, bob.as)).rejects.toEqual(
      message('404 Email Not Found'),
    );
  });

  it('one that is to become the primary one waits, and its event carries no secret', async () => {
    const ada = await makeUser({ publicEmail: `person${serial + 1}@example.com` });
    const changed = await update(ada.id, { email: 'next@example.org' });
    expect(changed).toMatchObject({ email: `${ada.name}@example.com`, unconfirmed_email: 'next@example.org' });
    const overtaken = await secretFor('next@example.org');
    await update(ada.id, { email: 'final@example.org' });
    await expect(confirm(overtaken)).rejects.toEqual(message('400 Bad request - Confirmation token is invalid'));
    expect(await listed(ada)).toEqual([]);
    const secret = await secretFor('final@example.org');
    await confirm(secret);
    const after = bodyOf(await users().getUser({ userId: ada.id }, root));
    expect(after).toMatchObject({ email: 'final@example.org', public_email: '' });
    expect(after).not.toHaveProperty('unconfirmed_email');
    expect(await update(ada.id, { email: 'now@example.org' }, true)).toMatchObject({ email: 'now@example.org' });
    const request = { userId: ada.id, email: 'own@example.org', skipConfirmation: true };
    await emails().addUserEmail(request, root);
    expect(await update(ada.id, { email: 'own@example.org' })).toMatchObject({ email: 'own@example.org' });
    expect(await listed(ada)).toEqual([]);
    const events = await db.query<{ text: string }>(sql`select o::text as text from events.outbox o`);
    const held = await db.query<{ text: string }>(sql`select e::text as text from emails e`);
    const mac = secret.split('-')[1] ?? '';
    for (const { text } of [...events, ...held]) expect(text.includes(mac)).toBe(false);
  });
});

describe('the status of a user', () => {
  const set = async (person: Person, change: Partial<SetUserStatusRequest>) =>
    conforming(
      'UserStatus',
      bodyOf(await profiles().setUserStatus(SetUserStatusRequest.fromPartial(change), person.as)),
    );
  const seen = async (user: string) =>
    bodyOf(await profiles().getUserStatus({ user }, { requestId: 'test', actor: anonymous }));

  it('is set, changed, and over when its time is', async () => {
    const ada = await makeUser();
    const none = { emoji: null, message: null, availability: null, message_html: '', clear_status_at: null };
    expect(await seen(ada.name)).toEqual(none);
    await set(ada, { emoji: '+1', message: 'At **lunch**', availability: 'busy', clearAfterSeconds: 1_800 });
    const changed = await set(ada, { message: 'At <b>work</b>', partial: true });
    expect(changed).toMatchObject({ emoji: 'thumbsup', message: 'At <b>work</b>', availability: 'busy' });
    expect(changed.message_html).not.toContain('<script');
    expect(Date.parse(changed.clear_status_at) - Date.now()).toBeGreaterThan(1_700_000);
    expect(await seen(String(ada.id))).toEqual(changed);
    await db.query(sql`update user_statuses set clear_at = now() - interval '1 second' where user_id = ${ada.id}`);
    expect(await seen(ada.name)).toEqual(none);
    expect(await set(ada, { message: 'New', partial: true })).toMatchObject({
      emoji: 'speech_balloon',
      message: 'New',
    });
    expect(await set(ada, {})).toEqual(none);
    await expect(set(ada, { emoji: 'no such' })).rejects.toEqual(message({ emoji: ['is not a valid emoji name'] }));
    await expect(seen('no-such-user')).rejects.toEqual(message('404 User Not Found'));
  });
});

describe('follows', () => {
  it('are made once, counted, listed latest first, and hidden with a private profile', async () => {
    const [ada, bob, cat] = [await makeUser(), await makeUser(), await makeUser({ privateProfile: true })];
    const follow = (by: Person, userId: number) => profiles().followUser({ userId }, by.as);
    expect(bodyOf(await follow(ada, bob.id))).toMatchObject({ username: bob.name });
    expect((await follow(ada, bob.id)).status).toBe(304);
    await follow(cat, bob.id);
    await expect(follow(ada, ada.id)).rejects.toMatchObject({ kind: 'bad_request' });
    await expect(follow(ada, 999_999)).rejects.toEqual(message('404 User Not Found'));
    const names = async (userId: number, following: boolean, by = ada) =>
      bodyOf(await profiles().listFollows({ userId, following, page: undefined }, by.as)).map(
        ({ username }: { username: string }) => username,
      );
    expect([await names(bob.id, false), await names(ada.id, true)]).toEqual([[cat.name, ada.name], [bob.name]]);
    const page = PageRequest.fromPartial({ page: 1, perPage: 1, keyset: true });
    const first = await profiles().listFollows({ userId: bob.id, following: false, page }, ada.as);
    const next = { ...page, cursor: first.page?.nextCursor ?? '' };
    const second = await profiles().listFollows({ userId: bob.id, following: false, page: next }, ada.as);
    expect(bodyOf(second)[0].username).toBe(ada.name);
    await expect(names(cat.id, true)).rejects.toEqual(message('403 Forbidden - Not authorized!'));
    expect(await names(cat.id, true, cat)).toEqual([bob.name]);
    expect(bodyOf(await users().getUser({ userId: bob.id }, ada.as))).toMatchObject({
      followers: 2,
      following: 0,
      is_followed: true,
    });
    expect((await profiles().unfollowUser({ userId: bob.id }, ada.as)).status).toBe(0);
    expect((await profiles().unfollowUser({ userId: bob.id }, ada.as)).status).toBe(304);
    expect(bodyOf(await users().getCurrentUser({}, bob.as))).toMatchObject({ followers: 1 });
  });
});

it('activities are listed from a day on, earliest first', async () => {
  const [ada, bob] = [await makeUser(), await makeUser()];
  const rows = async (from: string) =>
    conforming('UserActivity', bodyOf(await profiles().listUserActivities({ from, page: undefined }, root)));
  // A day on which they asked for something before is noted a moment later.
  await eventually(async () => {
    await db.query(sql`
      update users set last_activity_on = case when id = ${ada.id} then '2020-05-02'::date else '2020-05-01'::date end
      where id in (${ada.id}, ${bob.id})`);
    const [first, second] = await rows('2020-01-01');
    expect([first, second.username]).toEqual([
      { username: bob.name, last_activity_on: '2020-05-01', last_activity_at: '2020-05-01' },
      ada.name,
    ]);
  });
  expect((await rows('2020-05-02'))[0].username).toBe(ada.name);
});

it('memberships are counted for the user and administrators', async () => {
  const [ada, bob] = [await makeUser(), await makeUser()];
  const settings = { name: ada.name, path: `of-${ada.name}` } as never;
  await service.client(GroupServiceService).createGroup({ parentId: 0, settings }, ada.as);
  expect(await profiles().countMemberships({ userId: ada.id }, ada.as)).toEqual({ groups: 1, projects: 0 });
  expect(await profiles().countMemberships({ userId: ada.id }, root)).toEqual({ groups: 1, projects: 0 });
  await expect(profiles().countMemberships({ userId: ada.id }, bob.as)).rejects.toMatchObject({ kind: 'forbidden' });
});

it('a user who alone owns groups is deleted with them, on request (hard_delete)', async () => {
  const ada = await makeUser();
  for (const path of ['one', 'two'])
    await service
      .client(GroupServiceService)
      .createGroup({ parentId: 0, settings: { name: path, path: `${path}-of-${ada.name}` } as never }, ada.as);
  const request = { userId: ada.id, ifUnmodifiedSince: undefined };
  await expect(users().deleteUser({ ...request, hardDelete: false }, root)).rejects.toEqual(
    message('User cannot be removed while is the sole-owner of a group'),
  );
  await users().deleteUser({ ...request, hardDelete: true }, root);
  await eventually(async () => {
    expect(await db.query(sql`select from users where id = ${ada.id}`)).toHaveLength(0);
    expect(await db.query(sql`select from namespaces where path like ${`%-of-${ada.name}`}`)).toHaveLength(0);
  });
  await expect(users().deleteUser({ ...request, hardDelete: true }, root)).rejects.toEqual(
    message('404 User Not Found'),
  );
});

it('lists cost the same statements for two rows and for a hundred', async () => {
  const { id } = await makeUser();
  const writer = { transaction: () => Promise.reject(new Error('not written')) };
  const page = { mode: 'offset', page: 1, perPage: 100, cursor: undefined } as const;
  const byId = { ...page, orderBy: 'id', sort: 'asc' } as const;
  const costs = async () => {
    const reads = [
      () => emailStore(db, writer).list(id, byId),
      () => userProfileStore(db).follows(id, false, byId),
      () => userProfileStore(db).activities('2020-01-01', { ...byId, orderBy: 'last_activity_on' }),
      () => serviceAccountStore(db).list({ groupId: 77 }, byId),
    ];
    const found = [];
    for (const read of reads) {
      const { result, statements } = await countStatements<{ rows: unknown[] }>(read);
      found.push({ rows: result.rows.length, statements });
    }
    return found;
  };
  const few = await costs();
  await db.query(sql`
    with made as (
      insert into users (username, name, email, user_type, service_account_group_id, last_activity_on)
      select 'crowd' || i, 'Crowd', 'crowd' || i || '@example.com', 'service_account', 77, '2021-01-01' from generate_series(1, 100) i
      returning id),
    follows as (insert into user_follows (follower_id, followed_id) select id, ${id} from made)
    insert into emails (user_id, email) select ${id}, 'alias' || i || '@example.com' from generate_series(1, 100) i`);
  const many = await costs();
  expect(many.map(({ rows }) => rows)).toEqual([100, 100, 100, 100]);
  expect(many.map(({ statements }) => statements)).toEqual(few.map(({ statements }) => statements));
});

import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  ResolveResponse_TokenRefusal as Refusal,
  type ResolveRequest,
} from '@switchyard/protos/groups_admin/v1/access';
import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import {
  ListServiceAccountTokensRequest,
  ServiceAccountServiceService,
  type ServiceAccountSettings,
} from '@switchyard/protos/groups_admin/v1/service_account';
import { CreateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, type CallOptions } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let db: Database;
let root: CallOptions;
let owner: { id: number; token: string };
let groupId: number;
let serial = 0;

const target = (id = groupId): ResolveRequest['target'] => ({ $case: 'group', value: String(id) });
const accounts = () => service.client(ServiceAccountServiceService);
const asOwner = () => service.as(owner.token, target());
const asRoot = (id = groupId) => service.as(rootToken, target(id));
const message = (text: unknown) => expect.objectContaining({ body: { message: text } });

async function makeUser(settings: Record<string, unknown> = {}): Promise<{ id: number; token: string }> {
  serial += 1;
  const name = `person${serial}`;
  const request = CreateUserRequest.fromPartial({
    settings: { email: `${name}@example.com`, name, username: name, ...settings },
    skipConfirmation: true,
  });
  const { id } = bodyOf(await service.client(UserServiceService).createUser(request, root));
  const made = await service
    .client(PersonalAccessTokenServiceService)
    .createPersonalAccessToken({ userId: id, name: 't', description: '', scopes: ['api'], expiresAt: '' }, root);
  return { id, token: bodyOf(made).token };
}

async function makeGroup(parentId = 0): Promise<number> {
  serial += 1;
  const settings = { name: `Group ${serial}`, path: `group-${serial}` };
  const caller = await service.as(owner.token, parentId === 0 ? undefined : target(parentId));
  return bodyOf(await service.client(GroupServiceService).createGroup({ parentId, settings } as never, caller)).id;
}

const create = async (settings: ServiceAccountSettings = {} as never, id = groupId, options?: CallOptions) =>
  conforming(
    'ServiceAccount',
    bodyOf(await accounts().createServiceAccount({ groupId: id, settings }, options ?? (await asOwner()))),
  );
const set = (settings: Partial<ServiceAccountSettings>): ServiceAccountSettings => settings as ServiceAccountSettings;

const removal = { ifUnmodifiedSince: undefined, hardDelete: false };

beforeAll(async () => {
  service = await startTestService();
  root = await service.as(rootToken);
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  owner = await makeUser();
  groupId = await makeGroup();
});

afterAll(async () => {
  await db.close();
  await service.close();
});

/** The link that the mail to an address would have. */
async function linkTo(address: string): Promise<string> {
  const row = await db.one<{ id: number }>(sql`select id from emails where email = ${address}`);
  const mails = service.client(UserEmailServiceService, 'collaboration');
  const mail = await mails.getEmailConfirmation({ emailId: row?.id ?? 0 }, { requestId: 'test' });
  expect(mail.address).toBe(address);
  return mail.link;
}

const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? '';
const confirm = (token: string) =>
  service.client(UserEmailServiceService).confirmUserEmail({ token }, { requestId: 'test', actor: anonymous });

describe('service accounts', () => {
  it('get generated names, are external and members of nothing (G-4.5-2, G-4.5-9, G-4.5-10)', async () => {
    const account = await create();
    expect(account).toEqual({
      id: account.id,
      name: 'Service account user',
      username: expect.stringMatching(new RegExp(`^service_account_group_${groupId}_[0-9a-f]{32}$`)),
      email: `${account.username}@noreply.switchyard.test`,
      public_email: '',
    });
    const user = bodyOf(await service.client(UserServiceService).getUser({ userId: account.id }, root));
    expect(user).toMatchObject({ external: true, bot: true, can_create_group: false, projects_limit: 0 });
    expect(user.confirmed_at).not.toBeNull();
    const members = await db.query(sql`select from memberships where user_id = ${account.id}`);
    expect(members).toHaveLength(0);
    const password = { userId: account.id, settings: { password: 'long enough' }, skipReconfirmation: false };
    await expect(service.client(UserServiceService).updateUser(password as never, root)).rejects.toEqual(
      message({ password: ['cannot be set for bots and service accounts'] }),
    );
  });

  it('refuse names and addresses that are taken or invalid, all at once (G-4.5-2, G-4.5-3)', async () => {
    await create(set({ username: 'robot', email: 'robot@example.com' }));
    await expect(create(set({ username: 'ROBOT', email: 'person1@example.com' }))).rejects.toEqual(
      message('400 Bad request - Username has already been taken and Email has already been taken'),
    );
    for (const username of ['a\nb', 'x'.repeat(256), 'a b', '', 'api'])
      expect([username, await create(set({ username })).catch(({ kind }) => kind)]).toEqual([username, 'bad_request']);
    for (const email of ['a\nb@example.com', `${'x'.repeat(256)}@example.com`, 'nonsense', ''])
      expect([email, await create(set({ email })).catch(({ kind }) => kind)]).toEqual([email, 'bad_request']);
    await expect(create(set({ name: 'a\nb', username: 'a/b' }))).rejects.toEqual(
      message(expect.stringMatching(/^400 Bad request - Name .* and Username /)),
    );
  });

  it('are listed by id and username, in both kinds of paging, at a constant cost (G-4.5-1)', async () => {
    const group = await makeGroup();
    const caller = await asRoot(group);
    for (const username of ['b-bot', 'c-bot', 'a-bot']) await create(set({ username }), group, caller);
    const list = async (page: Partial<PageRequest>) =>
      accounts().listServiceAccounts({ groupId: group, page: PageRequest.fromPartial({ page: 1, ...page }) }, caller);
    const names = (reply: Awaited<ReturnType<typeof list>>) =>
      bodyOf(reply).map(({ username }: { username: string }) => username);
    expect(names(await list({ descending: true }))).toEqual(['a-bot', 'c-bot', 'b-bot']);
    const first = await list({ orderBy: 'username', perPage: 2, keyset: true });
    const cursor = first.page?.nextCursor ?? '';
    expect([names(first), names(await list({ orderBy: 'username', perPage: 2, keyset: true, cursor }))]).toEqual([
      ['a-bot', 'b-bot'],
      ['c-bot'],
    ]);
    expect((await list({ perPage: 1 })).page).toMatchObject({ total: 3, hasNext: true });
  });

  it('are of top-level groups alone, and of their own group (G-4.5-2, G-4.5-3)', async () => {
    const below = await makeGroup(groupId);
    const caller = await asRoot(below);
    await expect(create(set({}), below, caller)).rejects.toEqual(
      message('400 Bad request - User does not have permission to create a service account in this group.'),
    );
    await expect(accounts().listServiceAccounts({ groupId: below, page: undefined }, caller)).rejects.toEqual(
      message('403 Forbidden'),
    );
    const other = await makeGroup();
    const account = await create(set({}), other, await asRoot(other));
    const change = async (userId: number) =>
      accounts().updateServiceAccount({ groupId, userId, settings: set({ name: 'X' }) }, await asOwner());
    await expect(change(account.id)).rejects.toEqual(message('404 User Not Found'));
    await expect(change(999_999)).rejects.toEqual(message('404 User Not Found'));
    await expect(change(owner.id)).rejects.toEqual(message('400 Bad request - User is not of type Service Account'));
    const own = await create();
    expect(bodyOf(await change(own.id))).toMatchObject({ id: own.id, name: 'X' });
  });

  it('of the instance are for administrators (G-4.5-13)', async () => {
    const account = await create(set({}), 0, root);
    expect(account.username).toMatch(/^service_account_[0-9a-f]{32}$/);
    const listed = bodyOf(await accounts().listServiceAccounts({ groupId: 0, page: undefined }, root));
    expect(listed).toEqual([account]);
    await expect(create(set({}), 0, await service.as(owner.token))).rejects.toEqual(message('403 Forbidden'));
  });

  it('with an address of their own wait until it is confirmed (G-4.5-9, G-2-26)', async () => {
    const account = await create(set({ email: 'fleet@example.org' }));
    expect(account.unconfirmed_email).toBe('fleet@example.org');
    const { token } = await makeToken(account.id);
    expect((await service.resolve({ token })).tokenRefusal).toBe(Refusal.TOKEN_REFUSAL_UNCONFIRMED);
    const { email } = await confirm(tokenOf(await linkTo('fleet@example.org')));
    expect(email).toBe('fleet@example.org');
    expect((await service.resolve({ token })).actor?.userId).toBe(account.id);
    const settings = set({ email: 'new@example.org', username: 'fleet' });
    const change = { groupId, userId: account.id, settings };
    const changed = bodyOf(await accounts().updateServiceAccount(change, await asOwner()));
    expect(changed).toMatchObject({
      email: 'fleet@example.org',
      username: 'fleet',
      unconfirmed_email: 'new@example.org',
    });
    await confirm(tokenOf(await linkTo('new@example.org')));
    const [row] = bodyOf(await accounts().listServiceAccounts({ groupId, page: undefined }, await asOwner()));
    expect(row).toEqual({ ...changed, email: 'new@example.org', unconfirmed_email: undefined });
  });

  it('are deleted once, not while they alone own a group (G-4.5-4)', async () => {
    const account = await create();
    const own = await makeGroup();
    const asked = async (hardDelete = false) =>
      accounts().deleteServiceAccount({ groupId, userId: account.id, ...removal, hardDelete }, await asOwner());
    const since = { ...removal, ifUnmodifiedSince: new Date('2020-01-01T00:00:00Z') };
    await expect(
      accounts().deleteServiceAccount({ groupId, userId: account.id, ...since }, await asOwner()),
    ).rejects.toMatchObject({ kind: 'precondition_failed' });
    const members = service.client(MemberServiceService);
    const source = { groupId: own, projectId: 0 };
    const added = { source, userIds: [account.id], usernames: [], accessLevel: 50, expiresAt: '' };
    await members.addMembers(added, await asRoot(own));
    const removed = { source, userId: owner.id, skipSubresources: false };
    await members.removeMember(removed, await asRoot(own));
    await expect(asked()).rejects.toEqual(message('User cannot be removed while is the sole-owner of a group'));
    const { token } = await makeToken(account.id);
    await asked(true);
    await expect(asked(true)).rejects.toEqual(message('404 User Not Found'));
    expect((await service.resolve({ token })).actor?.userId ?? 0).toBe(0);
    await eventually(async () => {
      expect(await db.query(sql`select from users where id = ${account.id}`)).toHaveLength(0);
      expect(await db.query(sql`select from user_deletions`)).toHaveLength(0);
      const [group] = await db.query(sql`select from namespaces where id = ${own} and marked_for_deletion_at is null`);
      expect(group).toBeUndefined();
    });
    const events = await db.query<{ id: string }>(
      sql`select event_id as id from events.outbox where event_id = ${`user_deleted:${account.id}`}`,
    );
    expect(events).toHaveLength(1);
  });
});

async function makeToken(userId: number, expiresAt = '', name = 't') {
  const request = { groupId, userId, name, description: 'd', scopes: ['read_api'], expiresAt };
  return conforming(
    'NewPersonalAccessToken',
    bodyOf(await accounts().createServiceAccountToken(request, await asOwner())),
  );
}

describe('tokens of a service account', () => {
  it('are made, listed, rotated and revoked (G-4.5-5 … G-4.5-8, G-4.5-11, G-4.5-12)', async () => {
    const account = await create();
    const first = await makeToken(account.id, '', 'first');
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(first).toMatchObject({ user_id: account.id, scopes: ['read_api'], expires_at: inDays(365) });
    expect((await service.resolve({ token: first.token })).actor?.userId).toBe(account.id);
    await expect(makeToken(account.id, '2999-01-01')).rejects.toMatchObject({
      kind: 'unprocessable',
      body: { message: `Expiration date must be before ${inDays(365)}` },
    });
    const rotate = async (tokenId: number, userId = account.id) =>
      accounts().rotateServiceAccountToken({ groupId, userId, tokenId, expiresAt: '' }, await asOwner());
    const second = bodyOf(await rotate(first.id));
    expect(second).toMatchObject({ name: 'first', description: 'd', scopes: ['read_api'], expires_at: inDays(7) });
    await expect(rotate(first.id)).rejects.toEqual(message('400 Bad request - Token already revoked'));
    const third = await makeToken(account.id, '', 'third');
    const other = await create();
    const foreign = await makeToken(other.id);
    await expect(rotate(foreign.id)).rejects.toEqual(message('404 Not Found'));
    await expect(rotate(999_999)).rejects.toEqual(message('404 Not Found'));
    const revoke = async (tokenId: number) =>
      accounts().revokeServiceAccountToken(
        { groupId, userId: account.id, tokenId, ifUnmodifiedSince: undefined },
        await asOwner(),
      );
    await expect(revoke(foreign.id)).rejects.toEqual(message('404 Personal Access Token Not Found'));
    await expect(revoke(0)).rejects.toEqual(message('404 Personal Access Token Not Found'));
    await revoke(third.id);
    const list = async (filter: Partial<ListServiceAccountTokensRequest>) => {
      const request = ListServiceAccountTokensRequest.fromPartial({ groupId, userId: account.id, ...filter });
      const rows = bodyOf(await accounts().listServiceAccountTokens(request, await asOwner()));
      return conforming('PersonalAccessToken', rows).map(({ id }: { id: number }) => id);
    };
    expect(await list({})).toEqual([third.id, second.id, first.id]);
    // The second rotation was refused alone: a chain is revoked at /personal_access_tokens (G-4.5-12).
    expect(await list({ revoked: false })).toEqual([second.id]);
    expect(await list({ state: 'inactive', search: 'thi' })).toEqual([third.id]);
    expect(await list({ expiresBefore: inDays(30) })).toEqual([second.id]);
    expect(await list({ createdAfter: new Date(Date.now() + 60_000) })).toEqual([]);
  });

  it('are for the Owners and administrators', async () => {
    const account = await create();
    const member = await makeUser();
    const caller = await service.as(member.token);
    await expect(
      accounts().listServiceAccountTokens(
        ListServiceAccountTokensRequest.fromPartial({ groupId: 0, userId: account.id }),
        caller,
      ),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

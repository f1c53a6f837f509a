import { badRequest } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json, nothing, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const account = { id: 8, username: 'robot', name: 'Robot', email: 'robot@noreply.forge.example', public_email: '' };
const token = {
  id: 3,
  name: 't',
  revoked: false,
  created_at: '2026-01-31T08:39:14.883Z',
  description: null,
  scopes: ['api'],
  user_id: 8,
  last_used_at: null,
  active: true,
  expires_at: '2027-01-31',
};
const reference = {
  id: 9,
  username: 'bob',
  public_email: '',
  name: 'Bob',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/bob',
};
const cut = { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false };
const email = { id: 4, email: 'a@example.org', confirmed_at: null };
const status = { emoji: 'tea', message: 'm', availability: 'busy', message_html: 'm', clear_status_at: null };

let gateway: TestGateway;
let tier = 'premium';
let refusal: Error | undefined;
let statusOfFollow = 0;

const answered = (reply: unknown) => async () => {
  if (refusal !== undefined) throw refusal;
  return reply;
};

beforeAll(async () => {
  gateway = await startTestGateway({
    config: { SWITCHYARD_TIER: 'premium' },
    access: () =>
      resolved({
        actor: actor({ admin: true }),
        access: projectAccess({ kind: Access_Kind.KIND_GROUP, id: 5, level: 50, tier }),
      }),
    fakes: {
      'ServiceAccountService/ListServiceAccounts': answered(page([account], cut)),
      'ServiceAccountService/CreateServiceAccount': answered(entity(account)),
      'ServiceAccountService/UpdateServiceAccount': answered(entity({ ...account, unconfirmed_email: 'a@b' })),
      'ServiceAccountService/DeleteServiceAccount': answered(json(Buffer.alloc(0))),
      'ServiceAccountService/ListServiceAccountTokens': answered(page([token], cut)),
      'ServiceAccountService/CreateServiceAccountToken': answered(entity({ ...token, token: 'glpat-x' })),
      'ServiceAccountService/RotateServiceAccountToken': answered(entity({ ...token, token: 'glpat-x' })),
      'ServiceAccountService/RevokeServiceAccountToken': answered(json(Buffer.alloc(0))),
      'UserEmailService/ListUserEmails': answered(page([email], cut)),
      'UserEmailService/AddUserEmail': answered(entity(email)),
      'UserEmailService/GetUserEmail': answered(entity(email)),
      'UserEmailService/DeleteUserEmail': answered(json(Buffer.alloc(0))),
      'UserProfileService/SetUserStatus': answered(entity(status)),
      'UserProfileService/GetUserStatus': answered(entity(status)),
      'UserProfileService/FollowUser': async () => (statusOfFollow === 0 ? entity(reference) : nothing(statusOfFollow)),
      'UserProfileService/ListFollows': answered(page([reference], cut)),
      'UserProfileService/ListUserActivities': answered(
        page([{ username: 'a', last_activity_on: '2026-01-31', last_activity_at: '2026-01-31' }], cut),
      ),
      'UserProfileService/CountMemberships': answered({ groups: 2, projects: 3 }),
      'IssueService/GetIssuesStatistics': answered(
        entity({ statistics: { counts: { all: 5, opened: 4, closed: 1 } } }),
      ),
      'MergeRequestService/ListMergeRequests': answered(page([], { ...cut, total: 7 })),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  tier = 'premium';
  refusal = undefined;
  statusOfFollow = 0;
  gateway.calls.length = 0;
});

let serial = 0;
const send = (method: string, path: string, body?: unknown) => {
  serial += 1;
  return gateway.send(method, path, { token: `token number ${serial}`, ...(body === undefined ? {} : { body }) });
};
const asked = () => gateway.calls.find(({ rpc }) => !rpc.startsWith('AccessService'))?.request;

describe('service accounts', () => {
  it('are listed, made, changed and deleted (G-4.5-1 … G-4.5-4)', async () => {
    expect((await send('GET', '/groups/5/service_accounts?order_by=username&sort=asc')).body).toEqual([account]);
    expect(asked()).toMatchObject({ groupId: 5, page: { orderBy: 'username', descending: false } });
    expect((await send('POST', '/groups/5/service_accounts', {})).status).toBe(201);
    expect((await send('PATCH', '/groups/5/service_accounts/8', { email: 'a@b' })).body.unconfirmed_email).toBe('a@b');
    gateway.calls.length = 0;
    const deleted = await send('DELETE', '/groups/5/service_accounts/8?hard_delete=true');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(asked()).toMatchObject({ groupId: 5, userId: 8, hardDelete: true });
  });

  it('have tokens, listed with all filters, made, rotated and revoked (G-4.5-5 … G-4.5-8)', async () => {
    const path = '/groups/5/service_accounts/8/personal_access_tokens';
    const query =
      'revoked=false&state=active&search=t&created_after=2026-01-01&created_before=2026-02-01&last_used_after=2026-01-01&last_used_before=2026-02-01&expires_after=2026-01-01&expires_before=2028-01-01&sort=name_asc';
    expect((await send('GET', `${path}?${query}`)).status).toBe(200);
    expect(asked()).toEqual({
      groupId: 5,
      userId: 8,
      revoked: false,
      state: 'active',
      search: 't',
      createdAfter: new Date('2026-01-01T00:00:00Z'),
      createdBefore: new Date('2026-02-01T00:00:00Z'),
      lastUsedAfter: new Date('2026-01-01T00:00:00Z'),
      lastUsedBefore: new Date('2026-02-01T00:00:00Z'),
      expiresAfter: '2026-01-01',
      expiresBefore: '2028-01-01',
      page: expect.objectContaining({ orderBy: 'name', descending: false }),
    });
    expect((await send('POST', path, { name: 't', scopes: ['api'] })).body.token).toBe('glpat-x');
    expect((await send('POST', path, {})).body).toEqual({ error: 'name is missing, scopes is missing' });
    expect((await send('POST', path, { name: 't', scopes: ['all'] })).body).toEqual({
      error: 'scopes does not have a valid value',
    });
    expect((await send('POST', `${path}/3/rotate`)).status).toBe(200);
    expect((await send('DELETE', `${path}/3`)).status).toBe(204);
    expect((await send('DELETE', `${path}/x`)).body).toEqual({ error: 'token_id is invalid' });
  });

  it('are of the instance for administrators (G-4.5-13)', async () => {
    expect((await send('GET', '/service_accounts')).body).toEqual([account]);
    expect(asked()).toMatchObject({ groupId: 0 });
    expect((await send('POST', '/service_accounts', { username: 'robot' })).status).toBe(201);
    expect((await send('PATCH', '/service_accounts/8', { name: 'R' })).status).toBe(200);
  });

  it('need the tier Premium, and say all that the service refuses', async () => {
    refusal = badRequest('Username has already been taken and Email has already been taken');
    expect((await send('POST', '/groups/5/service_accounts', {})).body).toEqual({
      message: '400 Bad request - Username has already been taken and Email has already been taken',
    });
    tier = 'free';
    expect((await send('GET', '/groups/5/service_accounts')).status).toBe(403);
  });
});

describe('users', () => {
  it('have e-mails', async () => {
    expect((await send('GET', '/user/emails')).body).toEqual([email]);
    expect((await send('POST', '/user/emails', { email: 'a@example.org', skip_confirmation: true })).status).toBe(201);
    expect(gateway.calls.at(-1)?.request).toEqual({ userId: 0, email: 'a@example.org', skipConfirmation: false });
    expect((await send('POST', '/users/9/emails', { email: 'a@example.org', skip_confirmation: true })).status).toBe(
      201,
    );
    expect(gateway.calls.at(-1)?.request).toEqual({ userId: 9, email: 'a@example.org', skipConfirmation: true });
    expect((await send('POST', '/user/emails', {})).body).toEqual({ error: 'email is missing' });
    expect((await send('GET', '/users/0/emails')).body).toEqual({ message: '404 User Not Found' });
    expect((await send('DELETE', '/users/9/emails/4')).status).toBe(204);
  });

  it('set and change their status', async () => {
    expect((await send('PUT', '/user/status', { message: 'm', clear_status_after: '30_minutes' })).body).toEqual(
      status,
    );
    expect(asked()).toMatchObject({ message: 'm', emoji: undefined, clearAfterSeconds: 1_800, partial: false });
    gateway.calls.length = 0;
    await send('PATCH', '/user/status', { availability: '', clear_status_after: null });
    expect(asked()).toMatchObject({ message: undefined, availability: '', clearAfterSeconds: 0, partial: true });
    expect((await send('PUT', '/user/status', { clear_status_after: '1_hour' })).body).toEqual({
      error: 'clear_status_after does not have a valid value',
    });
    expect((await send('GET', '/users/bob/status')).body).toEqual(status);
  });

  it('follow each other, and are counted', async () => {
    expect((await send('POST', '/users/9/follow')).status).toBe(201);
    statusOfFollow = 304;
    expect((await send('POST', '/users/9/follow')).status).toBe(304);
    expect((await send('GET', '/users/9/followers')).body).toEqual([reference]);
    expect((await send('GET', '/users/9/associations_count')).body).toEqual({
      groups_count: 2,
      projects_count: 3,
      issues_count: 5,
      merge_requests_count: 7,
    });
    gateway.calls.length = 0;
    expect((await send('GET', '/user/activities?from=2026-01-01')).status).toBe(200);
    expect(asked()).toMatchObject({ from: '2026-01-01' });
  });
});

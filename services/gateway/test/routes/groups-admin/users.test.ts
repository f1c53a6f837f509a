import { forbidden } from '@switchyard/errors';
import { ChangeUserStateRequest_Change as Change } from '@switchyard/protos/groups_admin/v1/user';
import { anonymous, entity, json, page } from '@switchyard/rpc';
import { actor, newToken, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const reference = {
  id: 7,
  username: 'ada',
  public_email: '',
  name: 'Ada',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/ada',
};
const profile = Object.fromEntries(
  'created_at bio location skype linkedin twitter discord website_url github organization job_title pronouns work_information local_time'
    .split(' ')
    .map((field) => [field, null]),
);
const user = { ...reference, ...profile, bot: false, followers: 0, following: 0, is_followed: false };

let gateway: TestGateway;
let answer = resolved();
let listed: () => unknown = () => undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      'UserService/ListUsers': async () => listed(),
      'UserService/GetUser': async () => entity(user),
      'UserService/CreateUser': async () => entity(user),
      'UserService/UpdateUser': async () => entity(user),
      'UserService/DeleteUser': async () => json(Buffer.alloc(0)),
      'UserService/ChangeUserState': async () => entity(true),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ actor: actor({ admin: true }) });
  listed = () => page([reference], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;

describe('GET /users', () => {
  it('200: passes every filter on', async () => {
    const reply = await gateway.send(
      'GET',
      '/users?username=ada&search=a&active=true&blocked=1&external=t&humans=yes&admins=on&created_after=2026-01-02&order_by=name&sort=asc&per_page=5',
      newToken(),
    );
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-total')).toBe('1');
    expect(asked('UserService/ListUsers')).toMatchObject({
      username: 'ada',
      search: 'a',
      active: true,
      blocked: true,
      external: true,
      humans: true,
      admins: true,
      excludeHumans: false,
      createdAfter: new Date('2026-01-02T00:00:00Z'),
      createdBefore: undefined,
      page: { orderBy: 'name', descending: false, perPage: 5 },
    });
  });

  it('400: names every parameter that is wrong', async () => {
    const reply = await gateway.send('GET', '/users?active=perhaps&order_by=password&created_after=soon', newToken());
    expect(reply.status).toBe(400);
    expect(reply.body.error.split(', ').sort()).toEqual([
      'active is invalid',
      'created_after is invalid',
      'order_by does not have a valid value',
    ]);
  });

  it('405: an offset beyond 50,000 (G-1-25)', async () => {
    const reply = await gateway.send('GET', '/users?page=501&per_page=100', newToken());
    expect(reply.status).toBe(405);
    expect(reply.body.error).toContain('objects of type User');
    expect((await gateway.send('GET', '/users?page=500&per_page=100', newToken())).status).toBe(200);
  });

  it('403: what the service refuses an anonymous caller', async () => {
    answer = resolved({ actor: anonymous });
    listed = () => {
      throw forbidden('Not authorized to access /api/v4/users');
    };
    expect((await gateway.send('GET', '/users')).body).toEqual({
      message: '403 Forbidden - Not authorized to access /api/v4/users',
    });
  });

  it('serves the scopes read_user and read_api, and no other', async () => {
    for (const [scope, status] of [
      ['read_user', 200],
      ['read_api', 200],
      ['read_repository', 403],
    ] as const) {
      answer = resolved({ actor: actor({ scopes: [scope] }) });
      expect((await gateway.send('GET', '/users', newToken())).status).toBe(status);
    }
  });
});

describe('POST /users', () => {
  const body = {
    email: 'ada@example.com',
    name: 'Ada',
    username: 'ada',
    password: 'long enough',
    bio: 'b',
    admin: true,
  };

  it('201: sends what was given and nothing else', async () => {
    expect((await gateway.send('POST', '/users', { ...newToken(), body })).status).toBe(201);
    const { settings } = asked('UserService/CreateUser') as { settings: Record<string, unknown> };
    expect(Object.entries(settings).filter(([, value]) => value !== undefined)).toHaveLength(6);
    expect(settings).toMatchObject({ email: 'ada@example.com', password: 'long enough', bio: 'b', admin: true });
  });

  it('201: a random password takes the place of a given one', async () => {
    await gateway.send('POST', '/users', { ...newToken(), body: { ...body, force_random_password: true } });
    expect(asked('UserService/CreateUser')).toMatchObject({ randomPassword: true, settings: { password: undefined } });
  });

  it('400: names all that is missing', async () => {
    expect((await gateway.send('POST', '/users', { ...newToken(), body: {} })).body).toEqual({
      error:
        'email is missing, name is missing, username is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided',
    });
  });

  it('401 and 403: administrators alone', async () => {
    answer = resolved({ actor: actor() });
    expect((await gateway.send('POST', '/users', { ...newToken(), body })).status).toBe(403);
    answer = resolved({ actor: anonymous });
    expect((await gateway.send('POST', '/users', { body })).status).toBe(401);
  });
});

describe('one user', () => {
  it('200, 204 and 201', async () => {
    expect((await gateway.send('GET', '/users/7', newToken())).body).toEqual(user);
    expect((await gateway.send('PUT', '/users/7', { ...newToken(), body: { name: 'B' } })).status).toBe(200);
    expect(asked('UserService/UpdateUser')).toMatchObject({ userId: 7, settings: { name: 'B', username: undefined } });
    const deleted = await gateway.send('DELETE', '/users/7', newToken());
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await gateway.send('POST', '/users/7/unblock', newToken())).body).toBe(true);
    expect(asked('UserService/ChangeUserState')).toEqual({ userId: 7, change: Change.CHANGE_UNBLOCK });
  });

  it('400: an id that is no number', async () => {
    expect((await gateway.send('GET', '/users/ada', newToken())).body).toEqual({ error: 'id is invalid' });
  });
});

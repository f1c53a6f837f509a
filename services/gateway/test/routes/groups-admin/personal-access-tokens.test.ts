import { entity, json, page } from '@switchyard/rpc';
import { actor, newToken, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const record = {
  id: 70,
  name: 'ci',
  revoked: false,
  created_at: '2026-01-02T03:04:05.678Z',
  description: null,
  scopes: ['api'],
  user_id: 7,
  last_used_at: null,
  active: true,
  expires_at: '2026-12-31',
};

let gateway: TestGateway;
let answer = resolved();

beforeAll(async () => {
  const service = 'PersonalAccessTokenService';
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      [`${service}/ListPersonalAccessTokens`]: async () =>
        page([record], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      [`${service}/GetPersonalAccessToken`]: async () => entity({ ...record, last_used_ips: [] }),
      [`${service}/CreatePersonalAccessToken`]: async () => entity({ ...record, token: 'glpat-x' }),
      [`${service}/RotatePersonalAccessToken`]: async () => entity({ ...record, token: 'glpat-y' }),
      [`${service}/RevokePersonalAccessToken`]: async () => json(Buffer.alloc(0)),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ actor: actor({ admin: true }) });
  gateway.calls.length = 0;
});

const asked = () => gateway.calls.find((call) => call.rpc !== 'AccessService/Resolve')?.request;

describe('POST /users/:user_id/personal_access_tokens', () => {
  it('201: scopes as an array or joined by commas', async () => {
    for (const scopes of [['api', 'read_user'], 'api,read_user']) {
      gateway.calls.length = 0;
      const body = { name: 'ci', scopes, expires_at: '2026-12-31' };
      const reply = await gateway.send('POST', '/users/7/personal_access_tokens', { ...newToken(), body });
      expect([reply.status, reply.body.token]).toEqual([201, 'glpat-x']);
      expect(asked()).toEqual({
        userId: 7,
        name: 'ci',
        description: '',
        scopes: ['api', 'read_user'],
        expiresAt: '2026-12-31',
      });
    }
  });

  it('400: missing, unknown and malformed parameters', async () => {
    const send = async (body: unknown) =>
      (await gateway.send('POST', '/users/7/personal_access_tokens', { ...newToken(), body })).body.error;
    expect(await send({})).toBe('name is missing, scopes is missing');
    expect(await send({ name: 'n', scopes: ['api', 'everything'] })).toBe('scopes does not have a valid value');
    expect(await send({ name: 'n', scopes: ['api'], expires_at: '2026-02-30' })).toBe('expires_at is invalid');
  });
});

describe('tokens', () => {
  it('200: are sorted by the words of G-4.5-5', async () => {
    await gateway.send(
      'GET',
      '/personal_access_tokens?sort=last_used_asc&state=active&revoked=false&user_id=7',
      newToken(),
    );
    expect(asked()).toMatchObject({
      page: { orderBy: 'last_used_at', descending: false },
      state: 'active',
      revoked: false,
      userId: 7,
    });
  });

  it('400: unknown state and order', async () => {
    const reply = await gateway.send('GET', '/personal_access_tokens?sort=up&state=dead', newToken());
    expect(reply.body.error).toBe('state does not have a valid value, sort does not have a valid value');
  });

  it('of the request are seen and revoked with any scope, and rotated with self_rotate', async () => {
    const as = async (scope: string, method: string, path: string) => {
      answer = resolved({ actor: actor({ scopes: [scope] }) });
      return (await gateway.send(method, path, newToken())).status;
    };
    expect(await as('read_repository', 'GET', '/personal_access_tokens/self')).toBe(200);
    expect(await as('read_repository', 'DELETE', '/personal_access_tokens/self')).toBe(204);
    expect(await as('self_rotate', 'POST', '/personal_access_tokens/self/rotate')).toBe(200);
    expect(await as('read_api', 'POST', '/personal_access_tokens/self/rotate')).toBe(403);
    expect(await as('self_rotate', 'GET', '/personal_access_tokens')).toBe(403);
  });

  it('404: no one has the token 0, which stands for the one presented between the processes', async () => {
    expect((await gateway.send('DELETE', '/personal_access_tokens/0', newToken())).status).toBe(404);
    expect(asked()).toBeUndefined();
  });
});

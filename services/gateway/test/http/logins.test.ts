import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { entity } from '@switchyard/rpc';
import { logger, metrics } from '@switchyard/telemetry';
import type { Config } from '../../src/config';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

const later = [429, 'Retry later\n'];

let gateway: TestGateway;
afterEach(() => gateway.close());

/** Tokens that begin with `right` are; the project is there for them and not for others. */
const start = async (config: Partial<Config> = {}) => {
  gateway = await startTestGateway({
    routes: kernelRoutes(async () => entity({})),
    config,
    access: ({ token }) =>
      token.startsWith('right') || token === ''
        ? resolved({
            ...(token === '' ? { actor: undefined } : {}),
            access: projectAccess({ visibility: 'public', archived: true }),
          })
        : resolved({
            actor: undefined,
            tokenRefusal: token === 'old' ? Token.TOKEN_REFUSAL_EXPIRED : Token.TOKEN_REFUSAL_UNKNOWN,
          }),
  });
};
const api = async (token: string | undefined, from = '192.0.2.1', path = '/open', method = 'GET') => {
  const reply = await gateway.send(method, path, {
    ...(token === undefined ? {} : { token }),
    headers: { 'X-Forwarded-For': from },
  });
  return [reply.status, reply.text, reply.headers.get('retry-after')] as const;
};
const statusOf = async (...asked: Parameters<typeof api>) => (await api(...asked))[0];
/** A push, which is refused with 403 to those who may log in: the project is archived. */
const git = async (account: string, token: string, from = '192.0.2.1') => {
  const reply = await fetch(`${gateway.url}/group/project.git/info/refs?service=git-receive-pack`, {
    headers: {
      'X-Forwarded-For': from,
      Authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
    },
  });
  await reply.text();
  return reply.status;
};
const total = async (name: string): Promise<number> => {
  const read = await metrics.getSingleMetric(name)?.get();
  return read?.values[0]?.value ?? 0;
};

describe('failed logins', () => {
  /** Three of an address, two of an account, one of an account from one address. */
  const scale = { SWITCHYARD_APPLICATION_LIMITS: 0.005 };

  it('of an address are limited, counted and logged, with git and without; a right token still gets its answer', async () => {
    await start(scale);
    const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
    const before = await total('switchyard_failed_logins_total');
    expect([await statusOf('wrong1'), await statusOf('wrong2'), await git('', 'wrong3')]).toEqual([401, 401, 401]);
    expect(warn.mock.calls).toEqual([
      [{ address: '192.0.2.1', account: undefined }, 'login failed'],
      [{ address: '192.0.2.1', account: undefined }, 'login failed'],
      [{ address: '192.0.2.1', account: '' }, 'login failed'],
    ]);
    expect(await api('wrong4')).toEqual([...later, '60']);
    expect(await git('', 'wrong4')).toBe(429);
    // It was right once, so it is no guess.
    expect(await statusOf('old')).toBe(401);
    expect([await statusOf('right1'), await git('', 'right2'), await statusOf(undefined)]).toEqual([200, 403, 200]);
    expect(await statusOf('wrong3', '192.0.2.2')).toBe(401);
    expect((await total('switchyard_failed_logins_total')) - before).toBe(7);
    expect(warn).toHaveBeenCalledTimes(7);
    warn.mockRestore();
    expect(await total('switchyard_failed_logins_throttled_total')).toBeGreaterThanOrEqual(2);
  });

  it('of the addresses of one network are counted together', async () => {
    await start(scale);
    for (const last of [1, 2, 3]) expect(await statusOf('wrong', `2001:db8:0:1::${last}`)).toBe(401);
    expect(await statusOf('wrong', '2001:db8:0:1:ffff::4')).toBe(429);
    expect(await statusOf('wrong', '2001:db8:0:2::1')).toBe(401);
  });

  it('for an account are limited from wherever they come, and do not lock its owner out', async () => {
    await start(scale);
    expect(await git('ada', 'right', '192.0.2.9')).toBe(403);
    expect(await git('ada', 'wrong')).toBe(401);
    // The address has presented one wrong token, which is all it may for this account.
    expect([await git('Ada', 'wrong'), await git('bob', 'wrong')]).toEqual([429, 401]);
    expect(await git('ada', 'wrong', '192.0.2.2')).toBe(401);
    expect(await git('ada', 'wrong', '192.0.2.4')).toBe(429);
    expect([await git('ada', 'right1', '192.0.2.4'), await git('ada', 'right2')]).toEqual([403, 403]);
    expect(await git('eve', 'wrong', '192.0.2.4')).toBe(401);
    // Where the owner is known, no outsider's guesses are held against the account.
    expect(await git('ada', 'wrong', '192.0.2.9')).toBe(401);
  });

  it('for a name that is longer than any account count for their address alone', async () => {
    await start(scale);
    const name = 'a'.repeat(300);
    expect([await git(name, 'wrong1'), await git(name, 'wrong2'), await git(name, 'wrong3')]).toEqual([401, 401, 401]);
    expect(await git(name, 'wrong4')).toBe(429);
  });

  it('say nothing of a token that was sent as a name', async () => {
    await start(scale);
    const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
    await git('glpat-0123456789abcdefghij', 'x-oauth-basic');
    expect(warn.mock.calls).toEqual([[{ address: '192.0.2.1', account: 'glpa…' }, 'login failed']]);
    warn.mockRestore();
  });

  it('are not limited where limits are off', async () => {
    await start({ SWITCHYARD_APPLICATION_LIMITS: 0 });
    for (let tries = 0; tries < 5; tries += 1) expect(await git('ada', 'wrong')).toBe(401);
  });
});

describe('the throttle of an address counts', () => {
  const once = { SWITCHYARD_THROTTLE_UNAUTHENTICATED: { requests: 1, seconds: 60 } };
  const plain = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(gateway.url + path, { headers, redirect: 'manual' });
    await reply.text();
    return [reply.status, reply.headers.get('ratelimit-observed')];
  };

  it.each([
    ['a wrong token', '/api/v4/open', { 'PRIVATE-TOKEN': 'wrong' }, 401],
    ['a path that is none', '/api/v4/nothing', {}, 404],
    ['a path outside the API', '/nothing', {}, 404],
    ['a query that cannot be read', '/api/v4/open?a=%FF', {}, 400],
    ['what is not acceptable', '/api/v4/open', { Accept: 'application/xml' }, 406],
    ['git', '/group/project.git/info/refs?service=git-upload-pack', { Authorization: 'Bearer wrong' }, 401],
    ['the reference', '/docs/', {}, 200],
    ['the document', '/docs/openapi.json', {}, 200],
  ])('%s', async (_name, path, headers: Record<string, string>, status) => {
    await start(once);
    expect(await plain(path, headers)).toEqual([status, '1']);
    expect(await plain(path, headers)).toEqual([429, '2']);
    expect(await plain('/api/v4/open')).toEqual([429, '3']);
    expect(await plain('/-/liveness')).toEqual([200, null]);
  });

  it('a verb that a path does not have', async () => {
    await start(once);
    expect([
      await statusOf(undefined, '::1', '/open', 'PUT'),
      await statusOf(undefined, '::1', '/open', 'PUT'),
    ]).toEqual([405, 429]);
  });

  it('none of those who show a right token, whom their own counts', async () => {
    await start({ ...once, SWITCHYARD_THROTTLE_AUTHENTICATED: { requests: 2, seconds: 60 } });
    expect([await statusOf('right'), await git('ada', 'right'), await statusOf('right')]).toEqual([200, 403, 429]);
    expect(await statusOf(undefined)).toBe(200);
  });
});

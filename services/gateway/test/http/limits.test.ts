import type { FollowSettingsRequest } from '@switchyard/protos/groups_admin/v1/settings';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { type CallOptions, entity, page } from '@switchyard/rpc';
import { applicationLimits } from '../../src/http/rate-limits';
import { settingsRoutes } from '../../src/routes/groups-admin/settings.routes';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

const scale = 0.1;
const kindOf = { project: Access_Kind.KIND_PROJECT, group: Access_Kind.KIND_GROUP };
const empty = () => page([], { keyset: false, page: 1, perPage: 20, total: 0, hasNext: false });
const tooMany = { message: { error: 'This endpoint has been requested too many times. Try again later.' } };

describe('application limits (G-7-8, G-4.15-10, G-4.2-9)', () => {
  let gateway: TestGateway;
  let anonymously = false;

  beforeAll(async () => {
    gateway = await startTestGateway({
      config: { SWITCHYARD_APPLICATION_LIMITS: scale },
      access: ({ target }) =>
        resolved({
          ...(anonymously ? { actor: undefined } : {}),
          ...(target === undefined
            ? {}
            : { access: projectAccess({ kind: kindOf[target.$case], visibility: 'public', level: 50 }) }),
        }),
      // Replies are of no interest here; an empty page and a refusal of the handler both count as let through.
      otherwise: async () => empty(),
    });
  });
  afterAll(() => gateway.close());

  const count = async (
    path: string,
    token?: string,
    method = 'GET',
  ): Promise<{ passed: number; refused: Response }> => {
    let last = '';
    for (let passed = 0; passed < 500; passed += 1) {
      const response = await fetch(`${gateway.url}/api/v4${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { 'PRIVATE-TOKEN': token }),
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: '{"body":"x","title":"x"}' }),
      });
      if (response.status === 429) return { passed, refused: response };
      last = `${response.status} ${await response.text()}`;
    }
    throw new Error(`never refused: ${last}`);
  };

  it.each([
    ['groups_list', '/groups', 20],
    ['group', '/groups/1', 40],
    ['group_projects', '/groups/1/projects', 60],
    ['projects_list', '/projects', 200],
    ['project', '/projects/1', 40],
    ['user', '/users/1', 30],
    ['search', '/merge_requests?search=x', 3],
    ['search', '/groups/1/merge_requests?search=x', 0],
    ['search', '/projects/1/merge_requests?search=x', 0],
  ] as const)('%s holds for a signed-in user on %s', async (name, path, requests) => {
    anonymously = false;
    const { seconds } = applicationLimits[name];
    const { passed, refused } = await count(path, `glpat-limits-${path}`);
    // The three lists share one count.
    expect(passed).toBe(requests);
    expect(refused.headers.get('retry-after')).toBe(String(seconds));
    expect(await refused.json()).toEqual(tooMany);
  });

  it.each([
    ['projects_list', '/projects', 400],
    ['search', '/projects/1/merge_requests?search=x', 10],
  ] as const)('%s is stricter for an address without a token', async (_name, path, requests) => {
    anonymously = true;
    expect((await count(path)).passed).toBe(requests * scale);
  });

  it.each([
    ['issues_create', 300, ['/projects/1/issues', '/projects/2/issues']],
    ['uploads', 60, ['/projects/1/uploads', '/projects/2/uploads']],
    ['dependency_reports', 300, ['/projects/1/pipelines/1/artifacts', '/projects/2/pipelines/2/artifacts']],
  ] as const)('%s holds for those of a user to all projects together', async (name, requests, [first, second]) => {
    anonymously = false;
    const token = `glpat-limits-${name}`;
    expect((await count(first, token, 'POST')).passed).toBe(requests * scale);
    expect((await count(second, token, 'POST')).passed).toBe(0);
  });

  it('a list without a search is not counted', async () => {
    anonymously = false;
    expect(
      (await fetch(`${gateway.url}/api/v4/merge_requests`, { headers: { 'PRIVATE-TOKEN': 'glpat-x' } })).status,
    ).toBe(200);
  });
});

describe('limits that administrators set', () => {
  it('hold as soon as the gateway learns of them, throttles among them, and are shown', async () => {
    let learn = (_: unknown): void => undefined;
    const gateway = await startTestGateway({
      routes: [...kernelRoutes(async () => entity({})), ...settingsRoutes],
      access: () => resolved({ actor: actor({ admin: true }) }),
      otherwise: async () => entity({}),
      fakes: {
        'SettingsService/FollowSettings': ({ version }: FollowSettingsRequest, { signal }: CallOptions) =>
          new Promise((answer, refuse) => {
            if (version === 0) learn = answer;
            // A gateway that closes waits for its question to end.
            else signal?.addEventListener('abort', refuse, { once: true });
          }),
      },
    });
    const get = () => gateway.send('GET', '/open', { token: 'glpat-set' });
    expect((await get()).headers.get('ratelimit-limit')).toBeNull();
    const authenticatedApi = { enabled: true, requestsPerPeriod: 2, periodInSeconds: 60 };
    learn({ version: 1, limits: { authenticatedApi, application: { search_rate_limit: 4 } } });
    await new Promise(setImmediate);
    expect((await get()).headers.get('ratelimit-limit')).toBe('2');
    const shown = fetch(`${gateway.url}/api/v4/application/settings`, { headers: { 'PRIVATE-TOKEN': 'glpat-set' } });
    await (await shown).text();
    expect(gateway.calls.at(-1)?.request).toMatchObject({
      defaults: { authenticatedApi, application: { search_rate_limit: 4, search_rate_limit_unauthenticated: 10 } },
    });
    expect((await get()).status).toBe(429);
    await gateway.close();
  });
});

describe('whom an anonymous request is counted for', () => {
  const throttled = async (SWITCHYARD_TRUSTED_PROXIES: string | false) => {
    const gateway = await startTestGateway({
      routes: kernelRoutes(async () => entity({})),
      access: () => resolved({ actor: undefined }),
      config: { SWITCHYARD_TRUSTED_PROXIES, SWITCHYARD_THROTTLE_UNAUTHENTICATED: { requests: 1, seconds: 60 } },
    });
    const send = (from: string) => gateway.send('GET', '/open', { headers: { 'X-Forwarded-For': from } });
    const replies = [await send('203.0.113.1'), await send('203.0.113.2'), await send('203.0.113.1')];
    await gateway.close();
    return replies;
  };

  it('behind a trusted proxy: the address it forwards', async () => {
    const replies = await throttled('loopback');
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(replies[0]?.headers.get('ratelimit-limit')).toBe('1');
    expect(replies[0]?.headers.get('ratelimit-name')).toBe('throttle_unauthenticated_api');
    expect(replies[0]?.headers.has('ratelimit-resettime')).toBe(false);
    expect(replies[2]?.headers.has('ratelimit-resettime')).toBe(true);
  });

  it('a header of an outsider says nothing', async () => {
    expect((await throttled(false)).map(({ status }) => status)).toEqual([200, 429, 429]);
  });
});

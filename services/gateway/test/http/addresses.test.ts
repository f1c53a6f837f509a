import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, type CallOptions, entity } from '@switchyard/rpc';
import { group, project } from '../routes/groups-admin/samples';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

const ranges = ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'];
const inside = '192.0.2.9';
const outside = '203.0.113.5';

describe('ip_restriction_ranges (G-4.15-6)', () => {
  let gateway: TestGateway;
  let repositories: Server;
  let restricted = true;
  let level = 50;
  let fullPath = 'top';
  let gitProtocol: string | undefined;
  let moved = false;
  let serial = 0;
  let token = '';

  beforeAll(async () => {
    repositories = createServer((_request, response) => void response.end('refs'));
    await new Promise<void>((listening) => repositories.listen(0, '127.0.0.1', listening));
    gateway = await startTestGateway({
      config: { MERGE_REQUESTS_HTTP_URL: `http://127.0.0.1:${(repositories.address() as AddressInfo).port}` },
      access: ({ token: presented, target }: ResolveRequest) =>
        resolved({
          actor: presented === '' ? anonymous : actor({ scopes: ['api'] }),
          movedTo: moved ? 8 : 0,
          access:
            target === undefined || moved
              ? undefined
              : projectAccess({
                  kind: target.$case === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
                  visibility: 'public',
                  fullPath,
                  level,
                  gitProtocol,
                }),
          ...(restricted ? { addresses: { ranges } } : {}),
        }),
      fakes: {
        'GroupService/GetGroup': async () => entity(group),
        'GroupService/CreateGroup': async () => entity(group),
        'ProjectService/CreateProject': async () => entity(project),
        'GroupService/UpdateGroup': async () => entity(group),
        'ProjectService/GetProject': async () => entity(project),
        'MergeTrainService/WatchMergeTrain': async function* (_request: never, { signal }: CallOptions) {
          yield entity({});
          await new Promise((ended) => signal?.addEventListener('abort', ended));
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    repositories.close();
  });
  beforeEach(() => {
    [restricted, level, fullPath, gitProtocol, moved] = [true, 50, 'top', undefined, false];
    serial += 1;
    token = `glpat-of-addresses-${serial}`;
    gateway.calls.length = 0;
  });

  const send = (method: string, path: string, from: string, body?: unknown) =>
    gateway.send(method, path, { token, headers: { 'X-Forwarded-For': from }, ...(body ? { body } : {}) });
  const git = (from: string, given: { push?: boolean; anonymous?: boolean } = {}) =>
    fetch(`${gateway.url}/top/project.git/info/refs?service=git-${given.push ? 'receive' : 'upload'}-pack`, {
      headers: { 'X-Forwarded-For': from, ...(given.anonymous ? {} : { 'PRIVATE-TOKEN': token }) },
    });

  it('elsewhere projects and groups are as invisible as what does not exist, whatever their visibility', async () => {
    level = 40;
    for (const [path, noun] of [
      ['/projects/1', 'Project'],
      ['/groups/3', 'Group'],
      ['/groups/3/subgroups', 'Group'],
    ] as const) {
      expect(await send('GET', path, outside)).toMatchObject({
        status: 404,
        body: { message: `404 ${noun} Not Found` },
      });
    }
    expect((await send('PUT', '/groups/3', outside, { name: 'H' })).status).toBe(404);
    expect((await send('GET', '/projects/1', inside)).status).toBe(200);
    expect((await send('GET', '/projects/1', '2001:db8::5')).status).toBe(200);
    const services = gateway.calls.filter(({ rpc }) => !rpc.startsWith('AccessService')).map(({ rpc }) => rpc);
    expect(services).toEqual(['ProjectService/GetProject', 'ProjectService/GetProject']);
  });

  it('one cached answer is right for every address', async () => {
    const statuses: number[] = [];
    for (const from of [inside, outside, inside, outside])
      statuses.push((await send('GET', '/projects/1', from)).status);
    expect(statuses).toEqual([200, 404, 200, 404]);
    // What was refused was asked again; what was let in came from the cache.
    expect(gateway.calls.filter(({ rpc }) => rpc === 'AccessService/Resolve').length).toBeLessThanOrEqual(3);
  });

  it('the ranges themselves do not travel to the services', async () => {
    await send('GET', '/projects/1', inside);
    const [call] = gateway.calls.filter(({ rpc }) => rpc === 'ProjectService/GetProject');
    expect(JSON.stringify(call?.options)).not.toContain('192.0.2.0');
  });

  it('Owners reach the setting of a top-level group from everywhere, and nothing else', async () => {
    expect((await send('GET', '/groups/3', outside)).status).toBe(200);
    expect((await send('PUT', '/groups/3', outside, { ip_restriction_ranges: null })).status).toBe(200);
    expect((await send('GET', '/groups/3/projects', outside)).status).toBe(404);
    expect((await send('DELETE', '/groups/3', outside)).status).toBe(404);
    fullPath = 'top/child';
    token = `${token}-below`;
    expect((await send('GET', '/groups/4', outside)).status).toBe(404);
  });

  it('nothing is put into a group from elsewhere', async () => {
    for (const [method, path, body, rpc] of [
      ['POST', '/projects', { name: 'P', namespace_id: 3 }, 'ProjectService/CreateProject'],
      ['POST', '/groups', { name: 'G', path: 'g', parent_id: 3 }, 'GroupService/CreateGroup'],
    ] as const) {
      gateway.calls.length = 0;
      expect(await send(method, path, outside, body)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      });
      expect(gateway.calls.some((call) => call.rpc === rpc)).toBe(false);
      expect((await send(method, path, inside, body)).status).toBe(201);
    }
    expect((await send('POST', '/groups', outside, { name: 'G', path: 'g' })).status).toBe(201);
  });

  it('a path it had before does not lead there', async () => {
    moved = true;
    expect((await send('GET', '/projects/old%2Fpath', outside)).status).toBe(404);
    expect((await send('GET', '/projects/old%2Fpath', inside)).status).toBe(301);
  });

  it('git meets the answers of a private project', async () => {
    expect((await git(outside)).status).toBe(404);
    expect((await git(outside, { push: true })).status).toBe(404);
    expect((await git(outside, { anonymous: true })).status).toBe(401);
    expect((await git(inside)).status).toBe(200);
    expect((await git(inside, { push: true })).status).toBe(200);
  });

  it('git over HTTP is refused where the group allows SSH alone, and served where it allows HTTP (G-4.15-5)', async () => {
    gitProtocol = 'ssh';
    for (const push of [false, true]) {
      const reply = await git(inside, { push });
      expect([reply.status, await reply.text()]).toEqual([
        403,
        'Git access over HTTP is not allowed: the group of this project allows git over SSH only.\n',
      ]);
    }
    // Nothing is said to those who could not get in anyway.
    expect((await git(outside)).status).toBe(404);
    token = `${token}-other`;
    gitProtocol = 'http';
    expect((await git(inside)).status).toBe(200);
  });

  it('an event stream ends for the address that is shut out, and goes on for the other', async () => {
    restricted = false;
    const watch = async (from: string) => {
      const leaving = new AbortController();
      const response = await fetch(`${gateway.url}/api/v4/projects/1/merge_trains/main/events`, {
        headers: { 'PRIVATE-TOKEN': token, 'X-Forwarded-For': from },
        signal: leaving.signal,
      });
      const ended = response.text().then(
        () => 'ended' as const,
        () => 'left' as const,
      );
      return { status: response.status, ended, leave: () => leaving.abort() };
    };
    const [here, there] = [await watch(inside), await watch(outside)];
    expect([here.status, there.status]).toEqual([200, 200]);
    restricted = true;
    expect(await there.ended).toBe('ended');
    expect(await Promise.race([here.ended, pause(100, 'open')])).toBe('open');
    here.leave();
    expect((await watch(outside)).status).toBe(404);
  });
});

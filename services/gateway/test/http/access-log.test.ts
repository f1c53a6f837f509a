import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { entity } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

const canary = 'CanaryOfTheAccessLog';
let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  jest.spyOn(logger, 'info').mockImplementation((line: unknown, text?: unknown) => {
    if (text === 'request') lines.push(line as Record<string, unknown>);
  });
});
afterEach(() => jest.restoreAllMocks());

async function withGateway(
  accessLog: boolean,
  work: (gateway: TestGateway) => Promise<void>,
  config: object = {},
): Promise<void> {
  const gateway = await startTestGateway({
    config: { SWITCHYARD_ACCESS_LOG: accessLog, ...config },
    routes: kernelRoutes(async () => entity({})),
    access: () => resolved({ actor: actor({ userId: 7 }), access: projectAccess() }),
  });
  await work(gateway);
  await gateway.close();
}

it('has a line for each request but probes, with no value that was sent', () =>
  withGateway(true, async (gateway) => {
    await gateway.send('GET', `/projects/${canary}/things?labels=${canary}&private_token=${canary}`);
    await gateway.send('POST', '/projects/1/things', { token: canary, body: { name: canary, kind: canary } });
    await gateway.send('GET', `/nowhere/${canary}`, { headers: { 'X-Request-Id': 'chosen' } });
    await fetch(`${gateway.url}/${canary}/p.git/info/refs?service=git-upload-pack`);
    await fetch(`${gateway.url}/-/readiness`);
    await eventually(() => expect(lines).toHaveLength(4));
    expect(JSON.stringify(lines)).not.toContain(canary);
    const [list, created, nowhere, git] = lines;
    expect(list).toEqual({
      method: 'GET',
      route: '/projects/:id/things',
      status: 200,
      duration_ms: expect.any(Number),
      user_id: 7,
      request_id: expect.any(String),
    });
    expect(created).toMatchObject({ method: 'POST', route: '/projects/:id/things', status: 400, user_id: 7 });
    expect(nowhere).toMatchObject({ route: undefined, status: 404, request_id: 'chosen' });
    expect(git).toMatchObject({ route: '/*/info/refs', user_id: 7 });
  }));

it('is off by its setting', () =>
  withGateway(false, async (gateway) => {
    await gateway.send('GET', '/projects/1/things', { token: 'glpat-off' });
    expect(lines).toEqual([]);
  }));

it('says who ended a reply that is not whole, and no status before there is one', async () => {
  const replies: ServerResponse[] = [];
  const service = createServer((_request, response) => void replies.push(response)).listen(0, '127.0.0.1');
  await new Promise((settle) => service.once('listening', settle));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const work = async (gateway: TestGateway): Promise<void> => {
    const clone = (signal?: AbortSignal) =>
      fetch(`${gateway.url}/group/p.git/info/refs?service=git-upload-pack`, {
        headers: { 'PRIVATE-TOKEN': 'glpat-log' },
        ...(signal && { signal }),
      })
        .then((reply) => reply.text())
        .catch(() => undefined);
    const leaving = new AbortController();
    const left = clone(leaving.signal);
    await eventually(() => expect(replies).toHaveLength(1));
    leaving.abort();
    await left;
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ aborted: true });
    expect(lines[0]).not.toHaveProperty('status');
    const broken = clone();
    await eventually(() => expect(replies).toHaveLength(2));
    replies[1]?.writeHead(200, { 'content-length': '9' }).write('half', () => replies[1]?.destroy());
    await broken;
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines[1]).toMatchObject({ status: 200, broken_off: true });
    expect(lines[1]).not.toHaveProperty('aborted');
  };
  await withGateway(true, work, { MERGE_REQUESTS_HTTP_URL: url });
  service.closeAllConnections();
  await new Promise((settle) => service.close(settle));
});

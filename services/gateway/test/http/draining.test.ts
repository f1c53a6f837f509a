import { Agent, get, type IncomingMessage } from 'node:http';
import { entity } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { startTestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

const send = (url: string, agent: Agent) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/v4/open`, { agent, headers: { 'PRIVATE-TOKEN': 'glpat-draining' } }, (response) => {
      response.resume().once('end', () => resolve(response));
    }).once('error', reject);
  });

it('a gateway that drains answers what runs and what arrives on kept connections, and asks for a new connection', async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = true;
  const gateway = await startTestGateway({
    routes: kernelRoutes(async () => {
      if (held) await released;
      return entity({});
    }),
  });
  const [kept, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  held = false;
  expect((await send(gateway.url, kept)).headers.connection).toBe('keep-alive');
  held = true;
  const running = send(gateway.url, busy);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = gateway.close(2_000);
  held = false;
  const late = await send(gateway.url, kept);
  release();
  for (const response of [late, await running]) {
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
  }
  await closed;
  await expect(send(gateway.url, new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  kept.destroy();
  busy.destroy();
});

it('a gateway that has long to drain waits longer for requests on kept connections', async () => {
  const gateway = await startTestGateway({ routes: kernelRoutes(async () => entity({})) });
  const kept = new Agent({ keepAlive: true });
  await send(gateway.url, kept);
  const closed = gateway.close(32_000);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const late = await send(gateway.url, kept);
  expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
  await closed;
  kept.destroy();
});

it('a request that the end of the drain breaks off has a line in the log', async () => {
  const lines = jest.spyOn(logger, 'info');
  const gateway = await startTestGateway({
    routes: kernelRoutes(() => new Promise(() => undefined)),
    config: { SWITCHYARD_ACCESS_LOG: true },
  });
  const broken = new Promise<Error>((resolve) => {
    get(`${gateway.url}/api/v4/open`, { headers: { 'PRIVATE-TOKEN': 'glpat-draining' } }).once('error', resolve);
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await gateway.close(100);
  expect(lines.mock.calls.map(([line]) => line)).toEqual([
    expect.objectContaining({ method: 'GET', route: '/open', broken_off: true }),
  ]);
  expect(await broken).toMatchObject({ code: 'ECONNRESET' });
  lines.mockRestore();
});

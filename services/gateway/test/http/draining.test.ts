import { Agent, get, type IncomingMessage } from 'node:http';
import { entity } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { startTestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

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
  const send = (agent: Agent) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`${gateway.url}/api/v4/open`, { agent, headers: { 'PRIVATE-TOKEN': 'glpat-draining' } }, (response) => {
        response.resume().once('end', () => resolve(response));
      }).once('error', reject);
    });
  const [kept, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  held = false;
  expect((await send(kept)).headers.connection).toBe('keep-alive');
  held = true;
  const running = send(busy);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = gateway.close(2_000);
  held = false;
  const late = await send(kept);
  release();
  for (const response of [late, await running]) {
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
  }
  await closed;
  await expect(send(new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  kept.destroy();
  busy.destroy();
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

import { generateKeyPairSync } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { type RunningService, type ServiceParts, startService } from '@switchyard/service';
import { eventually } from '@switchyard/testkit';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const context = { signer: { name: 'gateway', key: privateKey }, trusted: new Map([['gateway', publicKey]]) };
const config = {
  HOST: '127.0.0.1',
  GRPC_PORT: 0,
  HTTP_PORT: 0,
  SWITCHYARD_DRAIN_SECONDS: 1,
  SWITCHYARD_IDENTITY_KEY_FILE: '',
  SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: '',
};

let service: RunningService | undefined;
afterEach(() => service?.close());

const start = async (parts: Partial<ServiceParts> = {}) => {
  service = await startService(config, context, { services: [], close: async () => undefined, ...parts });
  const address = `http://127.0.0.1:${service.httpPort}`;
  return { service, get: (path: string) => fetch(`${address}${path}`) };
};

test('liveness, readiness and metrics are served', async () => {
  const { get } = await start();
  expect((await get('/-/liveness')).status).toBe(200);
  expect((await get('/-/readiness')).status).toBe(200);
  expect(await (await get('/metrics')).text()).toContain('process_cpu_seconds_total');
  expect((await get('/elsewhere')).status).toBe(404);
});

test('readiness follows the service, liveness does not', async () => {
  const { get } = await start({
    ready: async () => {
      throw new Error('no database');
    },
  });
  expect((await get('/-/readiness')).status).toBe(503);
  expect((await get('/-/liveness')).status).toBe(200);
});

test('a service answers every other path by itself', async () => {
  const { get } = await start({ http: (request, response) => response.end(`own ${request.url}`) });
  expect(await (await get('/group/project.git/info/refs?service=x')).text()).toBe(
    'own /group/project.git/info/refs?service=x',
  );
});

test('it stops in order: waits end, requests finish, then pools close; once', async () => {
  const order: string[] = [];
  const { service: running, get } = await start({
    start: async () => void order.push('started'),
    drain: () => order.push('drained'),
    http: (_request, response) => setTimeout(() => response.end(order.push('answered').toString()), 100),
    close: async () => void order.push('closed'),
  });
  const pending = get('/slow');
  await new Promise((resolve) => setTimeout(resolve, 30));
  await Promise.all([running.close(), running.close()]);
  expect((await pending).status).toBe(200);
  expect(order).toEqual(['started', 'drained', 'answered', 'closed']);
  await expect(get('/-/liveness')).rejects.toThrow();
});

test('replies that begin while it stops end their connection', async () => {
  let answer: (() => void) | undefined;
  const { service: running, get } = await start({
    http: (request, response) => {
      if (request.url === '/quick') response.end();
      else answer = () => response.end();
    },
  });
  expect((await get('/quick')).headers.get('connection')).toBe('keep-alive');
  const pending = get('/slow');
  await eventually(() => expect(answer).toBeDefined());
  const closing = running.close();
  answer?.();
  expect((await pending).headers.get('connection')).toBe('close');
  await closing;
});

test('requests that have not ended once SWITCHYARD_DRAIN_SECONDS are over are broken off', async () => {
  let asked = false;
  const { service: running, get } = await start({
    http: () => {
      asked = true;
    },
  });
  const pending = get('/never').catch((error: Error) => error.message);
  await eventually(() => expect(asked).toBe(true));
  const began = performance.now();
  await running.close();
  expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  expect(await pending).toBe('fetch failed');
});

test.each([
  ['GRPC_PORT', (taken: number) => ({ GRPC_PORT: taken })],
  ['HTTP_PORT', (taken: number) => ({ HTTP_PORT: taken })],
  ['HOST', () => ({ HOST: '192.0.2.1' })],
])('%s that cannot be listened on ends the start with one line that names it', async (variable, changed) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const parts = { services: [], close: async () => undefined };
  const started = startService({ ...config, ...changed(port) }, context, parts);
  await expect(started).rejects.toThrow(new RegExp(`^${variable}: listen EADDR[^\\n]+$`));
  other.close();
});

import { promises as dns } from 'node:dns';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { request, trusted, workPeer, workService } from './support/work-service';

const resolveEveryMs = 100;

/** What the name of the service resolves to: addresses of this machine, as the pods behind a headless service. */
let addresses: string[] = [];
const replicas = new Map<string, RunningServer>();
let port = 0;
let peer: ReturnType<typeof workPeer>;
/** Addresses of the replicas in the order of the calls they took. */
let taken: string[] = [];
let calls = 0;

async function startReplica(host: string): Promise<void> {
  const server = await startServer({
    services: [
      workService(async () => {
        taken.push(host);
      }),
    ],
    trusted,
    host,
    port,
  });
  port = server.port;
  replicas.set(host, server);
  addresses.push(host);
}

/** Kubernetes takes the address away when the pod begins to stop; a pod of the charts waits then. */
async function stopReplica(host: string, graceMs: number): Promise<void> {
  addresses = addresses.filter((one) => one !== host);
  if (graceMs > 0) await pause(20 * resolveEveryMs);
  await replicas.get(host)?.close(graceMs);
}

const work = (options: { idempotent?: boolean } = {}) =>
  peer.client.work(request('t'), { requestId: `r${calls++}`, ...options });

/** Share of each replica in the next calls. */
async function shares(count: number): Promise<Record<string, number>> {
  taken = [];
  await Promise.all(Array.from({ length: count }, () => work()));
  return Object.fromEntries(
    [...new Set(taken)].map((host) => [host, taken.filter((one) => one === host).length / count]),
  );
}

beforeEach(async () => {
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation((async () => addresses.map((address) => ({ address, family: 4 }))) as never);
  await startReplica('127.0.0.1');
  await startReplica('127.0.0.2');
  peer = workPeer(`switchyard-packages.test:${port}`, 'gateway', resolveEveryMs);
});
afterEach(async () => {
  peer.close();
  await Promise.all([...replicas.values()].map((server) => server.close(0)));
  replicas.clear();
  [addresses, port] = [[], 0];
  jest.restoreAllMocks();
});

test('replicas share the calls evenly, and one that comes gets its share', async () => {
  await work();
  await eventually(async () => expect(Object.values(await shares(100))).toEqual([0.5, 0.5]), { within: 10_000 });
  await startReplica('127.0.0.3');
  await eventually(async () => expect(Object.keys(await shares(99))).toHaveLength(3), { within: 10_000 });
});

/** Calls in parallel for a while; `meanwhile` begins in the middle. Returns what failed. */
async function failuresDuring(meanwhile: () => Promise<void>, call: () => Promise<unknown>): Promise<unknown[]> {
  const failures: unknown[] = [];
  let running: Promise<void> | undefined;
  const until = Date.now() + 4_000;
  while (Date.now() < until) {
    if (Date.now() > until - 3_500) running ??= meanwhile();
    await Promise.all(Array.from({ length: 8 }, () => call().catch((error: unknown) => failures.push(error))));
  }
  await running;
  return failures;
}

test('a replica that drains costs no call, not even one that may not be repeated', async () => {
  expect(
    await failuresDuring(
      () => stopReplica('127.0.0.2', 5_000),
      () => work(),
    ),
  ).toEqual([]);
});

test('a replica that dies costs no call that may be repeated', async () => {
  expect(
    await failuresDuring(
      () => stopReplica('127.0.0.2', 0),
      () => work({ idempotent: true }),
    ),
  ).toEqual([]);
});

test('replicas that have all been replaced since the last look are found by the next call', async () => {
  peer.close();
  peer = workPeer(`switchyard-packages.test:${port}`, 'gateway', 600_000);
  await work();
  await startReplica('127.0.0.3');
  await stopReplica('127.0.0.1', 0);
  await stopReplica('127.0.0.2', 0);
  await eventually(async () => expect(await shares(8)).toEqual({ '127.0.0.3': 1 }), { within: 2_000 });
});

import { type ChildProcess, spawn } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@switchyard/rpc';
import { eventually, signalOf } from '@switchyard/testkit';
import { request, trusted, workPeer, workService } from './support/work-service';

/** Two processes at one name: this one, and one that is made to hang. */

const [here, there] = ['127.0.0.1', '127.0.0.2'];
let taken: string[] = [];
let work: (token: string) => Promise<unknown> = async () => undefined;
let server: RunningServer;
let child: ChildProcess;
const peers: ReturnType<typeof workPeer>[] = [];

const peerAt = (host: string) => {
  const peer = workPeer(`${host}:${server.port}`);
  peers.push(peer);
  return (token = 't', idempotent = true) => peer.client.work(request(token), { requestId: 'r', idempotent });
};

beforeAll(async () => {
  const service = workService(async (token) => {
    taken.push(token);
    await work(token);
  });
  server = await startServer({ services: [service], trusted, host: here, port: 0 });
  const key = (trusted.get('gateway') as KeyObject).export({ type: 'spki', format: 'pem' });
  const register = join(__dirname, '../../testkit/jest/register-ts.cjs');
  child = spawn(
    process.execPath,
    ['--require', register, join(__dirname, 'support/work-process.ts'), there, String(server.port), String(key)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
});
beforeEach(() => {
  taken = [];
});
afterEach(() => {
  child.kill('SIGCONT');
  work = async () => undefined;
  jest.restoreAllMocks();
});
afterAll(async () => {
  for (const { close } of peers) close();
  child.kill('SIGKILL');
  await signalOf(child);
  await server.close(0);
});

test('a call that may be repeated is given up where a process hangs, and waited for where one is slow', async () => {
  const [slow, hung] = [peerAt(here), peerAt(there)];
  await Promise.all([slow(), hung()]);
  let finish = (): void => undefined;
  work = () => new Promise<void>((resolve) => (finish = resolve));
  const answer = slow('slow');
  await eventually(() => expect(taken).toEqual(['t', 'slow']));
  child.kill('SIGSTOP');
  await expect(hung()).rejects.toMatchObject({ kind: 'unavailable', cause: { details: 'Not acknowledged' } });
  finish();
  await answer;
  child.kill('SIGCONT');
  await eventually(() => hung(), { within: 10_000 });
});

test('while one of two processes hangs the other one answers, at once after the first silence', async () => {
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation((async () => [here, there].map((address) => ({ address, family: 4 }))) as never);
  const call = peerAt('switchyard-packages.test');
  const several = (idempotent: boolean) => Promise.all(Array.from({ length: 8 }, () => call('t', idempotent)));
  await eventually(async () => {
    taken = [];
    await several(true);
    expect(taken).toHaveLength(4);
  });
  child.kill('SIGSTOP');
  const since = Date.now();
  await several(true);
  // Later the connection is found to be dead.
  expect(Date.now() - since).toBeLessThan(4_500);
  taken = [];
  await several(false);
  expect(taken).toHaveLength(8);
});

import { once } from 'node:events';
import { AppError } from '@switchyard/errors';
import { type CallContext, connect, type RunningServer, type Sibling, startServer } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { request, signerOf, trusted, workPeer, workService } from './support/work-service';

/** Two processes of a service, each of which has the other one answer what does not begin with its own name. */

const names = ['one', 'two'] as const;
const servers = new Map<string, RunningServer>();
const siblings = new Map<string, Sibling>();
let taken: string[] = [];
let contexts: CallContext[] = [];
let peer: ReturnType<typeof workPeer>;

beforeAll(async () => {
  for (const name of names) {
    const service = workService(async (token, context) => {
      taken.push(`${name}: ${token}`);
      contexts.push(context);
      if (token.includes('fails')) throw new AppError('conflict', 'Not so');
      if (token.includes('hangs')) await once(context.signal, 'abort');
    });
    const other = name === 'one' ? 'two' : 'one';
    const elsewhere = async (given: object) =>
      (given as { token: string }).token.startsWith(name) ? undefined : siblings.get(other)?.relay;
    const options = { trusted, host: '127.0.0.1', port: 0, slots: 1 };
    servers.set(name, await startServer({ ...options, services: [{ ...service, elsewhere }] }));
  }
  for (const name of names) siblings.set(name, connect(`127.0.0.1:${servers.get(name)?.port}`, signerOf('packages')));
  peer = workPeer(`127.0.0.1:${servers.get('one')?.port}`);
});
afterAll(async () => {
  peer.close();
  for (const one of siblings.values()) one.close();
  for (const one of servers.values()) await one.close(100);
});
beforeEach(() => {
  taken = [];
  contexts = [];
});

const actor = { userId: 7, username: 'ada', admin: false, external: false, scopes: ['api'], tokenId: 1 };
const work = (token: string, signal?: AbortSignal) =>
  peer.client.work(request(token), { requestId: 'r', actor, ...(signal && { signal }) });

test('a call is answered by the process that it is for, with the claims of who made it', async () => {
  await work('one');
  await work('two');
  expect(taken).toEqual(['one: one', 'two: two']);
  expect(contexts.map(({ caller, actor: { userId } }) => [caller, userId])).toEqual([
    ['gateway', 7],
    ['gateway', 7],
  ]);
});

test('a call that two processes give to each other is answered by the second', async () => {
  await work('three');
  expect(taken).toEqual(['two: three']);
});

test('a refusal arrives as it was made', async () => {
  await expect(work('two fails')).rejects.toMatchObject({ kind: 'conflict', body: { message: 'Not so' } });
});

test('a call ends with its caller', async () => {
  const leaving = new AbortController();
  const call = work('two hangs', leaving.signal);
  await eventually(() => expect(taken).toEqual(['two: two hangs']));
  leaving.abort();
  await expect(call).rejects.toMatchObject({ kind: 'unavailable' });
  await eventually(() => expect(contexts[0]?.signal.aborted).toBe(true));
});

test('processes with one slot each relay to each other at the same time', async () => {
  const second = workPeer(`127.0.0.1:${servers.get('two')?.port}`);
  const call = (token: string) => second.client.work(request(token), { requestId: 'r', actor });
  await Promise.all(Array.from({ length: 10 }, (_, at) => [work(`two ${at}`), call(`one ${at}`)]).flat());
  expect(taken).toHaveLength(20);
  second.close();
});

import { once } from 'node:events';
import { createServer as httpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { AppError } from '@switchyard/errors';
import { type CallContext, connect, type RunningServer, type Sibling, startServer } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { relayRequest } from '../src/relay-request';
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

describe('a forwarded request', () => {
  /** What it fails with when it is relayed to a process. @param port of its HTTP server and, where it `hangs`, its gRPC server */
  async function failureOf(host: string, port: number, hangs = false): Promise<unknown> {
    const sibling = connect(`${host}:${port}`, signerOf('packages'));
    const to = { http: `http://${host}:${port}`, sibling: hangs ? sibling : { reach: async () => undefined } };
    let failure: unknown;
    const here = httpServer((asked, response) => {
      relayRequest(to, asked, response).catch((error: unknown) => {
        failure = error;
        response.end();
      });
    });
    await once(here.listen(0, '127.0.0.1'), 'listening');
    await fetch(`http://127.0.0.1:${(here.address() as AddressInfo).port}/`);
    sibling.close();
    here.close();
    return failure;
  }

  test('was not begun where the process cannot be reached', async () => {
    // No connection to the address of all: ENETUNREACH.
    expect(await failureOf('255.255.255.255', 9)).toMatchObject({ kind: 'unavailable', begun: false });
  });

  test.each([
    ['was not begun where the process takes connections and hangs', true, false],
    ['may have begun where the process goes away', false, true],
  ])('%s', async (_, hangs, begun) => {
    const other = createServer((socket) => {
      socket.on('error', () => undefined);
      if (!hangs) socket.once('data', () => socket.destroy());
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const failure = await failureOf('127.0.0.1', (other.address() as AddressInfo).port, hangs);
    expect(failure).toMatchObject({ kind: 'unavailable', begun });
    other.close();
  });
});

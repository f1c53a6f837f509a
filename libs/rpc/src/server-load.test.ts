import { generateKeyPairSync } from 'node:crypto';
import { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { Representation } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import {
  type CallContext,
  connect,
  entity,
  implement,
  type RunningServer,
  startServer,
  type WriteGuard,
} from './index';

const signers = new Map(['gateway', 'packages'].map((name) => [name, generateKeyPairSync('ed25519')]));
const trusted = new Map([...signers].map(([name, { publicKey }]) => [name, publicKey]));

const definition = {
  work: {
    path: '/switchyard.test.v1.ThingService/Work',
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: ResolveRequest) => Buffer.from(ResolveRequest.encode(value).finish()),
    requestDeserialize: (bytes: Buffer) => ResolveRequest.decode(bytes),
    responseSerialize: (value: Representation) => Buffer.from(Representation.encode(value).finish()),
    responseDeserialize: (bytes: Buffer) => Representation.decode(bytes),
  },
};
const request = (token: string) => ResolveRequest.fromPartial({ token });

describe('a server with more calls than places', () => {
  let server: RunningServer;
  let work: (token: string, context: CallContext) => Promise<unknown>;
  let guard: WriteGuard = (_refuseLate, run) => run();
  let begun: string[] = [];
  const open: { close(): void }[] = [];

  const client = (name: string) => {
    const peer = connect(`127.0.0.1:${server.port}`, { name, key: signers.get(name)?.privateKey as never });
    open.push(peer);
    return peer.client(definition);
  };
  const call = (name: string, token: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    client(name).work(request(token), { requestId: token, ...options });

  beforeAll(async () => {
    server = await startServer({
      services: [
        implement(
          definition,
          {
            work: async ({ token }, context) => {
              begun.push(token);
              await work(token, context);
              return entity({});
            },
          },
          { work: { callers: ['gateway', 'packages'] } },
        ),
      ],
      trusted,
      host: '127.0.0.1',
      port: 0,
      slots: 1,
      guardWrites: (refuseLate, run) => guard(refuseLate, run),
    });
  });
  beforeEach(() => {
    begun = [];
    guard = (_refuseLate, run) => run();
  });
  afterAll(async () => {
    for (const peer of open) peer.close();
    await server.close(1_000);
  });

  it('lets them wait, but not for what follows from them', async () => {
    work = async (token) => {
      if (token !== 'inner') await call('packages', 'inner');
    };
    await Promise.all([call('gateway', 'one'), call('gateway', 'two')]);
    expect(begun).toEqual(['one', 'inner', 'two', 'inner']);
  });

  it('does not begin work whose caller no longer waits', async () => {
    let end = (): void => undefined;
    work = (token) => (token === 'first' ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve());
    const first = call('gateway', 'first');
    await eventually(() => expect(begun).toEqual(['first']));
    await expect(call('gateway', 'late', { timeoutMs: 200 })).rejects.toMatchObject({ kind: 'unavailable' });
    end();
    await first;
    await call('gateway', 'last');
    expect(begun).toEqual(['first', 'last']);
  });

  it('refuses the first write in the second half of the time that a call has', async () => {
    const refusals: unknown[] = [];
    guard = async (refuseLate, run) => {
      refuseLate();
      const result = await run();
      try {
        refuseLate();
      } catch (error) {
        refusals.push(error);
      }
      return result;
    };
    work = () => new Promise((resolve) => setTimeout(resolve, 700));
    await call('gateway', 'in time', { timeoutMs: 60_000 });
    expect(refusals).toEqual([]);
    await call('gateway', 'late', { timeoutMs: 1_300 }).catch(() => undefined);
    await eventually(() => expect(refusals).toEqual([expect.objectContaining({ kind: 'unavailable' })]));
  });
});

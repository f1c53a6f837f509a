import { AppError } from '@switchyard/errors';
import {
  begunNoter,
  type CallContext,
  type RunningServer,
  startServer,
  trackBegun,
  type WriteGuard,
} from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { request, trusted, workPeer, workService } from './support/work-service';

describe('a server with more calls than places', () => {
  let server: RunningServer;
  let work: (token: string, context: CallContext) => Promise<unknown>;
  let guard: WriteGuard = (_call, run) => run();
  let begun: string[] = [];
  const open: { close(): void }[] = [];

  const client = (name: string) => {
    const peer = workPeer(`127.0.0.1:${server.port}`, name);
    open.push(peer);
    return peer.client;
  };
  const call = (name: string, token: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    client(name).work(request(token), { requestId: token, ...options });

  beforeAll(async () => {
    server = await startServer({
      services: [
        workService((token, context) => {
          begun.push(token);
          return work(token, context);
        }),
      ],
      trusted,
      host: '127.0.0.1',
      port: 0,
      slots: 1,
      guardWrites: (bounds, run) => guard(bounds, run),
    });
  });
  beforeEach(() => {
    begun = [];
    guard = (_call, run) => run();
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
    guard = async ({ refuseLate }, run) => {
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

  it.each([
    ['unavailable', 'has begun', true],
    ['unavailable', 'has not begun', false],
    ['rate_limited', 'has begun', true],
    ['request_timeout', 'has begun', true],
    ['rate_limited', 'has not begun', false],
  ] as const)('what fails with %s after a peer that %s anything says so', async (kind, _name, begins) => {
    work = async (token) => {
      if (token === 'outer') {
        await call('packages', 'inner');
        throw new AppError(kind);
      }
      if (begins) begunNoter()();
    };
    await expect(call('gateway', 'outer')).rejects.toMatchObject({
      kind: begins ? 'unavailable' : kind,
      begun: begins,
    });
    expect(await trackBegun(() => call('packages', 'inner'))).toMatchObject({ begun: begins });
  });
});

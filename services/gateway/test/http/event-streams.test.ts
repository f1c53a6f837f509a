import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { notFound, unavailable } from '@switchyard/errors';
import type { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { type CallOptions, entity } from '@switchyard/rpc';
import { metrics } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

const path = '/api/v4/projects/1/merge_trains/main/events';
const rpc = 'MergeTrainService/WatchMergeTrain';

/** A train that a test changes, and a gateway over it. */
async function scene(config = {}) {
  const calls = { open: 0, opened: 0, text: 'one', failure: undefined as Error | undefined };
  const users = new Map<string, { refused?: Token; level?: number; projectId?: number }>();
  let wake: (() => void)[] = [];
  let ending = false;
  const gateway: TestGateway = await startTestGateway({
    config,
    access: ({ token }: ResolveRequest) => {
      const { refused, level = 30, projectId = 1 } = users.get(token) ?? {};
      const userId = 100 + Number(/\d+$/.exec(token)?.[0] ?? 0);
      return resolved({
        actor: actor({ userId }),
        access: level === 0 ? undefined : projectAccess({ level, id: projectId }),
        ...(refused === undefined ? {} : { tokenRefusal: refused, actor: undefined, access: undefined }),
      });
    },
    fakes: {
      [rpc]: async function* (_request: never, { signal }: CallOptions) {
        calls.open += 1;
        calls.opened += 1;
        try {
          for (;;) {
            if (calls.failure !== undefined) throw calls.failure;
            if (ending) return;
            yield entity({ text: calls.text });
            await new Promise<void>((settle) => {
              wake.push(settle);
              if (signal !== undefined) signal.onabort = () => settle();
            });
            if (signal?.aborted) throw unavailable();
          }
        } finally {
          calls.open -= 1;
        }
      },
    },
  });
  const push = (): void => {
    for (const one of wake.splice(0)) one();
  };
  const change = (text: string): void => {
    calls.text = text;
    push();
  };
  const end = (failure?: Error): void => {
    calls.failure = failure;
    ending = failure === undefined;
    push();
    ending = false;
  };
  async function watch(token = 'glpat-watcher-1') {
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}${path}`, {
      headers: { 'PRIVATE-TOKEN': token },
      signal: leaving.signal,
    });
    let text = '';
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += decoder.decode(chunk);
      return 'ended';
    })().catch(() => 'broken off');
    const got = () => [...text.matchAll(/^event: train\ndata: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data!).text);
    return { response, ended, got, text: () => text, leave: () => leaving.abort() };
  }
  wake = [];
  return { gateway, calls, users, change, end, watch };
}

const gaugeOf = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.metrics())?.[1]);

let made: Awaited<ReturnType<typeof scene>> | undefined;
async function start(config = {}) {
  made = await scene(config);
  return made;
}
afterEach(async () => {
  await made?.gateway.close();
  made = undefined;
});

it('all who watch a train share one call, and each gets every change (8, D3)', async () => {
  const { calls, change, watch, gateway } = await start();
  const watchers = await Promise.all(Array.from({ length: 60 }, (_, n) => watch(`glpat-watcher-${n}`)));
  for (const { response } of watchers) {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
  }
  await eventually(() => expect(watchers.every(({ got }) => got().join() === 'one')).toBe(true));
  change('two');
  await eventually(() => expect(watchers.every(({ got }) => got().join() === 'one,two')).toBe(true));
  const late = await watch();
  await eventually(() => expect(late.got()).toEqual(['two']));
  expect([calls.opened, await gaugeOf('switchyard_event_streams')]).toEqual([1, 61]);
  const call = gateway.calls.find((one) => one.rpc === rpc);
  expect(call?.request).toEqual({ projectId: 1, targetBranch: 'main' });
  expect(call?.options).toMatchObject({ access: { id: 1 }, timeoutMs: expect.any(Number) });
  for (const { leave } of [...watchers, late]) leave();
  await eventually(async () => expect([calls.open, await gaugeOf('switchyard_event_streams')]).toEqual([0, 0]));
  expect(await gaugeOf('switchyard_event_subjects')).toBe(0);
  const again = await watch();
  await eventually(() => expect(again.got()).toEqual(['two']));
  again.leave();
});

it.each([
  ['a revoked token', { refused: Token.TOKEN_REFUSAL_REVOKED }, 401],
  ['a lost membership', { level: 0 }, 404],
  ['a lower role', { level: 10 }, 403],
  ['another project in the place of the one in the path', { projectId: 2 }, 200],
])('%s ends its stream within five seconds, and no other', async (_what, left, status) => {
  const { users, change, watch } = await start();
  const [one, other] = [await watch('glpat-watcher-1'), await watch('glpat-watcher-2')];
  await eventually(() => expect([one.got(), other.got()]).toEqual([['one'], ['one']]));
  const since = Date.now();
  users.set('glpat-watcher-1', left);
  expect(await one.ended).toBe('ended');
  expect(Date.now() - since).toBeLessThan(5_000);
  change('two');
  await eventually(() => expect(other.got()).toEqual(['one', 'two']));
  expect(one.got()).toEqual(['one']);
  const again = await watch('glpat-watcher-1');
  expect(again.response.status).toBe(status);
  again.leave();
  other.leave();
});

it('asks one question for all streams of a token, and those of many tokens in few calls', async () => {
  const { gateway, watch } = await start();
  const tokens = Array.from({ length: 20 }, (_, n) => `glpat-watcher-${n}`);
  const watchers = await Promise.all([...tokens, ...tokens].map((token) => watch(token)));
  const before = gateway.calls.length;
  await pause(3_400);
  const asked = gateway.calls.slice(before).filter((one) => one.rpc === 'AccessService/ResolveAll');
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThan(18);
  const questions = asked.flatMap(({ request }) => (request as { questions: { token: string }[] }).questions);
  expect(new Set(questions.map(({ token }) => token))).toEqual(new Set(tokens));
  expect(questions.length).toBeLessThanOrEqual(2 * tokens.length);
  expect(gateway.calls.slice(before).some((one) => one.rpc === 'AccessService/Resolve')).toBe(false);
  for (const { leave } of watchers) leave();
});

it('streams are bounded for a user (429)', async () => {
  const { watch } = await start({ SWITCHYARD_APPLICATION_LIMITS: 0.02 });
  const two = [await watch(), await watch()];
  const refused = await watch();
  expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '30']);
  const other = await watch('glpat-watcher-2');
  expect(other.response.status).toBe(200);
  two[0]?.leave();
  await eventually(async () => {
    const again = await watch();
    expect(again.response.status).toBe(200);
    again.leave();
  });
  for (const { leave } of [...two, other]) leave();
});

it('what the service answers instead of a first event is the reply; a failure later ends the streams', async () => {
  const { calls, end, watch } = await start();
  calls.failure = notFound('Project');
  expect((await watch()).response.status).toBe(404);
  calls.failure = unavailable();
  expect((await watch()).response.status).toBe(503);
  calls.failure = undefined;
  const [one, two] = [await watch(), await watch('glpat-watcher-2')];
  await eventually(() => expect([one.got(), two.got()]).toEqual([['one'], ['one']]));
  end(unavailable());
  expect(await Promise.all([one.ended, two.ended])).toEqual(['ended', 'ended']);
  calls.failure = undefined;
  const again = await watch();
  await eventually(() => expect(again.got()).toEqual(['one']));
  again.leave();
});

it('a gateway that stops ends its streams in order, and at once', async () => {
  const { gateway, watch, calls } = await start();
  const watchers = [await watch(), await watch()];
  await eventually(() => expect(watchers.every(({ got }) => got().length === 1)).toBe(true));
  const since = Date.now();
  await gateway.close(6_000);
  expect(Date.now() - since).toBeLessThan(3_000);
  expect(await Promise.all(watchers.map(({ ended }) => ended))).toEqual(['ended', 'ended']);
  expect(calls.open).toBe(0);
});

/** Opens a stream on a socket that a test reads, or does not. */
async function rawWatch(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: glpat-watcher-7\r\n\r\n`);
  return socket;
}

it('a reader that is slow gets the newest event, not those between; one that does not read is dropped', async () => {
  const { gateway, change } = await start();
  const [prompt, slow, dead] = [await rawWatch(gateway.url), await rawWatch(gateway.url), await rawWatch(gateway.url)];
  const read = { prompt: { bytes: 0, end: '' }, slow: { bytes: 0, end: '' } };
  for (const [socket, into] of [[prompt, read.prompt] as const, [slow, read.slow] as const])
    socket.on('data', (chunk) => {
      into.bytes += chunk.length;
      into.end = (into.end + chunk.subarray(-64)).slice(-64);
    });
  await eventually(async () => expect(await gaugeOf('switchyard_event_streams')).toBe(3));
  slow.pause();
  dead.pause();
  const long = 'x'.repeat(1 << 20);
  for (let n = 0; n < 40; n += 1) {
    change(`${long} ${n}`);
    await eventually(() => expect(read.prompt.end).toContain(`x ${n}"}`), { every: 2 });
  }
  expect(read.prompt.bytes).toBeGreaterThan(40 << 20);
  slow.resume();
  await eventually(() => expect(read.slow.end).toContain('x 39"}'));
  expect(read.slow.bytes).toBeLessThan(20 << 20);
  await eventually(async () => expect(await gaugeOf('switchyard_event_streams')).toBe(2), { within: 15_000 });
  for (const one of [prompt, slow, dead]) one.destroy();
});

it('10,000 watchers that open and vanish leave nothing behind (bad input)', async () => {
  const { gateway, calls } = await start({ SWITCHYARD_APPLICATION_LIMITS: 0 });
  for (let round = 0; round < 50; round += 1) {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => rawWatch(gateway.url)));
    // Half of them before they have been answered.
    if (round % 2 === 0) await Promise.all(sockets.map((one) => new Promise((settle) => one.once('data', settle))));
    for (const one of sockets) one.destroy();
  }
  await eventually(async () => expect([calls.open, await gaugeOf('switchyard_event_streams')]).toEqual([0, 0]), {
    within: 20_000,
  });
  expect(await gaugeOf('switchyard_event_subjects')).toBe(0);
}, 120_000);

it('streams are bounded for the process (503)', async () => {
  const { gateway, watch } = await start({ SWITCHYARD_APPLICATION_LIMITS: 0 });
  const sockets: Socket[] = [];
  while (sockets.length < 2_000) {
    const some = await Promise.all(Array.from({ length: 200 }, () => rawWatch(gateway.url)));
    await Promise.all(some.map((one) => new Promise((settle) => one.once('data', settle))));
    sockets.push(...some);
  }
  const refused = await watch('glpat-watcher-2');
  expect([refused.response.status, Number(refused.response.headers.get('retry-after'))]).toEqual([
    503,
    expect.any(Number),
  ]);
  sockets.pop()?.destroy();
  await eventually(async () => {
    const again = await watch('glpat-watcher-2');
    expect(again.response.status).toBe(200);
    again.leave();
  });
  for (const one of sockets) one.destroy();
});

it('a stream is timed until it begins, and a HEAD has no body', async () => {
  const { gateway, watch } = await start();
  const head = await fetch(`${gateway.url}${path}`, {
    method: 'HEAD',
    headers: { 'PRIVATE-TOKEN': 'glpat-watcher-1' },
  });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const one = await watch();
  await eventually(() => expect(one.got()).toEqual(['one']));
  await pause(300);
  one.leave();
  await one.ended;
  const [, seconds] = /request_duration_seconds_sum\{[^}]*events[^}]*status="200"\} ([\d.]+)/.exec(
    await metrics.metrics(),
  ) ?? ['', ''];
  const [, count] = /request_duration_seconds_count\{[^}]*events[^}]*status="200"\} (\d+)/.exec(
    await metrics.metrics(),
  ) ?? ['', ''];
  expect(Number(seconds) / Number(count)).toBeLessThan(0.25);
});

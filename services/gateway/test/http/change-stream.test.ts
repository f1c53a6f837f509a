import { connect } from 'node:net';
import { AppError } from '@switchyard/errors';
import type { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import type { WatchChangesRequest } from '@switchyard/protos/groups_admin/v1/change';
import type { CallOptions } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

const path = '/api/v4/projects/1/changes/stream';
const step = (cursor: number, json: object | undefined) => ({
  cursor: String(cursor),
  json: json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json)),
});

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** A gateway over a feed of `count` changes after the cursor, which then waits. */
async function scene({ count = 3, filler = '', failure = undefined as Error | undefined } = {}) {
  const state = { open: 0, produced: 0, asked: [] as WatchChangesRequest[], refused: undefined as Token | undefined };
  gateway = await startTestGateway({
    access: (_request: ResolveRequest) =>
      state.refused === undefined
        ? resolved({ actor: actor(), access: projectAccess() })
        : resolved({ actor: undefined, access: undefined, tokenRefusal: state.refused }),
    fakes: {
      'ChangeService/WatchChanges': async function* (request: WatchChangesRequest, { signal }: CallOptions) {
        state.asked.push(request);
        state.open += 1;
        try {
          if (failure !== undefined) throw failure;
          const start = Number(request.after || 100);
          yield step(start, undefined);
          for (let n = start + 1; n <= start + count; n += 1) {
            state.produced += 1;
            yield step(n, { position: n, filler });
          }
          await new Promise<void>((settle) => signal?.addEventListener('abort', () => settle()));
        } finally {
          state.open -= 1;
        }
      },
    },
  });
  const { url } = gateway;
  async function watch(query = '', headers: Record<string, string> = {}) {
    const leaving = new AbortController();
    const response = await fetch(`${url}${path}${query}`, {
      headers: { 'PRIVATE-TOKEN': 'glpat-a-reader', ...headers },
      signal: leaving.signal,
    });
    const got = { text: '' };
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        got.text += decoder.decode(chunk);
      return 'ended';
    })().catch(() => 'broken off');
    return { response, got, ended, leave: () => leaving.abort() };
  }
  return { state, watch, url };
}

it('brings each change with its cursor as its id, and begins after the last one that the reader had', async () => {
  const { state, watch } = await scene();
  const one = await watch('?after=7');
  expect(one.response.headers.get('content-type')).toBe('text/event-stream');
  const first =
    'id: 7\nevent: cursor\ndata: {"cursor":"7"}\n\nid: 8\nevent: change\ndata: {"position":8,"filler":""}\n\n';
  await eventually(() => expect(one.got.text).toContain('id: 10\n'));
  expect(one.got.text.startsWith(first)).toBe(true);
  // A reader that comes again says what it had; its address still names where it began.
  const again = await watch('?after=7', { 'Last-Event-ID': '10' });
  await eventually(() => expect(again.got.text).toContain('id: 13\n'));
  expect(state.asked.map(({ after }) => after)).toEqual(['7', '10']);
  expect(state.asked[0]?.scope).toEqual({ of: { $case: 'projectId', value: 1 } });
  one.leave();
  again.leave();
  await eventually(() => expect(state.open).toBe(0));
});

it('leaves out none for a reader that is slow, and reads no further ahead than it takes', async () => {
  const count = 400;
  const { state, url } = await scene({ count, filler: 'x'.repeat(200_000) });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: glpat-a-reader\r\nConnection: close\r\n\r\n`);
  socket.pause();
  await eventually(() => expect(state.produced).toBeGreaterThan(0));
  await new Promise((settle) => setTimeout(settle, 500));
  expect(state.produced).toBeLessThan(count);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1').replaceAll('x', '');
  });
  socket.resume();
  await eventually(() => expect(text).toContain(`id: ${100 + count}\n`), { within: 30_000 });
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: count + 1 }, (_, n) => 100 + n));
  socket.destroy();
  await eventually(() => expect(state.open).toBe(0));
});

it('answers what the feed refuses before it begins as an error', async () => {
  const { watch } = await scene({ failure: new AppError('gone', 'go on with after=5') });
  const { response, got } = await watch('?after=1');
  expect(response.status).toBe(410);
  await eventually(() => expect(JSON.parse(got.text)).toEqual({ message: 'go on with after=5' }));
});

it('ends with the right of its reader, and its call with it', async () => {
  const { state, watch } = await scene();
  const one = await watch();
  await eventually(() => expect(one.got.text).toContain('id: 103\n'));
  state.refused = Token.TOKEN_REFUSAL_REVOKED;
  expect(await one.ended).toBe('ended');
  await eventually(() => expect(state.open).toBe(0));
});

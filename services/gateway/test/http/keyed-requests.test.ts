import { request } from 'node:http';
import { AppError, invalid, mayHaveBegun, unavailable } from '@switchyard/errors';
import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, begunNoter, type CallOptions, entity } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { keptKeys } from '../support/kept-keys';

let gateway: TestGateway;
const keys = keptKeys();
/** What the owner of keys does in place of taking one; undefined where it takes it. */
let begin: ((take: () => Promise<unknown>) => Promise<unknown>) | undefined;
let finish: () => void;
let create: (options: CallOptions) => Promise<unknown>;
let access: ReturnType<typeof projectAccess> | undefined;
let movedTo: number;
let tokenRefusal: Token;

const label = { id: 5, name: 'bug', color: '#ff0000', text_color: '#FFFFFF', description: null, description_html: '' };
const counts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 };
const made = () =>
  entity({ ...label, subscribed: false, priority: null, is_project_label: true, archived: false, ...counts }, 201);

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ token, target }) => {
      if (token === 'glpat-lost') throw mayHaveBegun(new Error('lost'));
      return resolved({
        actor: token === '' ? anonymous : actor({ userId: token === 'glpat-bob' ? 8 : 7 }),
        access: target === undefined ? undefined : access,
        movedTo: target === undefined ? 0 : movedTo,
        tokenRefusal,
      });
    },
    fakes: {
      'LabelService/CreateLabel': async (_request: never, options: CallOptions) => create(options),
      ...keys.fakes,
      'IdempotencyService/BeginRequest': async (request: never, options: CallOptions) => {
        const take = async () => keys.fakes['IdempotencyService/BeginRequest']?.(request, options);
        return begin === undefined ? take() : begin(take);
      },
      'IdempotencyService/FinishRequest': async (request: never, options: CallOptions) => {
        finish();
        return keys.fakes['IdempotencyService/FinishRequest']?.(request, options);
      },
    },
  });
});
beforeEach(() => {
  keys.forget();
  gateway.calls.length = 0;
  create = async () => made();
  begin = undefined;
  finish = () => undefined;
  [movedTo, tokenRefusal] = [0, Token.TOKEN_REFUSAL_UNSPECIFIED];
  access = projectAccess({ level: 40, kind: Access_Kind.KIND_PROJECT });
});
afterAll(() => gateway.close());

const send = (key: string, name = 'bug', token = 'glpat-ada') =>
  gateway.send('POST', '/projects/1/labels', {
    token,
    headers: { 'Idempotency-Key': key },
    body: { name, color: '#ff0000' },
  });
const creations = () => gateway.calls.filter(({ rpc }) => rpc === 'LabelService/CreateLabel').length;
const questions = () => gateway.calls.filter(({ rpc }) => rpc.startsWith('IdempotencyService/')).length;

it('is carried out once, and answered as the first time', async () => {
  const first = await send('one');
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(questions()).toBe(2);
  const second = await send('one');
  expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  expect(creations()).toBe(1);
  // Keys are their callers' own.
  expect((await send('one', 'bug', 'glpat-bob')).headers.has('idempotent-replayed')).toBe(false);
  expect(creations()).toBe(2);
});

it('refuses a key that was used for something else (422)', async () => {
  await send('one');
  const reply = await send('one', 'feature');
  expect([reply.status, reply.body]).toEqual([422, { message: 'Idempotency-Key was used for another request' }]);
  expect(creations()).toBe(1);
});

it('frees a key whose owner hung, once that answers again, though it took it later', async () => {
  let hangs = true;
  let late = (): void => undefined;
  begin = (take) => {
    late = () => void take();
    throw unavailable();
  };
  finish = () => {
    if (hangs) throw unavailable();
  };
  expect((await send('one')).status).toBe(503);
  begin = undefined;
  late();
  expect((await send('one')).status).toBe(409);
  hangs = false;
  await eventually(async () => expect((await send('one')).status).toBe(201), { within: 5_000 });
  expect(creations()).toBe(1);
});

it('says 409 with Retry-After while the first request runs, and goes on when its client has left', async () => {
  let finish = (): void => undefined;
  let signal: AbortSignal | undefined;
  create = (options) => {
    signal = options.signal;
    return new Promise((settle) => (finish = () => settle(made())));
  };
  const leaving = new AbortController();
  const first = fetch(`${gateway.url}/api/v4/projects/1/labels`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': 'glpat-ada', 'Idempotency-Key': 'one', 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bug', color: '#ff0000' }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await eventually(() => expect(creations()).toBe(1));
  const running = await send('one');
  expect([running.status, Number(running.headers.get('retry-after'))]).toEqual([409, expect.any(Number)]);
  expect(running.headers.has('retry-after')).toBe(true);
  leaving.abort();
  await first;
  expect(signal?.aborted).toBe(false);
  finish();
  await eventually(async () => expect((await send('one')).status).toBe(201));
  expect(creations()).toBe(1);
});

it('keeps refusals of the service, frees the key where nothing was begun, and says where nobody knows', async () => {
  const after = async (error: AppError, before = (): void => undefined) => {
    create = async () => {
      before();
      throw error;
    };
    const first = await send('one');
    create = async () => made();
    const again = await send('one');
    keys.forget();
    return [first.status, again.status, again.headers.has('retry-after')];
  };
  expect(await after(invalid({ name: ['has already been taken'] }))).toEqual([400, 400, false]);
  expect(await after(unavailable())).toEqual([503, 201, false]);
  expect(await after(mayHaveBegun(new Error('lost')))).toEqual([504, 409, false]);
  // A peer that was called before has begun something.
  const refusals = [unavailable(), new AppError('rate_limited'), new AppError('request_timeout')];
  for (const refusal of refusals) expect(await after(refusal, () => begunNoter()())).toEqual([504, 409, false]);
  expect(await after(new AppError('internal'))).toEqual([500, 409, false]);
});

it('gives the first answer to who does not find the object any more, or finds it moved', async () => {
  const first = await send('one');
  access = undefined;
  const again = await send('one');
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  expect((await send('two')).status).toBe(404);
  movedTo = 9;
  expect((await send('one')).text).toBe(first.text);
  expect((await send('two')).status).toBe(405);
  expect(creations()).toBe(1);
});

it('promises that nothing was begun where nobody knows who asks (ADR 49)', async () => {
  const reply = await send('one', 'bug', 'glpat-lost');
  expect([reply.status, reply.headers.has('retry-after'), questions()]).toEqual([503, true, 0]);
});

it('gives no answer to who was blocked since', async () => {
  await send('one');
  [access, tokenRefusal] = [undefined, Token.TOKEN_REFUSAL_BLOCKED];
  expect((await send('one')).status).toBe(403);
});

it('takes no key that is none, none without a token, and asks nothing for reads', async () => {
  for (const key of ['', 'x'.repeat(256), 'ä'])
    expect((await send(encodeURI(key) === key ? key : '\u00e4')).status).toBe(400);
  const twice = await new Promise<number | undefined>((settle, fail) => {
    const headers = { 'PRIVATE-TOKEN': 'glpat-ada', 'Idempotency-Key': ['one', 'two'] };
    request(`${gateway.url}/api/v4/projects/1/labels?name=bug&color=red`, { method: 'POST', headers }, (reply) => {
      reply.resume();
      settle(reply.statusCode);
    })
      .on('error', fail)
      .end();
  });
  expect(twice).toBe(400);
  access = projectAccess({ visibility: 'public', level: 0 });
  expect((await send('one', 'bug', '')).status).toBe(401);
  await gateway.send('GET', '/version', { token: 'glpat-ada', headers: { 'Idempotency-Key': 'one' } });
  expect(questions()).toBe(0);
});

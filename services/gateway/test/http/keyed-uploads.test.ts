import { createHash } from 'node:crypto';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { eventually } from '@switchyard/testkit';
import { renewing } from '../../src/http/keyed-uploads';
import { streamRate } from '../../src/http/stream-body';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { keptKeys } from '../support/kept-keys';

const keys = keptKeys();
let service: Server;
/** Two of one installation. */
let gateways: readonly TestGateway[];
let access: ReturnType<typeof projectAccess> | undefined;
let caller: Partial<Actor>;
/** What the service has received whole. */
let received: { readonly path: string; readonly sha256: string }[];
/** Requests that have reached the service, and of how many the connection broke. */
let seen: { begun: number; broken: number };
let answer: (request: IncomingMessage, response: ServerResponse) => void;
/** What the taking of a key waits for. */
let taking: Promise<void> | undefined;

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};

/** Reads the whole body, and counts. */
function carryOut(request: IncomingMessage, response: ServerResponse): void {
  read(request).then(
    (body) => {
      received.push({ path: request.url ?? '', sha256: createHash('sha256').update(body).digest('hex') });
      const reply = JSON.stringify({ made: received.length });
      response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': reply.length }).end(reply);
    },
    () => undefined,
  );
}

const reply =
  (status: number, body = '{"message":"refused"}') =>
  (request: IncomingMessage, response: ServerResponse) =>
    void request
      .resume()
      .once('end', () => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body));

beforeAll(async () => {
  service = createServer((request, response) => {
    seen.begun += 1;
    response.once('close', () => {
      if (!response.writableFinished) seen.broken += 1;
    });
    answer(request, response);
  });
  await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const urls = { PACKAGES_HTTP_URL: url, IMPORTS_EXPORTS_HTTP_URL: url, ALERTS_HTTP_URL: url };
  const start = () =>
    startTestGateway({
      access: ({ target }: ResolveRequest) =>
        resolved({ actor: actor(caller), access: target === undefined ? undefined : access }),
      fakes: {
        ...keys.fakes,
        'IdempotencyService/BeginRequest': async (request, options) => {
          await taking;
          return keys.fakes['IdempotencyService/BeginRequest']?.(request, options);
        },
      },
      config: { ...urls, MERGE_REQUESTS_HTTP_URL: url, SWITCHYARD_APPLICATION_LIMITS: 0 },
    });
  gateways = [await start(), await start()];
});
beforeEach(() => {
  keys.forget();
  [received, seen, answer, caller, taking] = [[], { begun: 0, broken: 0 }, carryOut, {}, undefined];
  access = projectAccess({ level: 40 });
  for (const { calls } of gateways) calls.length = 0;
});
afterAll(async () => {
  service.closeAllConnections();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await new Promise((settle) => service.close(settle));
});

const generic = '/projects/1/packages/generic/app/1.0/file';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly at?: number;
}

async function upload(
  body: string | Buffer | FormData,
  { method = 'PUT', path = generic, headers = {}, at = 0 }: Sent = {},
) {
  const sent = await fetch(`${gateways[at]?.url}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': 'glpat-ada', 'Idempotency-Key': 'one', ...headers },
    body: body as never,
  });
  const text = await sent.text();
  return {
    status: sent.status,
    text,
    body: text === '' ? undefined : JSON.parse(text),
    replayed: sent.headers.get('idempotent-replayed') === 'true',
    waits: sent.headers.has('retry-after'),
    type: sent.headers.get('content-type'),
  };
}

/** An upload that is written by hand. */
function open({ headers = {}, path = generic }: Sent = {}) {
  const state: { status?: number; text?: string; continued: boolean; sent: ClientRequest } = {
    continued: false,
    sent: send(`${gateways[0]?.url}/api/v4${path}`, {
      method: 'PUT',
      headers: { 'PRIVATE-TOKEN': 'glpat-ada', 'Idempotency-Key': 'one', ...headers },
    }),
  };
  state.sent
    .once('error', () => undefined)
    .once('continue', () => {
      state.continued = true;
    })
    .once('response', (got) => {
      state.status = got.statusCode as number;
      void read(got).then((bytes) => {
        state.text = bytes.toString();
      });
    });
  return state;
}

const questions = () =>
  gateways.flatMap(({ calls }) => calls).filter(({ rpc }) => rpc.startsWith('IdempotencyService/')).length;

const formOf = (field: string, content: string, name = 'file.bin'): FormData => {
  const form = new FormData();
  form.set('path', 'imported');
  form.set(field, new Blob([content]), name);
  return form;
};
const npmDocument = (content: string): string => JSON.stringify({ name: 'app', _attachments: { 'app.tgz': content } });

describe.each<[string, string, string, (content: string) => string | FormData]>([
  ['an upload of a project', 'POST', '/projects/1/uploads', (content) => formOf('file', content)],
  ['a generic package', 'PUT', generic, (content) => content],
  ['a Maven file', 'PUT', '/projects/1/packages/maven/com/acme/app/1.0/app.jar', (content) => content],
  ['a Python file', 'POST', '/projects/1/packages/pypi', (content) => formOf('content', content, 'app-1.0.tar.gz')],
  ['a chart', 'POST', '/projects/1/packages/helm/api/stable/charts', (content) => formOf('chart', content)],
  ['an npm package', 'PUT', '/projects/1/packages/npm/app', npmDocument],
  ['a revision of an npm package', 'PUT', '/projects/1/packages/npm/app/-rev/1', npmDocument],
  ['a dist-tag', 'PUT', '/projects/1/packages/npm/-/package/app/dist-tags/next', (content) => JSON.stringify(content)],
  ['an archive to import', 'POST', '/projects/import', (content) => formOf('file', content)],
  [
    'a metric image',
    'POST',
    '/projects/1/alert_management_alerts/2/metric_images',
    (content) => formOf('file', content),
  ],
  ['a report', 'POST', '/projects/1/pipelines/3/artifacts', (content) => formOf('file', content)],
])('%s', (_, method, path, bodyOf) => {
  it('is carried out once, answered as the first time, and refused where it differs', async () => {
    const first = await upload(bodyOf('content'), { method, path });
    expect([first.status, first.body, first.replayed]).toEqual([201, { made: 1 }, false]);
    // A form has another boundary each time.
    const again = await upload(bodyOf('content'), { method, path, at: 1 });
    expect([again.status, again.text, again.replayed, again.type]).toEqual([201, first.text, true, first.type]);
    const other = await upload(bodyOf('CONTENT'), { method, path });
    const message = 'Idempotency-Key was used for another request';
    // npm shows `error` alone.
    const shown = path.includes('/npm/') ? { message, error: message } : { message };
    expect([other.status, other.body, other.replayed]).toEqual([422, shown, false]);
    expect(received).toHaveLength(1);
    const third = await upload(bodyOf('content'), { method, path, headers: { 'Idempotency-Key': 'two' } });
    expect(third.body).toEqual({ made: 2 });
  });
});

it.each([
  ['a version', '/projects/1/packages/npm/app/-rev/1'],
  ['a dist-tag', '/projects/1/packages/npm/-/package/app/dist-tags/next'],
])('%s of npm is deleted once', async (_, path) => {
  const drop = () => upload('', { method: 'DELETE', path });
  const first = await drop();
  expect([first.status, first.body]).toEqual([201, { made: 1 }]);
  const again = await drop();
  expect([again.text, again.replayed, received.length]).toEqual([first.text, true, 1]);
});

it('costs requests without the header nothing, and git does not look at it', async () => {
  const plain = await fetch(`${gateways[0]?.url}/api/v4${generic}`, {
    method: 'PUT',
    headers: { 'PRIVATE-TOKEN': 'glpat-ada' },
    body: 'content',
  });
  await plain.arrayBuffer();
  const pushed = await fetch(`${gateways[0]?.url}/group/project.git/git-receive-pack`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': 'glpat-ada', 'Idempotency-Key': 'one' },
    body: '0000',
  });
  await pushed.arrayBuffer();
  expect([pushed.status, received.length, questions()]).toEqual([201, 2, 0]);
});

it.each<[string, Sent]>([
  ['path', { path: `${generic}2` }],
  ['query', { path: `${generic}?status=hidden` }],
  ['type', { headers: { 'content-type': 'text/html', 'content-length': '7' } }],
  ['length', { headers: { 'content-type': 'text/plain', 'content-length': '8' } }],
  ['checksum', { headers: { 'content-type': 'text/plain', 'content-length': '7', 'x-checksum-sha256': '0' } }],
])('another %s is refused at once, while the first one runs and after, before the body comes', async (_, given) => {
  let finish = (): void => undefined;
  answer = (request, response) => {
    finish = () => carryOut(request, response);
  };
  const plain = { 'content-type': 'text/plain', 'content-length': '7' };
  const first = upload('content', { headers: { 'content-type': 'text/plain' } });
  await eventually(() => expect(seen.begun).toBe(1));
  const refused = async () => {
    const other = open({ ...given, headers: { ...plain, ...given.headers, expect: '100-continue' } });
    other.sent.flushHeaders();
    await eventually(() => expect(other.status).toBe(422));
    expect(other.continued).toBe(false);
    other.sent.destroy();
  };
  await refused();
  finish();
  expect((await first).status).toBe(201);
  await refused();
});

it('says 409 while the first one runs, and has its key renewed until it ends', async () => {
  const held = renewing.everyMs;
  (renewing as { everyMs: number }).everyMs = 20;
  try {
    const first = open({ headers: { 'content-length': '7' } });
    first.sent.write('con');
    await eventually(() => expect(keys.all()[0]?.renewed).toBeGreaterThan(2));
    const running = open({ headers: { 'content-length': '7' } });
    running.sent.flushHeaders();
    await eventually(() => expect(running.text).toMatch(/still running/));
    expect(running.status).toBe(409);
    running.sent.destroy();
    first.sent.end('tent');
    await eventually(() => expect(first.status).toBe(201));
    const renewed = keys.all()[0]?.renewed;
    await new Promise((settle) => setTimeout(settle, 60));
    expect(keys.all()[0]?.renewed).toBe(renewed);
  } finally {
    (renewing as { everyMs: number }).everyMs = held;
  }
});

it('answers what is unknown with 409 and no Retry-After', async () => {
  answer = () => undefined;
  const first = upload('content').catch(() => undefined);
  await eventually(() => expect(seen.begun).toBe(1));
  const running = await upload('content', { at: 1 });
  expect([running.status, running.waits]).toEqual([409, true]);
  keys.giveUp();
  const unknown = await upload('content', { at: 1 });
  expect([unknown.status, unknown.waits]).toEqual([409, false]);
  expect(unknown.text).toMatch(/may have been carried out/);
  service.closeAllConnections();
  await first;
});

it('one of several at once is carried out, over two gateways', async () => {
  const content = Buffer.alloc(1 << 20, 'x');
  const sent = await Promise.all(Array.from({ length: 6 }, (_, at) => upload(content, { at: at % 2 })));
  expect(received).toHaveLength(1);
  for (const { status, waits, text } of sent)
    expect(status === 201 ? text : [status, waits]).toEqual(status === 201 ? '{"made":1}' : [409, true]);
  const again = await upload(content, { at: 1 });
  expect([again.text, again.replayed]).toEqual(['{"made":1}', true]);
});

it('an upload that breaks off frees its key: nothing was begun', async () => {
  const first = open({ headers: { 'content-length': '7' } });
  first.sent.write('con');
  await eventually(() => expect(seen.begun).toBe(1));
  first.sent.destroy();
  await eventually(() => expect(keys.all()).toEqual([]));
  await eventually(() => expect(seen.broken).toBe(1));
  const again = await upload('content');
  expect([again.status, again.replayed, received.length]).toEqual([201, false, 1]);
});

it('frees the key of a client that left while it was taken', async () => {
  let take = (): void => undefined;
  taking = new Promise((settle) => {
    take = settle;
  });
  const first = open({ headers: { 'content-length': '7' } });
  first.sent.write('con');
  await eventually(() => expect(questions()).toBe(1));
  first.sent.destroy();
  await new Promise((settle) => setTimeout(settle, 50));
  take();
  await eventually(() => expect([questions(), keys.all()]).toEqual([2, []]));
  expect((await upload('content')).status).toBe(201);
});

it('does not know what became of an upload that was answered before it was whole', async () => {
  answer = (_request, response) => void response.writeHead(201, { 'content-length': 2 }).end('{}');
  const first = open({ headers: { 'content-length': '7' } });
  first.sent.write('con');
  await eventually(() => expect(first.status).toBe(201));
  first.sent.destroy();
  const unknown = open({ headers: { 'content-length': '7' } });
  unknown.sent.end('content');
  await eventually(() => expect(unknown.text).toMatch(/may have been carried out/));
});

it('goes on when the client has left, once it has all', async () => {
  let finish = (): void => undefined;
  answer = (request, response) =>
    void read(request).then(() => {
      finish = () => response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"made":1}');
    });
  const headers = { 'content-length': '7' };
  const first = open({ headers });
  first.sent.end('content');
  await eventually(() => expect(finish.toString()).toContain('made'));
  first.sent.destroy();
  await new Promise((settle) => setTimeout(settle, 100));
  expect(seen.broken).toBe(0);
  finish();
  await eventually(() => expect(keys.all()[0]?.answer?.status).toBe(201));
  const again = open({ headers });
  again.sent.end('content');
  await eventually(() => expect([again.status, again.text]).toEqual([201, '{"made":1}']));
  expect(seen.begun).toBe(1);
});

it('tells a service that died with the whole upload from one that had not all of it', async () => {
  answer = (request) => void read(request).then(() => request.socket.destroy());
  const whole = await upload('content');
  expect([whole.status, whole.waits]).toEqual([504, false]);
  const unknown = await upload('content');
  expect([unknown.status, unknown.waits, seen.begun]).toEqual([409, false, 1]);
  keys.forget();
  // It breaks its reply off.
  answer = (request, response) =>
    void read(request).then(() => {
      response.writeHead(201, { 'content-length': 100 }).write('{');
      setTimeout(() => response.destroy(), 20);
    });
  expect((await upload('content')).status).toBe(504);
  expect((await upload('content')).status).toBe(409);
  keys.forget();
  answer = (request) => void request.once('data', () => request.socket.destroy());
  const part = open({ headers: { 'content-length': '7' } });
  part.sent.write('con');
  await eventually(() => expect(part.status).toBe(503));
  part.sent.destroy();
  answer = carryOut;
  expect((await upload('content')).status).toBe(201);
});

it('frees the key of an upload whose service cannot be reached', async () => {
  const away = await startTestGateway({
    access: () => resolved({ access }),
    fakes: keys.fakes,
    config: { PACKAGES_HTTP_URL: 'http://127.0.0.1:9' },
  });
  const headers = { 'Idempotency-Key': 'one' };
  const refused = await away.send('PUT', generic, { token: 'glpat-ada', headers, raw: 'content' });
  await away.close();
  expect([refused.status, refused.headers.has('retry-after'), keys.all()]).toEqual([503, true, []]);
});

it('keeps refusals of the service, and frees the key where nothing was begun', async () => {
  const after = async (status: number) => {
    answer = reply(status);
    const first = await upload('content');
    answer = carryOut;
    const again = await upload('content');
    keys.forget();
    return [first.status, again.status, again.replayed, again.waits];
  };
  expect(await after(400)).toEqual([400, 400, true, false]);
  expect(await after(409)).toEqual([409, 409, true, false]);
  for (const status of [408, 429, 503]) expect(await after(status)).toEqual([status, 201, false, false]);
  for (const status of [500, 504]) expect(await after(status)).toEqual([status, 409, false, false]);
});

it('frees the key of what is refused before it is whole', async () => {
  answer = (_request, response) => void response.writeHead(413, { 'content-length': 2 }).end('{}');
  const headers = { 'content-length': String(1 << 20) };
  const first = open({ headers });
  first.sent.write('x');
  await eventually(() => expect(first.status).toBe(413));
  expect(keys.all()).toEqual([]);
  first.sent.destroy();
});

it('frees the key of an upload that stands still, whose rest comes after the 408', async () => {
  const rate = jest.replaceProperty(streamRate, 'windowMs', 100 as never);
  const first = open({ headers: { 'content-length': '7' } });
  first.sent.write('con');
  await eventually(() => expect(first.status).toBe(408));
  rate.restore();
  expect(keys.all()).toEqual([]);
  first.sent.end('tent');
  await eventually(() => expect([seen.broken, received.length]).toEqual([1, 0]), { within: 10_000 });
  expect([(await upload('content')).status, received.length]).toEqual([201, 1]);
});

it('reads on for a sender whose service died, so that it sees the answer', async () => {
  answer = (request) => void request.once('data', () => request.socket.destroy());
  const { hostname, port } = new URL(gateways[0]?.url ?? '');
  const socket = connect({ host: hostname, port: Number(port) });
  let reply = '';
  socket.on('data', (chunk) => {
    reply += chunk;
  });
  const closed = jest.fn();
  socket.once('close', closed).once('error', closed);
  const head = [`PUT /api/v4${generic} HTTP/1.1`, 'Host: x', 'PRIVATE-TOKEN: glpat-ada', 'Idempotency-Key: one'];
  socket.write([...head, 'Content-Length: 1000000', '', 'x'].join('\r\n'));
  await eventually(() => expect(reply).toMatch(/^HTTP\/1\.1 503 /));
  for (let n = 0; n < 5; n += 1) {
    socket.write('x'.repeat(1_000));
    await new Promise((settle) => setTimeout(settle, 100));
  }
  expect(closed).not.toHaveBeenCalled();
  socket.destroy();
});

it('sends an answer that is too long to be kept, which is then unknown', async () => {
  const long = JSON.stringify('x'.repeat(3 << 20));
  answer = reply(201, long);
  const first = await upload('content');
  expect([first.status, first.text.length]).toEqual([201, long.length]);
  const again = await upload('content');
  expect([again.status, again.waits, seen.begun]).toEqual([409, false, 1]);
});

it('waits for 100 Continue before either is sent', async () => {
  const headers = { 'content-length': '7', expect: '100-continue' };
  for (const made of [1, 1]) {
    const sent = open({ headers });
    sent.sent.flushHeaders();
    await eventually(() => expect(sent.continued).toBe(true));
    sent.sent.end('content');
    await eventually(() => expect([sent.status, sent.text]).toEqual([201, `{"made":${made}}`]));
  }
  expect(received).toHaveLength(1);
});

it('reads no more than the first time', async () => {
  await upload(formOf('file', 'content'), { method: 'POST', path: '/projects/1/uploads' });
  const endless = send(`${gateways[0]?.url}/api/v4/projects/1/uploads`, {
    method: 'POST',
    headers: {
      'PRIVATE-TOKEN': 'glpat-ada',
      'Idempotency-Key': 'one',
      'Content-Type': 'multipart/form-data; boundary=abc',
    },
  });
  let status: number | undefined;
  endless
    .once('error', () => undefined)
    .once('response', (got) => {
      status = got.resume().statusCode;
    });
  const writing = setInterval(() => endless.write('\r\n--abc'.repeat(100)), 5);
  await eventually(() => expect(status).toBe(422));
  clearInterval(writing);
  endless.destroy();
});

it('a client that leaves while it sends again changes nothing', async () => {
  const headers = { 'content-length': '7' };
  const first = open({ headers });
  first.sent.end('content');
  await eventually(() => expect(first.status).toBe(201));
  const leaving = open({ headers });
  leaving.sent.write('con');
  await new Promise((settle) => setTimeout(settle, 50));
  leaving.sent.destroy();
  const again = open({ headers });
  again.sent.end('content');
  await eventually(() => expect([again.status, again.text]).toEqual([201, '{"made":1}']));
});

it('gives the first answer to who does not find the project any more, for the same upload alone', async () => {
  const first = await upload('content');
  access = undefined;
  // What is known of the first token for a second would still let it in.
  const anew = () => ({ 'PRIVATE-TOKEN': newToken().token });
  const again = await upload('content', { headers: anew() });
  expect([again.status, again.text, again.replayed]).toEqual([201, first.text, true]);
  expect((await upload('CONTENT', { headers: anew() })).status).toBe(404);
  expect((await upload('content', { headers: { ...anew(), 'Idempotency-Key': 'two' } })).status).toBe(404);
  expect(received).toHaveLength(1);
});

it.each<[string, Partial<Actor>, Record<string, string>, string]>([
  ['a user with Basic credentials', {}, { Authorization: `Basic ${btoa('ada:glpat-ada')}` }, 'user:7'],
  [
    'a deploy token',
    { userId: 0, deployTokenId: 5, scopes: ['write_package_registry'] },
    { 'DEPLOY-TOKEN': 'gldt-x' },
    'deploy_token:5',
  ],
  [
    'a job token',
    { job: { projectId: 1, pipelineId: 3, jobId: 4 } as never, scopes: [] },
    { 'JOB-TOKEN': 'glcbt-x' },
    'job:1:7',
  ],
])('keys of %s are their own', async (_, who, headers, owner) => {
  caller = who;
  const shown = { 'Idempotency-Key': 'one', ...headers };
  const asCaller = async () => {
    const sent = await fetch(`${gateways[0]?.url}/api/v4${generic}`, {
      method: 'PUT',
      headers: shown,
      body: 'content',
    });
    await sent.arrayBuffer();
    return sent;
  };
  const first = await asCaller();
  expect([first.status, keys.all()[0]?.request.caller]).toEqual([201, owner]);
  expect((await asCaller()).headers.get('idempotent-replayed')).toBe('true');
  caller = { userId: 8 };
  const other = { 'PRIVATE-TOKEN': 'glpat-bob' };
  expect((await upload('content', { headers: other })).body).toEqual({ made: 2 });
});

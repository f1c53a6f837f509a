import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type Outbound, type OutboundOptions, OutboundRefused, openOutbound, parseAllowed } from '../src';
import { selfSigned } from './self-signed';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** A server on a free port of this machine. */
async function serve(handler: Parameters<typeof createServer>[1], secure = false): Promise<number> {
  const server: Server = secure
    ? createSecureServer(selfSigned, handler as never)
    : createServer({ maxHeaderSize: 1 << 20 }, handler as never);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return portOf(server);
}

function open(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = openOutbound({ allowed: parseAllowed('127.0.0.1'), ...options });
  closing.push(() => outbound.close());
  return outbound;
}

const post = (url: string, more: object = {}) => ({ method: 'POST', url, headers: {}, body: '{}', ...more }) as const;
const reasonOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'answered',
    (error) => (error instanceof OutboundRefused ? error.reason : error),
  );

test('sends what was given and returns what came', async () => {
  const port = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.setHeader('X-Twice', ['a', 'b']);
      response.statusCode = 418;
      response.end(
        `${request.method} ${request.url} ${request.headers['x-a']} ${request.headers.authorization} ${body}`,
      );
    });
  });
  const answer = await open().request({ ...post(`http://me:p%40ss@127.0.0.1:${port}/a?b=c`), headers: { 'X-A': 'é' } });
  expect(answer).toMatchObject({ status: 418, isCut: false, headers: { 'x-twice': 'a, b' } });
  expect(answer.body).toMatch(/^POST \/a\?b=c é Basic bWU6cEBzcw== \{\}$/);
});

test('a deadline that has a minute left keeps nothing of an answer', async () => {
  const port = await serve((_request, response) => response.end('answer'));
  const deadlines = jest.spyOn(AbortSignal, 'timeout');
  const { body } = await open().request(post(`http://127.0.0.1:${port}/`), { timeoutMs: 60_000 });
  const [deadline] = deadlines.mock.results.map(({ value }) => value as AbortSignal);
  deadlines.mockRestore();
  expect([body, deadline && getEventListeners(deadline, 'abort')]).toEqual(['answer', []]);
});

test.each([
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]:1/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://169.254.169.254/latest/meta-data',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://localhost/',
])('G-6-5: %s is not connected to', async (url) => {
  const outbound = open({ allowed: parseAllowed('') });
  expect(await reasonOf(outbound.request(post(url)))).toBe('address');
});

test('a name that has another address the second time is connected to by what was checked, each time anew', async () => {
  let reached = 0;
  const port = await serve((_request, response) => {
    reached += 1;
    response.end();
  });
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '10.0.0.1']];
  let asked = 0;
  const resolve = async () => (answers[asked++] ?? []).map((address) => ({ address, family: 4 }));
  const url = `http://rebinding.test:${port}/`;
  // Each request has connections of its own, so that each one resolves.
  const send = () => reasonOf(open({ resolve }).request(post(url)));
  expect([await send(), await send(), await send()]).toEqual(['answered', 'address', 'address']);
  expect([asked, reached]).toEqual([3, 1]);
  const listed = open({
    allowed: parseAllowed('rebinding.test'),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  expect(await reasonOf(listed.request(post(url)))).toBe('answered');
});

test('redirects: bounded, each checked, without secrets elsewhere, and never a GET in place of a POST', async () => {
  const seen: string[] = [];
  const other = await serve((request, response) => {
    seen.push(`${request.method} ${request.headers['x-token']} ${request.headers['x-event']}`);
    response.end('there');
  });
  const port = await serve((request, response) => {
    const [, status, target = ''] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
    response.writeHead(Number(status), { Location: decodeURIComponent(target) });
    response.end();
  });
  const to = (status: number, target: string, more: object = {}) =>
    open().request(post(`http://127.0.0.1:${port}/${status}/${encodeURIComponent(target)}`, more));
  const headers = { 'X-Token': 's', 'X-Event': 'e', Authorization: 'a' };
  const elsewhere = `http://127.0.0.1:${other}/`;
  expect(await to(307, elsewhere, { headers, secretHeaders: ['x-token'] })).toMatchObject({
    status: 200,
    body: 'there',
  });
  expect(await to(302, elsewhere)).toMatchObject({ status: 302 });
  expect(seen).toEqual(['POST undefined e']);
  expect(await reasonOf(to(307, 'http://169.254.169.254/latest'))).toBe('address');
  expect(await reasonOf(to(308, 'file:///etc/passwd'))).toBe('redirect');
  expect(await reasonOf(to(308, '/200/'))).toBe('answered');
  let hops = 0;
  const looping = await serve((_request, response) => {
    hops += 1;
    response.writeHead(307, { Location: '/' }).end();
  });
  expect(await reasonOf(open().request(post(`http://127.0.0.1:${looping}/`)))).toBe('redirect');
  expect(hops).toBe(4);
});

test('an answer of a gigabyte is broken off after what is kept', async () => {
  let sent = 0;
  const port = await serve((_request, response) => {
    const chunk = Buffer.alloc(1 << 16, 'é');
    const more = (): void => {
      while (sent < 1 << 30 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  const answer = await open().request(post(`http://127.0.0.1:${port}/`), { maxResponseBytes: 8_192 });
  expect([answer.status, Buffer.byteLength(answer.body), answer.isCut]).toEqual([200, 8_192, true]);
  expect(sent).toBeLessThan(64 << 20);
});

test('headers of an answer are cut; a head that is too large is refused', async () => {
  const port = await serve((request, response) => {
    const count = Number(request.url?.slice(1));
    for (let at = 0; at < count; at += 1) response.setHeader(`x-${at}`, 'v'.repeat(1_100));
    if (count === 0) response.setHeader('Link', 'v'.repeat(9_000));
    response.end();
  });
  const { headers } = await open().request(post(`http://127.0.0.1:${port}/52`));
  expect(Object.keys(headers)).toHaveLength(50);
  expect(headers['x-0']).toHaveLength(1_024);
  expect((await open().request(post(`http://127.0.0.1:${port}/0`))).headers.link).toHaveLength(8_192);
  expect(await reasonOf(open().request(post(`http://127.0.0.1:${port}/100`)))).toBe('too_large');
});

test('receivers that do not answer, drip, close or speak something else', async () => {
  const sockets = new Set<Socket>();
  const tcp = async (onConnection: (socket: Socket) => void): Promise<string> => {
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `http://127.0.0.1:${portOf(server)}/`;
  };
  const silent = await tcp(() => undefined);
  const dripping = await tcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  const closed = await tcp((socket) => socket.end());
  const foreign = await tcp((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  const outbound = open();
  const send = (url: string) => reasonOf(outbound.request(post(url), { timeoutMs: 200 }));
  expect(await Promise.all([silent, dripping, closed, foreign, 'http://127.0.0.1:1/'].map(send))).toEqual([
    'timeout',
    'timeout',
    'unreachable',
    'unreachable',
    'unreachable',
  ]);
  const unanswered = open({ resolve: () => new Promise(() => undefined) });
  expect(await reasonOf(unanswered.request(post('http://name.test/'), { timeoutMs: 50 }))).toBe('timeout');
});

test('a certificate that nobody signed is refused unless the request says otherwise', async () => {
  const port = await serve((_request, response) => void response.end('secure'), true);
  const outbound = open({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
  const url = `https://receiver.test:${port}/`;
  expect(await reasonOf(outbound.request(post(url)))).toBe('tls');
  expect(await outbound.request(post(url, { verifyTls: false }))).toMatchObject({ status: 200, body: 'secure' });
});

test.each([
  [{ headers: { 'X-A\r\nX-B': '1' } }],
  [{ headers: { 'X-A': '1\r\nX-B: 2' } }],
  [{ headers: { 'X-A': '\u0000' } }],
  [{ headers: { Host: 'other' } }],
  [{ headers: { 'Transfer-Encoding': 'chunked' } }],
  [{ url: 'ftp://127.0.0.1/' }],
  [{ url: 'http://127.0.0.1:1/\r\nX: y' }],
  [{ url: 'http://' }],
  [{ url: 'http://127.0.0.1:0/' }],
  [{ body: 'x'.repeat(11) }],
])('%j is never sent', async (more) => {
  expect(await reasonOf(open().request(post('http://127.0.0.1:1/', more), { maxRequestBytes: 10 }))).toBe('invalid');
});

test('proxies are obeyed, and what they are asked for is checked as far as it can be', async () => {
  const asked: string[] = [];
  const proxy = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.end('by proxy');
  });
  const direct = await serve((_request, response) => void response.end('direct'));
  const outbound = open({
    proxies: { http: `http://127.0.0.1:${proxy}`, none: 'direct.test,127.0.0.1' },
    resolve: async (name) => {
      if (name === 'unknown.test') throw Object.assign(new Error(), { code: 'ENOTFOUND' });
      return [{ address: name === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 }];
    },
  });
  const send = (url: string) =>
    outbound.request(post(url)).then(
      ({ body }) => body,
      (error) => error.reason,
    );
  expect(await send('http://unknown.test/a')).toBe('by proxy');
  expect(await send(`http://direct.test:${direct}/`)).toBe('direct');
  expect(await send('http://inside.test/')).toBe('address');
  expect(await send('http://169.254.169.254/')).toBe('address');
  expect(asked).toEqual(['http://unknown.test/a']);
});

describe('an answer that streams', () => {
  const get = (port: number, path = '/') =>
    ({ method: 'GET', url: `http://127.0.0.1:${port}${path}`, headers: {} }) as const;
  const read = async (stream: { body: AsyncIterable<Buffer> }): Promise<number> => {
    let size = 0;
    for await (const chunk of stream.body) size += chunk.length;
    return size;
  };

  test('comes whole, up to the bytes that the caller names', async () => {
    const port = await serve((_request, response) => response.end(Buffer.alloc(3 << 20)));
    const outbound = open();
    const whole = await outbound.stream(get(port), { maxResponseBytes: 3 << 20 });
    expect([whole.status, await read(whole)]).toEqual([200, 3 << 20]);
    const long = await outbound.stream(get(port), { maxResponseBytes: 1 << 20 });
    expect(await reasonOf(read(long))).toBe('too_large');
  });

  test('is refused where a request is: addresses inside, also after a redirect', async () => {
    const port = await serve((_request, response) =>
      response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
    );
    expect(await reasonOf(open({ allowed: parseAllowed('') }).stream(get(port), { maxResponseBytes: 9 }))).toBe(
      'address',
    );
    expect(await reasonOf(open().stream(get(port), { maxResponseBytes: 9 }))).toBe('address');
  });

  test('has a time for its head, another one between its pieces, and ends with its caller', async () => {
    const port = await serve((request, response) => {
      if (request.url !== '/silent') response.write('begun');
    });
    const outbound = open();
    const limits = { maxResponseBytes: 100, headMs: 50, idleMs: 50 };
    expect(await reasonOf(outbound.stream(get(port, '/silent'), limits))).toBe('timeout');
    expect(await reasonOf(read(await outbound.stream(get(port), limits)))).toBe('timeout');
    const caller = new AbortController();
    const stream = await outbound.stream(get(port), { maxResponseBytes: 100, signal: caller.signal });
    caller.abort();
    expect(await reasonOf(read(stream))).toBe('aborted');
  });
});

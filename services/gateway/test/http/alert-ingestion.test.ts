import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { unavailable } from '@switchyard/errors';
import type {
  IngestionServiceReceiveRequest,
  IngestionServiceReceiveResponse,
} from '@switchyard/protos/alerts/v1/ingestion';
import { eventually } from '@switchyard/testkit';
import type { Config } from '../../src/config';
import { alertAddressOf } from '../../src/http/alert-ingestion';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { refused, stored } from '../support/payload-answers';

describe('a URL is an address of payloads', () => {
  test.each([
    ['/g/p/alerts/notify.json', 'g/p', ''],
    ['/g/p/alerts/notify', 'g/p', ''],
    ['/g/s/p/alerts/notify/some-name/0123456789abcdef.json', 'g/s/p', '0123456789abcdef'],
    ['/g/p/alerts/notify/%C3%A4/0123456789abcdef', 'g/p', '0123456789abcdef'],
    ['/g/p/alerts/notify/alerts/notify.json', 'g/p', 'notify'],
    ['/g/p/prometheus/alerts/notify.json?x=1', 'g/p/prometheus', ''],
    ['/g%20x/p/alerts/notify', 'g x/p', ''],
  ])('POST %s', (url, projectPath, endpointId) =>
    expect(alertAddressOf('POST', url)).toEqual({ projectPath, endpointId }),
  );

  test.each([
    ['GET', '/g/p/alerts/notify.json'],
    ['POST', '/p/alerts/notify.json'],
    ['POST', '/api/v4/alerts/notify.json'],
    ['POST', '/g/p/alerts/notify/name'],
    ['POST', '/g/p/alerts/notify/name/an-id.json'],
    ['POST', '/g/p/alerts/notify.xml'],
    ['POST', '/g/p/alerts/notifyx'],
    ['POST', '/g/%zz/alerts/notify.json'],
    ['POST', '//alerts/notify.json'],
  ])('not %s %s', (method, url) => expect(alertAddressOf(method, url)).toBeUndefined());
});

const limit = 2_048;

let gateway: TestGateway | undefined;
let answer: (
  request: IngestionServiceReceiveRequest,
) => IngestionServiceReceiveResponse | Promise<IngestionServiceReceiveResponse> = () => stored;

/** Another gateway than the one before, where the configuration is another; nothing has been received by it. */
const start = async (config?: Partial<Config>) => {
  if (gateway !== undefined && config === undefined) return void gateway.calls.splice(0);
  await gateway?.close();
  gateway = await startTestGateway({
    fakes: {
      'IngestionService/Receive': async (request: IngestionServiceReceiveRequest) => answer(request),
      'IngestionService/CheckKey': async (request: IngestionServiceReceiveRequest) => ({
        right: (await answer(request)).status === 200,
      }),
    } as never,
    config: { SWITCHYARD_ALERT_PAYLOAD_LIMIT: limit, ...config },
  });
};

afterEach(() => {
  answer = () => stored;
});

afterAll(() => gateway?.close());

const address = '/g/p/alerts/notify/name/0123456789abcdef.json';
const post = (headers: Record<string, string> = {}, body: string | ReadableStream = '{}', path = address) =>
  fetch(`${gateway?.url}${path}`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
const requestsOf = (rpc: string) =>
  (gateway?.calls ?? [])
    .filter((call) => call.rpc === `IngestionService/${rpc}`)
    .map(({ request }) => request as IngestionServiceReceiveRequest);
const received = () => requestsOf('Receive');
const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('a payload', () => {
  it('goes on byte by byte, with its key, and its answer comes back with the receipt', async () => {
    await start();
    const body = '{"title": "ä", "n": 1.0}';
    const response = await post({ Authorization: 'Bearer key', 'User-Agent': 'curl/8' }, body);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('[{"iid":1,"title":"x"}]');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-alert-receipt')).toBe('a-receipt');
    expect(received()).toEqual([
      {
        projectPath: 'g/p',
        endpointId: '0123456789abcdef',
        key: 'key',
        content: Buffer.from(body),
        userAgent: 'curl/8',
      },
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['as a Bearer token', { Authorization: 'bearer key ' }, 'key'],
    ['as the password of Basic credentials without a user', basic('', 'key'), 'key'],
    ['in the URL, which a client sends as Basic credentials', basic('someone', 'key'), 'key'],
    ['not at all', {}, ''],
    ['in another way', { Authorization: 'Digest key' }, ''],
    ['in a header of the API', { 'PRIVATE-TOKEN': 'key' }, ''],
  ])('brings its key %s', async (_name, headers, key) => {
    await start();
    await post(headers);
    expect(received()[0]?.key).toBe(key);
  });

  it.each([400, 401, 403, 404])('that is refused with %i has an empty answer', async (status) => {
    await start();
    answer = () => refused(status);
    const response = await post();
    expect([response.status, await response.text(), response.headers.get('x-alert-receipt')]).toEqual([
      status,
      '',
      null,
    ]);
  });

  it('is asked for again when the service has too much, is away, or is at fault', async () => {
    await start();
    answer = () => refused(429, 3);
    const busy = await post();
    expect([busy.status, busy.headers.get('retry-after'), await busy.text()]).toEqual([429, '3', 'Retry later\n']);
    answer = () => refused(503, 4);
    const again = await post();
    expect([again.status, again.headers.get('retry-after'), await again.text()]).toEqual([503, '4', '']);
    for (const error of [unavailable(), new Error('a bug')]) {
      answer = () => Promise.reject(error);
      const away = await post();
      expect([away.status, await away.text()]).toEqual([503, '']);
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('a payload that is compressed', () => {
  const body = Buffer.from('{"title": "ä"}');
  const send = (encoding: string, bytes: Buffer) =>
    post({ 'Content-Encoding': encoding, 'Content-Type': 'application/json' }, bytes as never);

  it.each([
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['identity', body],
  ])('with %s is taken for what it was before', async (encoding, bytes) => {
    await start();
    expect((await send(encoding, bytes)).status).toBe(200);
    expect(received()[0]?.content).toEqual(body);
  });

  it('may be as long as one that is not, and no longer', async () => {
    await start();
    expect((await send('gzip', gzipSync('x'.repeat(limit)))).status).toBe(200);
    expect((await send('gzip', gzipSync('x'.repeat(limit + 1)))).status).toBe(400);
    expect((await send('deflate', deflateSync(Buffer.alloc(limit * 500)))).status).toBe(400);
    expect(received()).toHaveLength(1);
  });

  it('is refused when it is broken', async () => {
    await start();
    for (const bytes of [body, gzipSync(body).subarray(0, 15), Buffer.alloc(0)])
      expect((await send('gzip', bytes)).status).toBe(400);
    expect(received()).toEqual([]);
  });

  it('in a way that is not understood is refused, and its sender is told what is', async () => {
    await start();
    for (const encoding of ['br', 'gzip, gzip', 'constructor']) {
      const response = await send(encoding, body);
      expect([response.status, response.headers.get('accept-encoding'), await response.text()]).toEqual([
        415,
        'gzip, deflate',
        '',
      ]);
    }
    expect(received()).toEqual([]);
  });
});

/** Sends by hand; resolves with what came back once the connection is closed. */
async function raw(
  head: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<{ text: string; took: number }> {
  const socket = connect(Number(new URL(gateway?.url ?? '').port), '127.0.0.1');
  const startedAt = performance.now();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise((settle) => socket.once('close', settle));
  socket.write(`POST ${address} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
  for await (const part of parts) {
    if (!socket.writable) break;
    socket.write(part);
  }
  await closed;
  return { text, took: performance.now() - startedAt };
}

describe('a payload that is too large', () => {
  it('is taken up to the limit', async () => {
    await start();
    expect((await post({}, 'x'.repeat(limit))).status).toBe(200);
    expect((await post({}, 'x'.repeat(limit + 1))).status).toBe(400);
    expect(received()).toHaveLength(1);
  });

  it('is refused by its announced length, before it is sent', async () => {
    await start();
    const { text, took } = await raw('Content-Length: 10000000000', []);
    expect(text).toMatch(/^HTTP\/1\.1 400 .*\r\nConnection: close\r\n.*\r\n\r\n$/is);
    expect(took).toBeLessThan(5_000);
    expect(received()).toEqual([]);
  });

  it('is not asked for by a sender that waits to be asked, and one that is not is', async () => {
    await start();
    const long = await raw(`Expect: 100-continue\r\nContent-Length: ${limit + 1}`, []);
    expect(long.text).toMatch(/^HTTP\/1\.1 400 /);
    const short = await raw('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2', ['{}']);
    expect(short.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(received()).toHaveLength(1);
  });

  it('is refused while it comes, when its length was not announced, and its connection is closed', async () => {
    await start();
    async function* endless() {
      for (let sent = 0; sent < 100; sent += 1) {
        yield `400\r\n${'x'.repeat(1_024)}\r\n`;
        await pause(20);
      }
    }
    const { text } = await raw('Transfer-Encoding: chunked', endless());
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(received()).toEqual([]);
  });

  /** Senders that hold all but one byte of a payload back, with what ends them. */
  const hold = (count: number, key: string) => {
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(new URL(gateway?.url ?? '').port), '127.0.0.1').on('error', () => undefined);
      socket.write(`POST ${address} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`);
      socket.write(`Content-Length: ${limit}\r\n\r\n${'x'.repeat(limit - 1)}`);
      return socket;
    });
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  };
  const whole = (key: string, headers: Record<string, string> = {}) =>
    post({ Authorization: `Bearer ${key}`, ...headers }, 'x'.repeat(limit));
  const answers = (key: string, status: number) =>
    eventually(async () => expect((await whole(key)).status).toBe(status));

  it('has to wait while those under way take too much room, of its key or of all', async () => {
    await start();
    const ends = [hold(32, '1')];
    await answers('1', 429);
    expect((await whole('4')).status).toBe(200);
    ends.push(hold(32, '2'), hold(32, '3'), hold(32, '4'));
    for (const key of ['2', '3', '4', '5']) await answers(key, 429);
    const last = await whole('5');
    expect([last.status, await last.text()]).toEqual([429, 'Retry later\n']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    const alertmanager = await whole('5', { 'User-Agent': 'Alertmanager/0.27.0' });
    expect([alertmanager.status, await alertmanager.text()]).toEqual([503, '']);
    for (const end of ends) end();
    await answers('5', 200);
  });

  it('has room with a right key, however many without one hold theirs back', async () => {
    await start({ SWITCHYARD_APPLICATION_LIMITS: 0 });
    answer = ({ key }) => (key.startsWith('good') ? stored : refused(401));
    const end = hold(200, 'wrong');
    await answers('another', 429);
    expect((await whole('good')).status).toBe(200);
    // Those who have shown no right key are not waited for as long as others are.
    await answers('another', 401);
    expect(received().filter(({ key }) => key === 'wrong')).toEqual([]);
    end();
  });

  it('of a sender that breaks off is dropped', async () => {
    await start();
    const socket = connect(Number(new URL(gateway?.url ?? '').port), '127.0.0.1');
    socket.write(`POST ${address} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a`);
    await pause(50);
    socket.destroy();
    await pause(50);
    expect(received()).toEqual([]);
    expect((await post()).status).toBe(200);
  });
});

describe('limits', () => {
  it('of a project: over them others are told to wait, Alertmanager to come again', async () => {
    await start({ SWITCHYARD_ALERT_LIMIT: { requests: 2, seconds: 60 } });
    answer = () => refused(401);
    for (let guessed = 0; guessed < 3; guessed += 1) expect((await post()).status).toBe(401);
    answer = () => stored;
    const first = await post();
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '1']);
    await post({}, '{}', '/G/P/prometheus/alerts/notify.json');
    const over = await post();
    expect([over.status, await over.text()]).toEqual([429, 'Retry later\n']);
    expect(over.headers.get('ratelimit-name')).toBe('throttle_project_alerts');
    expect(over.headers.get('ratelimit-observed')).toBe('3');
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    const alertmanager = await post({ 'User-Agent': 'Alertmanager/0.27.0' });
    expect([alertmanager.status, await alertmanager.text()]).toEqual([503, '']);
    expect((await post({}, '{}', '/g/other/alerts/notify.json')).status).toBe(200);
    expect(received()).toHaveLength(6);
  });

  it('of a project are for its senders, whatever others without a key begin and do not finish', async () => {
    await start({ SWITCHYARD_ALERT_LIMIT: { requests: 1, seconds: 60 } });
    answer = ({ key }) => (key === 'good' ? stored : refused(401));
    const send = async (key: string, body: string) => (await post({ Authorization: `Bearer ${key}` }, body)).status;
    for (let at = 0; at < 3; at += 1) expect(await send('wrong', 'x'.repeat(limit + 1))).toBe(400);
    const socket = connect(Number(new URL(gateway?.url ?? '').port), '127.0.0.1').on('error', () => undefined);
    socket.write(`POST ${address} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a`);
    await eventually(() => expect(requestsOf('CheckKey').at(-1)?.key).toBe(''));
    expect(await send('good', '{}')).toBe(200);
    expect(await send('good', '{}')).toBe(429);
    expect(await send('wrong', '{}')).toBe(401);
    socket.destroy();
  });

  describe('of wrong keys', () => {
    const guess = (key: string, headers: Record<string, string> = {}) =>
      post({ Authorization: `Bearer ${key}`, ...headers });
    const statusOf = async (key: string, headers?: Record<string, string>) => (await guess(key, headers)).status;
    const asked = (rpc: string) => requestsOf(rpc).map(({ key }) => key);
    /** An address that has presented as many as it may. */
    const exhaust = async () => {
      await start({ SWITCHYARD_APPLICATION_LIMITS: 0.05 });
      answer = ({ key }) => (key.startsWith('good') ? stored : refused(key === 'unknown' ? 403 : 401));
      const statuses = [];
      for (const key of ['1', '2', 'unknown', '4', '5']) statuses.push(await statusOf(key));
      expect(statuses).toEqual([401, 401, 403, 401, 401]);
      gateway?.calls.splice(0);
    };

    it('an address over it is told to wait after one look at its key, and none at what it sends', async () => {
      await exhaust();
      const over = await guess('6');
      expect([over.status, over.headers.get('retry-after'), await over.text()]).toEqual([429, '60', 'Retry later\n']);
      expect(await statusOf('another', { 'User-Agent': 'Alertmanager/0.27.0' })).toBe(503);
      expect(await statusOf('')).toBe(429);
      expect([asked('CheckKey'), asked('Receive')]).toEqual([['6', 'another', ''], []]);
    });

    it('an address over it keeps no connection by a body that it holds back', async () => {
      await exhaust();
      const { text } = await raw('Authorization: Bearer 6\r\nContent-Length: 100', ['{"a']);
      expect(text).toMatch(/^HTTP\/1\.1 429 .*\r\nConnection: close\r\n.*\r\n\r\nRetry later\n$/is);
      answer = () => Promise.reject(unavailable());
      expect((await raw('Content-Length: 100', ['{"a'])).text).toMatch(/^HTTP\/1\.1 503 /);
    });

    it('a right key gets through, also one that was never seen; it is looked up once', async () => {
      await exhaust();
      expect([
        await statusOf('good'),
        await statusOf('wrong'),
        await statusOf('good'),
        await statusOf('good2'),
      ]).toEqual([200, 429, 200, 200]);
      expect([asked('CheckKey'), asked('Receive')]).toEqual([
        ['good', 'wrong', 'good2'],
        ['good', 'good', 'good2'],
      ]);
    });

    it('looks at the keys of an address one after another, and makes no more than twenty wait', async () => {
      await exhaust();
      let release = (): void => undefined;
      const held = new Promise<void>((settle) => {
        release = settle;
      });
      answer = async ({ key }) => {
        await held;
        return key === 'good' ? stored : refused(401);
      };
      const all = Array.from({ length: 21 }, (_, at) => guess(at === 7 ? 'good' : `${at}`));
      const over = await Promise.race(all);
      expect([over.status, over.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-5]$/)]);
      expect(asked('CheckKey')).toHaveLength(1);
      // Another address is not kept waiting.
      const other = statusOf('else', { 'X-Forwarded-For': '203.0.113.9' });
      await eventually(() => expect(asked('CheckKey')).toContain('else'));
      release();
      await Promise.all(all);
      expect(asked('CheckKey')).toHaveLength(21);
      expect(await other).toBe(401);
    });

    it('count also when what came with them was too long', async () => {
      await start({ SWITCHYARD_APPLICATION_LIMITS: 0.02 });
      answer = () => refused(401);
      const send = async (size: number) => (await post({}, 'x'.repeat(size))).status;
      expect([await send(limit + 1), await send(limit + 1), await send(1)]).toEqual([400, 400, 429]);
    });

    it('one that has been right is not looked up again before the body is read', async () => {
      await start({ SWITCHYARD_APPLICATION_LIMITS: 1 });
      answer = ({ key }) => (key === 'good' ? stored : refused(401));
      for (const key of ['good', 'good', 'wrong', 'wrong', 'good']) await statusOf(key);
      expect([asked('CheckKey'), asked('Receive')]).toEqual([
        ['good', 'wrong', 'wrong'],
        ['good', 'good', 'wrong', 'wrong', 'good'],
      ]);
    });

    it('asks to come again while keys cannot be looked up', async () => {
      await exhaust();
      answer = () => Promise.reject(unavailable());
      const away = await guess('good');
      expect([away.status, await away.text()]).toEqual([503, '']);
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    });
  });
});

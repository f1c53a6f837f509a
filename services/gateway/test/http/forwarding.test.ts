import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@switchyard/errors';
import { identityKey, relayedKey } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { hanging } from '../../src/http/forward';
import { giveWay } from '../../src/http/give-way';
import { streamRate } from '../../src/http/stream-body';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

const half = Buffer.alloc(256 << 10, 'x');

/** A file in pieces, over some hundred milliseconds. */
async function* slowly(file: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += 256 << 10) {
    await sleep(10);
    yield file.subarray(at, at + (256 << 10));
  }
}

describe('what streams through the gateway', () => {
  let gateway: TestGateway;
  let service: Server;
  // As if no processor were ever free.
  const way = giveWay({ now: () => performance.now(), waited: () => performance.now() });
  /** Where transfers went that have rested. */
  const rested = new Set<unknown>();
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let reach = async (): Promise<void> => undefined;

  beforeAll(async () => {
    service = createServer((request, response) => answer(request, response));
    await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    gateway = await startTestGateway({
      way: {
        answered: way.answered,
        join: (sink) =>
          way.join({
            cork() {
              rested.add(sink);
              sink.cork();
            },
            uncork: () => sink.uncork(),
            on: sink.on.bind(sink) as never,
            off: sink.off.bind(sink) as never,
          }),
      },
      reach: () => reach(),
      access: () => resolved({ access: projectAccess() }),
      config: { ALERTS_HTTP_URL: url, MERGE_REQUESTS_HTTP_URL: url },
    });
  });
  afterAll(async () => {
    service.closeAllConnections();
    await gateway.close();
    await new Promise((settle) => service.close(settle));
  });

  const image = '/api/v4/projects/1/alert_management_alerts/2/metric_images/4/file';
  const gitFetch = '/group/project.git/info/refs?service=git-upload-pack';

  /** How a reply ends: whole or broken off; undefined while it goes on. */
  const ask = (path: string, method = 'GET', body = '', headers = {}) => {
    const state: { status?: number; ended?: 'whole' | 'broken off'; leave(): void } = { leave: () => sent.destroy() };
    const sent = send(
      `${gateway.url}${path}`,
      { method, headers: { 'PRIVATE-TOKEN': 'glpat-developer', ...headers } },
      (reply) => {
        state.status = reply.statusCode as number;
        reply.resume().once('close', () => {
          state.ended = reply.complete ? 'whole' : 'broken off';
        });
        reply.once('error', () => undefined);
      },
    );
    sent.once('error', () => undefined).end(body);
    return state;
  };

  it.each([
    ['an image of a known length', image, { 'content-length': String(2 * half.length) }],
    ['an image in chunks', image, {}],
    ['a fetch', gitFetch, {}],
  ])('%s is broken off at once when its service dies in the middle', async (_, path, headers) => {
    const replies: ServerResponse[] = [];
    answer = (_request, response) => {
      replies.push(response.writeHead(200, headers));
      response.write(half);
    };
    const asked = ask(path);
    await eventually(() => expect([asked.status, replies.length]).toEqual([200, 1]));
    for (const reply of replies) reply.destroy();
    await eventually(() => expect(asked.ended).toBe('broken off'), { within: 5_000 });
  });

  it('one connection serves one request after another, on both sides', async () => {
    const connected = new Set<unknown>();
    answer = (request, response) => {
      connected.add(request.socket);
      response.end('image');
    };
    const headers = { 'PRIVATE-TOKEN': 'glpat-developer' };
    for (let at = 0; at < 3; at += 1) {
      const reply = await globalThis.fetch(`${gateway.url}${image}`, { headers });
      expect([await reply.text(), reply.headers.get('connection')]).toEqual(['image', 'keep-alive']);
    }
    expect(connected.size).toBe(1);
  });

  it.each(['GET', 'POST'])('a service stops when the client of a %s has gone', async (method) => {
    let gone = false;
    answer = (_request, response) => {
      response.writeHead(200).write(half);
      response.once('close', () => {
        gone = true;
      });
    };
    const asked = method === 'GET' ? ask(gitFetch) : ask('/group/project.git/git-upload-pack', method, '0000');
    await eventually(() => expect(asked.status).toBe(200));
    expect(gone).toBe(false);
    asked.leave();
    await eventually(() => expect(gone).toBe(true), { within: 5_000 });
  });

  it.each([
    ['GET', gitFetch, {}],
    ['POST', '/group/project.git/git-upload-pack', {}],
    ['POST', '/group/project.git/git-upload-pack', { expect: '100-continue' }],
  ])('a service stops when the client of a %s %s has gone before it answers (%j)', async (method, path, headers) => {
    const [asked, gone] = [jest.fn(), jest.fn()];
    answer = (request, response) => {
      request.resume().once('end', asked);
      response.once('close', gone);
    };
    const { leave } = ask(path, method, method === 'GET' ? '' : '0000', headers);
    await eventually(() => expect(asked).toHaveBeenCalled());
    expect(gone).not.toHaveBeenCalled();
    leave();
    await eventually(() => expect(gone).toHaveBeenCalled(), { within: 5_000 });
  });

  it.each([
    ['GET', image, 503],
    ['POST', '/group/project.git/git-upload-pack', 504],
  ])('a %s is given up once its service is found to hang', async (method, path, status) => {
    const looks = jest.replaceProperty(hanging, 'lookEveryMs', 50 as never);
    answer = () => {
      reach = async () => {
        throw unavailable(new Error('it hangs'));
      };
    };
    const asked = ask(path, method, method === 'GET' ? '' : '0000');
    await eventually(() => expect([asked.status, asked.ended]).toEqual([status, 'whole']), { within: 10_000 });
    reach = async () => undefined;
    looks.restore();
  });

  it('a service stops when a body stands still, whose sender gets 408', async () => {
    const rate = jest.replaceProperty(streamRate, 'windowMs', 100 as never);
    const gone = jest.fn();
    answer = (request) => request.resume().once('close', gone);
    const asked = ask('/group/project.git/git-upload-pack', 'POST', '0000', { 'content-length': '1000' });
    await eventually(() => expect([asked.status, asked.ended]).toEqual([408, 'whole']), { within: 10_000 });
    await eventually(() => expect(gone).toHaveBeenCalled(), { within: 10_000 });
    rate.restore();
  });

  it.each([
    ['stays there after the 408', ''],
    ['sends the rest after the 408', 'x'.repeat(996)],
  ])('a service stops when a body stands still, whose sender %s', async (_, rest) => {
    const rate = jest.replaceProperty(streamRate, 'windowMs', 100 as never);
    const [came, gone] = [jest.fn(), jest.fn()];
    answer = (request) => {
      came();
      request.resume().once('close', gone);
    };
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let reply = '';
    socket.on('data', (chunk) => {
      reply += chunk;
    });
    const head = ['POST /group/project.git/git-upload-pack HTTP/1.1', 'Host: x', 'PRIVATE-TOKEN: glpat-developer'];
    socket.write([...head, 'Content-Length: 1000', '', '0000'].join('\r\n'));
    await eventually(() => expect(reply).toMatch(/^HTTP\/1\.1 408 /), { within: 10_000 });
    socket.write(rest);
    await eventually(() => expect(gone).toHaveBeenCalled(), { within: 10_000 });
    expect(came).toHaveBeenCalled();
    socket.destroy();
    rate.restore();
  });

  it('a service that dies over an upload may have kept it (504), and a connection that still sends goes on', async () => {
    answer = (request) => request.once('data', () => request.socket.destroy());
    const reply = await gateway.send('POST', '/projects/1/alert_management_alerts/2/metric_images', {
      token: 'glpat-developer',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      raw: Buffer.alloc(4 << 20),
    });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([504, null]);
  });

  it('large files rest while other requests come, and come whole both ways', async () => {
    const file = randomBytes(8 << 20);
    const received: Buffer[] = [];
    answer = async (request, response) => {
      for await (const chunk of request) received.push(chunk as Buffer);
      response.writeHead(200, { 'content-length': String(file.length) });
      await pipeline(slowly(file), response);
    };
    let transferring = true;
    const others = (async () => {
      while (transferring) await gateway.send('GET', '/version', { token: 'glpat-developer' });
    })();
    const reply = await fetch(`${gateway.url}${image.replace(/\/4\/file$/, '')}`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': 'glpat-developer', 'Content-Type': 'multipart/form-data; boundary=b' },
      body: slowly(file),
      duplex: 'half',
    } as RequestInit);
    const body = Buffer.from(await reply.arrayBuffer());
    transferring = false;
    await others;
    expect([body.equals(file), Buffer.concat(received).equals(file)]).toEqual([true, true]);
    expect(rested.size).toBe(2);
  });

  it('a read is sent again when its service closes the kept connection as it comes, once and over another', async () => {
    const sockets: unknown[] = [];
    const claims = new Set<unknown>();
    answer = (request, response) => {
      sockets.push(request.socket);
      claims.add(request.headers[identityKey]);
      if (sockets.length > 1 && sockets[0] === request.socket) request.socket.resetAndDestroy();
      else response.end('whole');
    };
    const read = () => gateway.send('GET', image.slice('/api/v4'.length), { token: 'glpat-developer' });
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(200);
    expect([sockets.length, new Set(sockets).size, claims.size]).toEqual([3, 2, 3]);
  });

  it('a client cannot say that its request was relayed', async () => {
    const relayed: unknown[] = [];
    answer = (request, response) => {
      relayed.push(request.headers[relayedKey]);
      response.end('whole');
    };
    const headers = { [relayedKey]: 'true' };
    await gateway.send('GET', image.slice('/api/v4'.length), { token: 'glpat-developer', headers });
    expect(relayed).toEqual([undefined]);
  });

  it.each([
    ['GET', gitFetch],
    ['POST', '/group/project.git/git-upload-pack'],
  ])('a %s goes to another process where the first has died and still has its address', async (method, path) => {
    const { port } = service.address() as AddressInfo;
    const bodies: string[] = [];
    answer = async (request, response) => {
      bodies.push((await request.toArray()).join(''));
      response.end('whole');
    };
    const behind = await startTestGateway({
      access: () => resolved({ access: projectAccess() }),
      config: { MERGE_REQUESTS_HTTP_URL: `http://merge-requests.test:${port}` },
    });
    const found = ['127.0.0.9', '127.0.0.8'];
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_name: string, _options: unknown, done: (...found: unknown[]) => void) =>
        process.nextTick(done, null, [{ address: found.shift() ?? '127.0.0.1', family: 4 }])) as never);
    const body = method === 'GET' ? null : '0000';
    const headers = { 'PRIVATE-TOKEN': 'glpat-developer', 'content-type': 'application/x-git-upload-pack-request' };
    const reply = await globalThis.fetch(`${behind.url}${path}`, { method, headers, body });
    expect([reply.status, await reply.text(), bodies, found]).toEqual([200, 'whole', [body ?? ''], []]);
    jest.restoreAllMocks();
    await behind.close();
  });

  it('a read is not sent again when its service dies over a new connection', async () => {
    let asked = 0;
    answer = (request) => {
      asked += 1;
      request.socket.resetAndDestroy();
    };
    service.closeIdleConnections();
    const reply = await gateway.send('GET', image.slice('/api/v4'.length), { token: 'glpat-developer' });
    expect([reply.status, asked]).toEqual([503, 1]);
  });
});

describe('failures', () => {
  let lines: Record<string, unknown>[];
  beforeEach(() => {
    lines = [];
    for (const level of ['warn', 'error'] as const)
      jest.spyOn(logger, level).mockImplementation(((line: Record<string, unknown>) => void lines.push(line)) as never);
  });
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['500 of a handler', 500, '/projects/1/labels', {}],
    ['503 of a handler', 503, '/projects/1/milestones', {}],
    ['503 of a service that is not there', 503, '/projects/1/alert_management_alerts/2/metric_images/4/file', {}],
  ])('a %s has a log line with the id of its request', async (_, status, path, headers) => {
    const gateway = await startTestGateway({
      access: () => resolved({ access: projectAccess() }),
      config: { ALERTS_HTTP_URL: 'http://127.0.0.1:9' },
      otherwise: async () => {
        const { unavailable } = await import('@switchyard/errors');
        throw status === 503 ? unavailable(new Error('down')) : new Error('a bug');
      },
    });
    try {
      const reply = await gateway.send('GET', path, {
        token: 'glpat-developer',
        headers: { ...headers, 'X-Request-Id': `id-${status}` },
      });
      expect(reply.status).toBe(status);
      expect(lines).toEqual([expect.objectContaining({ request_id: `id-${status}`, status, err: expect.anything() })]);
    } finally {
      await gateway.close();
    }
  });
});

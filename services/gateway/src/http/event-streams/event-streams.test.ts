import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import express from 'express';
import { eventStreams } from './event-streams';

const eventBytes = 24 << 20;

/** A server of one stream with one long event, which ends with `-end`. */
async function serve(limits: { slowMs: number; slowestMs: number }) {
  const streams = eventStreams(limits);
  const app = express();
  app.get('/', (request, response) =>
    streams.serve(request, response, {
      event: 'long',
      subject: 'long',
      caller: 'one',
      question: { name: 'one', ask: async () => undefined },
      open: async function* (signal) {
        yield { json: Buffer.from(`${'x'.repeat(eventBytes)}-end`), status: 0 };
        await new Promise((settle) => signal.addEventListener('abort', settle));
      },
    }),
  );
  const server = createServer(app).listen(0);
  await new Promise((settle) => server.once('listening', settle));
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];

  /** A client that reads what has come, some 64 KiB, every `everyMs`; none when that is 0. */
  function reader(everyMs: number) {
    const socket = connect(port);
    sockets.push(socket);
    const got = { bytes: 0, end: '', closed: false };
    socket.on('error', () => undefined).on('close', () => Object.assign(got, { closed: true }));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    void (async () => {
      for (;;) {
        const chunk: Buffer | null = everyMs > 0 ? socket.read() : null;
        got.bytes += chunk?.length ?? 0;
        got.end = (got.end + (chunk?.subarray(-64) ?? '')).slice(-64);
        if (got.closed) return;
        await pause(everyMs || 20);
      }
    })();
    return got;
  }

  const close = async (): Promise<void> => {
    streams.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((settle) => server.close(settle));
  };
  return { streams, reader, close };
}

it('a reader of a long event is dropped for making no progress, not for being slow (D3)', async () => {
  const { streams, reader, close } = await serve({ slowMs: 1_500, slowestMs: 60_000 });
  const since = Date.now();
  const [slow, dead] = [reader(10), reader(0)];
  await eventually(() => expect(streams.counts().streams).toBe(2));
  await eventually(() => expect(streams.counts().streams).toBe(1), { within: 8_000 });
  await eventually(() => expect(slow.end).toContain('-end'), { within: 30_000 });
  expect(Date.now() - since).toBeGreaterThan(2_000);
  expect([slow.bytes > eventBytes, slow.closed, dead.bytes]).toEqual([true, false, 0]);
  await close();
}, 60_000);

it('a reader that takes a long event in small pieces is dropped in the end', async () => {
  const { streams, reader, close } = await serve({ slowMs: 1_000, slowestMs: 2_000 });
  const trickle = reader(40);
  await eventually(() => expect(streams.counts().streams).toBe(1));
  await eventually(() => expect(streams.counts().streams).toBe(0), { within: 6_000 });
  expect(trickle.bytes).toBeLessThan(eventBytes);
  await close();
});

import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually } from '@switchyard/testkit';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { bodyMemory } from './body-memory';
import { receiveBody } from './receive-body';
import { streamBody } from './stream-body';
import { settleUnreadBodies } from './unread-body';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Sends a part of a body to a server; `closed` is true once that has broken it off. */
async function sending(listener: RequestListener, part: string) {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const state = { closed: false, socket };
  socket.on('close', () => {
    state.closed = true;
  });
  socket.resume().write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${part}`);
  return state;
}

const requestOf = (request: IncomingMessage) => request as Request;

/** Express with what answers before a body has come. */
const handledBy = (handler: RequestHandler): RequestListener => express().use(settleUnreadBodies, handler);

describe('a body that streams', () => {
  const minimumRate = { windowMs: 100, leastBytes: 10 };

  it('gets 408 when it stands still', async () => {
    const sent = await sending(
      handledBy((request, response) => {
        streamBody(request, response, minimumRate);
        request.resume();
      }),
      'x'.repeat(100),
    );
    let reply = '';
    sent.socket.on('data', (chunk) => {
      reply += chunk;
    });
    await eventually(() => expect(sent.closed).toBe(true));
    expect(reply).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*\r\nConnection: close\r\n[\s\S]*\r\n\r\n\{"message":"408 Request Timeout"\}$/,
    );
  });

  it('is broken off when it stands still after the reply has begun', async () => {
    const sent = await sending(
      handledBy((request, response) => {
        response.write('x');
        streamBody(request, response, minimumRate);
        request.resume();
      }),
      'x'.repeat(100),
    );
    await eventually(() => expect(sent.closed).toBe(true));
  });

  it('goes on as long as it moves, and waits for a service that does not take it', async () => {
    let received: IncomingMessage | undefined;
    const sent = await sending(
      handledBy((request, response) => {
        received = request;
        streamBody(request, response, minimumRate);
        response.write('x');
      }),
      'x'.repeat(100),
    );
    await eventually(() => expect(received?.readableLength).toBe(100));
    const until = Date.now() + 500;
    await eventually(() => expect(Date.now()).toBeGreaterThan(until));
    expect(sent.closed).toBe(false);
    let all = 100;
    received?.resume();
    await eventually(
      () => {
        sent.socket.write('x'.repeat(1_000));
        all += 1_000;
        expect(all).toBeGreaterThan(30_000);
      },
      { every: 10 },
    );
    expect(sent.closed).toBe(false);
    await eventually(() => expect(sent.closed).toBe(true));
  });
});

describe('a body that is received', () => {
  it('is given up when it takes longer than its minimum rate allows', async () => {
    let refusal: unknown;
    const memory = bodyMemory(1_000_000, 1_000_000);
    const startedAt = Date.now();
    await sending((request, response) => {
      const hold = memory.holder(response as Response, 'ada');
      const reception = { limit: 1_000_000, minimumRate: { graceMs: 100, bytesPerMs: 1 }, hold };
      receiveBody(requestOf(request), response as Response, reception).catch((error) => {
        refusal = error;
      });
    }, 'x'.repeat(200));
    await eventually(() => expect(refusal).toMatchObject({ kind: 'request_timeout' }));
    // A hundred milliseconds, and one for each byte.
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(290);
  });

  it('gives its memory back when its sender leaves', async () => {
    const memory = bodyMemory(500, 500, 5_000);
    let refusal: unknown;
    let waits: boolean | Promise<boolean> | undefined;
    const sent = await sending((request, response) => {
      const hold = memory.holder(response as Response, 'ada');
      receiveBody(requestOf(request), response as Response, {
        limit: 1_000_000,
        minimumRate: { graceMs: 60_000, bytesPerMs: 1 },
        hold,
      }).catch((error) => {
        refusal = error;
      });
      request.once('data', () => {
        waits = memory.holder(new EventEmitter() as Response, 'bob').take(400);
      });
    }, 'x'.repeat(400));
    await eventually(() => expect(waits).toBeInstanceOf(Promise));
    sent.socket.destroy();
    await eventually(() => expect(refusal).toMatchObject({ kind: 'request_timeout' }));
    expect(await waits).toBe(true);
  });
});

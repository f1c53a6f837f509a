import { EventEmitter } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { admissionQueue, type ForwardedCall } from '@switchyard/rpc';
import { withBoundedUploads } from './bounded-uploads';

const callOf = (userId: number): ForwardedCall =>
  ({
    claims: { actor: { userId } },
    request: { socket: { bytesRead: 0 }, readableLength: 0, complete: false },
    response: new EventEmitter(),
  }) as unknown as ForwardedCall;

it('bounds what takes a body, for each caller and in all, and nothing else', async () => {
  const running = new Map<string, () => void>();
  const endpoint = (method: string) => ({
    methods: [method],
    path: /^$/,
    run: ({ claims }: ForwardedCall) =>
      new Promise<void>((settle) => {
        running.set(`${method} ${claims.actor?.userId} ${running.size}`, settle);
      }),
  });
  const queue = admissionQueue({ slots: 3, slotsOfOwner: 2, maxWaiting: 4 });
  const [{ http = [] } = {}] = withBoundedUploads([{ http: [endpoint('PUT'), endpoint('GET')] }], queue);
  const [put, get] = http;
  const slow = Array.from({ length: 4 }, () => put?.run(callOf(7)));
  const other = put?.run(callOf(8));
  await new Promise(setImmediate);
  expect([...running.keys()]).toEqual(['PUT 7 0', 'PUT 7 1', 'PUT 8 2']);
  // Of four tickets that may wait one caller has at most two.
  await expect(put?.run(callOf(7))).rejects.toMatchObject({ kind: 'unavailable' });
  void get?.run(callOf(7));
  await new Promise(setImmediate);
  expect([...running.keys()].at(-1)).toBe('GET 7 3');
  while (queue.running() > 0) {
    for (const settle of running.values()) settle();
    await new Promise(setImmediate);
  }
  await Promise.all([...slow, other]);
});

it('does not bound what keeps nothing of its body', async () => {
  const run = jest.fn(async () => undefined);
  const queue = admissionQueue({ slots: 1, maxWaiting: 2 });
  const http = [{ methods: ['POST'], path: /^$/, keepsNothing: true as const, run }];
  const release = await queue.enter();
  await withBoundedUploads([{ http }], queue)[0]?.http?.[0]?.run(callOf(7));
  expect(run).toHaveBeenCalled();
  release();
});

it('gives slow uploads up for those that wait, first of the caller with the most, and none else', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  try {
    const http = [{ methods: ['PUT'], path: /^$/, run: () => new Promise<void>(() => undefined) }];
    const queue = admissionQueue({ slots: 5, maxWaiting: 4 });
    const put = withBoundedUploads([{ http }], queue, { windowMs: 4_000, leastBytes: 100 })[0]?.http?.[0];
    const ended: string[] = [];
    const send = (name: string, userId: number) => {
      const call = callOf(userId);
      put?.run(call).catch((error) => ended.push(`${name} ${error.kind}`));
      return call.request as unknown as { socket: { bytesRead: number }; readableLength: number; complete: boolean };
    };
    const moving = send('moving', 7);
    send('alone', 9);
    send('slow', 7);
    const received = send('received', 7);
    received.complete = true;
    const sinceReceived = send('received since', 9);
    await new Promise(setImmediate);
    moving.socket.bytesRead = 100;
    await jest.advanceTimersByTimeAsync(4_000);
    // Nobody waits.
    expect(ended).toEqual([]);
    sinceReceived.complete = true;
    send('waiting', 8);
    await new Promise(setImmediate);
    expect([ended, queue.running(), queue.waiting()]).toEqual([['slow request_timeout'], 5, 0]);
    send('second', 8);
    await new Promise(setImmediate);
    expect(ended).toEqual(['slow request_timeout', 'alone request_timeout']);
    send('third', 8);
    await new Promise(setImmediate);
    // Others are not known to be slow before a window is over.
    expect([ended.length, queue.waiting()]).toEqual([2, 1]);
    moving.readableLength = 1;
    await jest.advanceTimersByTimeAsync(4_000);
    expect([ended.slice(2), queue.waiting()]).toEqual([['waiting request_timeout'], 0]);
  } finally {
    jest.useRealTimers();
  }
});

it('keeps nothing of an upload that was given up, though its last bytes come then', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  try {
    const ended: string[] = [];
    const run = async ({ request, claims }: ForwardedCall) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
        ended.push(`${claims.actor?.userId} ${Buffer.concat(chunks)}`);
      } catch (error) {
        ended.push(`${claims.actor?.userId} ${(error as NodeJS.ErrnoException).code}`);
      }
    };
    const queue = admissionQueue({ slots: 2, maxWaiting: 4 });
    const put = withBoundedUploads([{ http: [{ methods: ['PUT'], path: /^$/, run }] }], queue)[0]?.http?.[0];
    const send = (userId: number) => {
      const call = { ...callOf(userId), request: new IncomingMessage(new Socket()) };
      return { ...call, done: put?.run(call) };
    };
    const [slow, silent] = [send(7), send(6)];
    slow.request.push('first ');
    await jest.advanceTimersByTimeAsync(4_000);
    const [next, other] = [send(8), send(9)];
    for (const { done } of [slow, silent]) await expect(done).rejects.toMatchObject({ kind: 'request_timeout' });
    for (const { request } of [slow, next, other]) {
      request.push('last');
      request.complete = true;
      request.push(null);
    }
    silent.response.emit('close');
    await Promise.all([next.done, other.done]);
    expect(ended.sort()).toEqual(['6 ERR_STREAM_PREMATURE_CLOSE', '7 ERR_STREAM_PREMATURE_CLOSE', '8 last', '9 last']);
  } finally {
    jest.useRealTimers();
  }
});

it('does not start the upload of a sender that has left', async () => {
  const run = jest.fn();
  const http = [{ methods: ['POST'], path: /^$/, run }];
  const queue = admissionQueue({ slots: 1, maxWaiting: 2 });
  const [area] = withBoundedUploads([{ http }], queue);
  const release = await queue.enter();
  const call = callOf(7);
  const refused = area?.http?.[0]?.run(call);
  call.response.emit('close');
  await expect(refused).rejects.toBeDefined();
  release();
  expect(run).not.toHaveBeenCalled();
});

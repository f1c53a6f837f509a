import { EventEmitter } from 'node:events';
import { admissionQueue, type ForwardedCall } from '@switchyard/rpc';
import { withBoundedUploads } from './bounded-uploads';

const callOf = (userId: number): ForwardedCall =>
  ({ claims: { actor: { userId } }, response: new EventEmitter() }) as unknown as ForwardedCall;

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

import { Readable } from 'node:stream';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { isAppError } from '@switchyard/errors';
import { longestUploadMs, type ReceivingEdges, receiveContent } from './receive-content';

const hour = 3_600_000;

/** A store that reads what it is given, and says what was done with the one blob. */
function receiving(store: Partial<BlobStore> = {}, table: Partial<BlobRemains> = {}) {
  const done: string[] = [];
  const clock = { now: 0 };
  const note = (what: string) => async () => void done.push(what);
  const edges: ReceivingEdges = {
    blobs: {
      async write(_key, content) {
        let size = 0;
        for await (const chunk of content) size += chunk.length;
        done.push('written');
        return size;
      },
      ...store,
    } as BlobStore,
    remains: {
      expect: note('expected'),
      renew: note('renewed'),
      discard: note('discarded'),
      ...table,
    } as unknown as BlobRemains,
    contents: { blobOf: async () => undefined },
    pruneSoon: () => void done.push('pruning'),
    now: () => clock.now,
  };
  return { ...receiveContent(edges), done, clock };
}

/** A sender of one byte whenever so much time has passed. */
async function* slowly(clock: { now: number }, everyMs: number, times: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < times; at += 1) {
    clock.now += everyMs;
    yield Buffer.from('x');
  }
}

it('keeps a blob expected that takes hours to come', async () => {
  const { receive, done, clock } = receiving();
  const { size } = await receive(slowly(clock, hour / 4, 12), 100, async (received) => received);
  expect(size).toBe(12);
  expect(done).toEqual(['expected', ...Array(12).fill('renewed'), 'written']);
});

it('goes on where a renewal fails: the next one comes in time', async () => {
  const { receive, done, clock } = receiving({}, { renew: () => Promise.reject(new Error('away')) });
  await receive(slowly(clock, hour / 4, 3), 100, async () => 'used');
  expect(done).toEqual(['expected', 'written']);
});

it.each([
  ['is too slow', 'request_timeout', (clock: { now: number }) => slowly(clock, longestUploadMs + 1, 1), {}],
  ['is too large', 'too_large', () => Readable.from([Buffer.alloc(60), Buffer.alloc(60)]), {}],
  [
    'finds the disk full',
    'unavailable',
    () => Readable.from([Buffer.alloc(9)]),
    { write: () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })) },
  ],
] as const)('discards a content that %s (%s)', async (_what, kind, content, store) => {
  const { receive, done, clock } = receiving(store);
  const use = jest.fn();
  const failure: unknown = await receive(content(clock), 100, use).catch((error: unknown) => error);
  expect([isAppError(failure, kind), use.mock.calls]).toEqual([true, []]);
  expect(done).toEqual(['expected', 'discarded', 'pruning']);
});

it('discards a content of which no row is made', async () => {
  const { receive, done } = receiving();
  const refused = new Error('refused');
  await expect(receive(Readable.from([Buffer.from('x')]), 100, () => Promise.reject(refused))).rejects.toBe(refused);
  expect(done).toEqual(['expected', 'written', 'discarded', 'pruning']);
});

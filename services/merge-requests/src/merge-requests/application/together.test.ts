import { setImmediate as turn } from 'node:timers/promises';
import { unavailable } from '@switchyard/errors';
import { together } from './together';

/** Work that ends when it is let, and what was given to it. */
function held() {
  const goes: { items: readonly number[]; end: (error?: unknown) => void }[] = [];
  const join = together<string, number, number>(
    3,
    (_key, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: unknown): void =>
          error === undefined ? resolve(items.map((item) => item * 10)) : reject(error);
        goes.push({ items, end });
      }),
  );
  return { goes, join };
}

it('does what is asked for meanwhile in the next go, no more than its size', async () => {
  const { goes, join } = held();
  const all = Promise.all([1, 2, 3, 4, 5].map((item) => join('a', item)));
  const other = join('b', 6);
  expect(goes.map(({ items }) => items)).toEqual([[1], [6]]);
  goes[1]?.end();
  expect(await other).toBe(60);
  goes[0]?.end();
  await turn();
  expect(goes[2]?.items).toEqual([2, 3, 4]);
  goes[2]?.end();
  await turn();
  expect(goes[3]?.items).toEqual([5]);
  goes[3]?.end();
  expect(await all).toEqual([10, 20, 30, 40, 50]);
  const again = join('a', 7);
  expect(goes[4]?.items).toEqual([7]);
  goes[4]?.end();
  expect(await again).toBe(70);
});

it('lets one that cannot be done take no other with it', async () => {
  const done: (readonly number[])[] = [];
  const join = together<string, number, number>(3, async (_key, items) => {
    done.push(items);
    await turn();
    if (items.includes(3)) throw new Error('cannot be done');
    return items;
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map((item) => join('a', item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
});

it('asks once for what is away', async () => {
  const { goes, join } = held();
  const all = Promise.allSettled([1, 2, 3].map((item) => join('a', item)));
  goes[0]?.end();
  await turn();
  goes[1]?.end(unavailable('away'));
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(goes).toHaveLength(2);
});

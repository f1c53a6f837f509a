import { refusedOf } from './stages';

it.each([
  [[], 0],
  [[7], 9],
  [[1, 6, 10], 30],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0],
])('finds that an owner has not taken %p, with at most %p more calls', async (refused, atMost) => {
  let calls = 0;
  const items = Array.from({ length: 10 }, (_, index) => index + 1);
  const taken = (given: readonly number[]) => given.filter((one) => !refused.includes(one)).length;
  const found = await refusedOf(items, taken(items), async (given) => {
    calls += 1;
    return taken(given);
  });
  expect(found).toEqual(refused);
  expect(calls).toBeLessThanOrEqual(atMost);
});

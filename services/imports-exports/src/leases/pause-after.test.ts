import { pauseAfter } from './pause-after';

it('pauses grow up to the longest one', () => {
  expect([1, 4, 8, 9, 10_000].map((tries) => pauseAfter(tries))).toEqual([2, 16, 256, 300, 300]);
  expect([9, 10, 12].map((tries) => pauseAfter(tries, 900))).toEqual([512, 900, 900]);
});

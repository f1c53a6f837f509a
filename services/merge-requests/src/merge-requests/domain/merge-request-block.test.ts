import { maxBlocks, maxChain, requireNoCycle } from './merge-request-block';

const none = { waitsFor: new Set<number>(), blocks: 0 };

test('a merge request may wait for one that does not wait for it', () => {
  expect(() => requireNoCycle({ blockingId: 1, blockedId: 2 }, none)).not.toThrow();
  expect(() => requireNoCycle({ blockingId: 1, blockedId: 2 }, { ...none, waitsFor: new Set([3, 4]) })).not.toThrow();
});

test.each([
  ['itself', { blockingId: 2, blockedId: 2 }, none],
  ['one that waits for it', { blockingId: 1, blockedId: 2 }, { ...none, waitsFor: new Set([3, 2]) }],
  ['one more than it may', { blockingId: 1, blockedId: 2 }, { ...none, blocks: maxBlocks }],
  [
    'one that waits for too many',
    { blockingId: 1, blockedId: 2 },
    { ...none, waitsFor: new Set(Array.from({ length: maxChain + 1 }, (_, index) => index + 10)) },
  ],
])('not for %s', (_name, block, known) =>
  expect(() => requireNoCycle(block, known)).toThrow(expect.objectContaining({ kind: 'invalid' })),
);

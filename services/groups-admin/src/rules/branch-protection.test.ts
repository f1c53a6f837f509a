import { numberOf, protectionOf } from './branch-protection';

test.each([
  [0, 30, 30, true],
  [1, 30, 30, false],
  [2, 40, 40, false],
  [3, 40, 30, false],
  [4, 40, 40, false],
])('protection %i: push %i, merge %i, force %p', (number, push, merge, force) => {
  expect(protectionOf(number)).toEqual({
    allowed_to_push: [{ access_level: push }],
    allowed_to_merge: [{ access_level: merge }],
    allow_force_push: force,
    developer_can_initial_push: number === 4,
  });
  expect(numberOf(protectionOf(number))).toBe(number);
});

test('what no number means counts as full protection', () => {
  expect(numberOf({ ...protectionOf(3), allowed_to_push: [{ access_level: 60 }] })).toBe(2);
});

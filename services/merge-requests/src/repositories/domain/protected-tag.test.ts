import { isProtectedTag, refusalOfTag, refusalOfTagPush, refusalOfTagRemoval } from './protected-tag';

const rule = (name: string, createAccessLevel: number) => ({ id: 1, projectId: 1, name, createAccessLevel });
const by = (level: number, admin = false) => ({ level, admin });

test.each([
  ['v1', 'v*', true],
  ['v1/final', 'v*', true],
  ['w1', 'v*', false],
  ['v*', 'v*', true],
])('%s under the rule %s: %s', (tag, name, expected) => {
  expect(isProtectedTag([rule(name, 40)], tag)).toBe(expected);
});

test.each([
  [[], by(30), true],
  [[rule('v*', 40)], by(30), false],
  [[rule('v*', 40)], by(40), true],
  [[rule('v*', 30)], by(30), true],
  [[rule('v*', 0)], by(50, true), false],
  [[rule('v*', 60)], by(50), false],
  [[rule('v*', 60)], by(0, true), true],
  [[rule('v*', 40), rule('v1', 30)], by(30), true],
] as const)('rules %j and access %j: may create %s', (rules, access, may) => {
  expect(refusalOfTag(rules, 'v1', access) === undefined).toBe(may);
});

test('a push never moves a protected tag and never deletes one; the API does for Maintainers', () => {
  const rules = [rule('v*', 30)];
  expect(refusalOfTagPush(rules, 'v1', 'update', by(50))).toBe('Protected tags cannot be updated.');
  expect(refusalOfTagPush(rules, 'v1', 'delete', by(50))).toBe('You can only delete protected tags using the API.');
  expect(refusalOfTagPush(rules, 'v1', 'delete', by(30))).toMatch(/Only a project maintainer/);
  expect(refusalOfTagPush(rules, 'w1', 'delete', by(30))).toBeUndefined();
  expect(refusalOfTagPush(rules, 'w1', 'update', by(30))).toBeUndefined();
  expect(refusalOfTagRemoval(rules, 'v1', by(30))).toMatch(/Only a project maintainer/);
  expect(refusalOfTagRemoval(rules, 'v1', by(40))).toBeUndefined();
});

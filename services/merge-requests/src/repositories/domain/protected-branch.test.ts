import {
  allowsForcePush,
  covers,
  developersCanMerge,
  developersCanPush,
  mayMerge,
  mayPush,
  type ProtectedBranch,
} from './protected-branch';

const rule = (name: string, given: Partial<ProtectedBranch> = {}): ProtectedBranch => ({
  id: 1,
  projectId: 1,
  name,
  pushAccessLevel: 40,
  mergeAccessLevel: 40,
  allowForcePush: false,
  ...given,
});
const at = (level: number, admin = false) => ({ level, admin });

test.each([
  ['main', 'main', true],
  ['main', 'main2', false],
  ['release/*', 'release/1.0', true],
  ['release/*', 'release/1/0', true],
  ['release/*', 'release', false],
  ['*-stable', '17-0-stable', true],
  ['*', 'anything/at/all', true],
  ['a.c', 'abc', false],
  ['*.x', '1.x', true],
  ['*.x', '1yx', false],
])('the rule %s over %s: %s', (name, branch, expected) => expect(covers(rule(name), branch)).toBe(expected));

describe('an unprotected branch', () => {
  test('takes pushes and merges of Developers, and of no one below', () => {
    expect([mayPush([], 'a', at(30)), mayMerge([], 'a', at(30))]).toEqual([true, true]);
    expect([mayPush([], 'a', at(20)), mayMerge([], 'a', at(20))]).toEqual([false, false]);
  });
  test('may be rewritten', () => expect(allowsForcePush([], 'a')).toBe(true));
});

describe('a protected branch', () => {
  test('takes pushes from its level up', () => {
    expect([30, 40, 50].map((level) => mayPush([rule('main')], 'main', at(level)))).toEqual([false, true, true]);
  });
  test('that no one may push to refuses Owners and administrators', () => {
    const closed = [rule('main', { pushAccessLevel: 0 })];
    expect(mayPush(closed, 'main', at(50))).toBe(false);
    expect(mayPush(closed, 'main', at(50, true))).toBe(false);
  });
  test('for administrators refuses Owners', () => {
    const closed = [rule('main', { pushAccessLevel: 60 })];
    expect(mayPush(closed, 'main', at(50))).toBe(false);
    expect(mayPush(closed, 'main', at(50, true))).toBe(true);
  });
  test('under several rules takes the most open one', () => {
    const rules = [rule('main'), rule('ma*', { pushAccessLevel: 30, allowForcePush: true })];
    expect(mayPush(rules, 'main', at(30))).toBe(true);
    expect(allowsForcePush(rules, 'main')).toBe(true);
  });
  test('is merged into by push right or merge right', () => {
    const rules = [rule('main', { pushAccessLevel: 0, mergeAccessLevel: 30 })];
    expect(mayMerge(rules, 'main', at(30))).toBe(true);
    expect(mayMerge([rule('main', { pushAccessLevel: 30, mergeAccessLevel: 0 })], 'main', at(30))).toBe(true);
    expect(mayMerge([rule('main')], 'main', at(30))).toBe(false);
    expect([developersCanPush(rules, 'main'), developersCanMerge(rules, 'main')]).toEqual([false, true]);
  });
});

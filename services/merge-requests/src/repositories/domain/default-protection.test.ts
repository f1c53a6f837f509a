import { type DefaultProtection, instanceProtection, mayBegin, ruleOfDefault } from './default-protection';

const at = (level: number) => ({ level, admin: false });
const open: DefaultProtection = {
  pushAccessLevel: 30,
  mergeAccessLevel: 30,
  allowForcePush: true,
  developerCanInitialPush: false,
};

test('a default branch gets a rule unless it would refuse nothing (G-4.15-5, 0)', () => {
  expect(ruleOfDefault(open)).toBeUndefined();
  expect(ruleOfDefault({ ...open, allowForcePush: false })).toBeDefined();
  expect(ruleOfDefault({ ...open, mergeAccessLevel: 40 })).toBeDefined();
  expect(ruleOfDefault(instanceProtection)).toBe(instanceProtection);
});

test.each([
  ['0, no protection', open, true],
  ['1, against force pushes', { ...open, allowForcePush: false }, true],
  ['2, full', { ...instanceProtection, developerCanInitialPush: false }, false],
  ['4, full after the first push, as in the namespaces of users', instanceProtection, true],
  ['no one pushes', { ...instanceProtection, pushAccessLevel: 0, developerCanInitialPush: false }, false],
])('under %s a Developer pushes the first branch: %p', (_, protection: DefaultProtection, may: boolean) => {
  const begins = (level: number, pushed = false) => mayBegin({ pushed, defaultProtection: protection }, at(level));
  expect([begins(20), begins(30), begins(40), begins(30, true)]).toEqual([false, may, true, true]);
});

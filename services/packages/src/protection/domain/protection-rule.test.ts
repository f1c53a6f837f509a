import { allows, effectiveLevel, type ProtectionFields, protectionProblems } from './protection-rule';

const rule = (given: Partial<ProtectionFields>): ProtectionFields => ({
  namePattern: '@acme/*',
  format: 'npm',
  push: undefined,
  delete: undefined,
  ...given,
});
const rules = [
  rule({ push: 'maintainer', delete: 'admin' }),
  rule({ namePattern: '*-release', push: 'owner' }),
  rule({ namePattern: 'exact', push: 'admin' }),
];

it.each([
  ['push', 'other', 30, true],
  ['push', '@acme/a', 30, false],
  ['push', '@acme/a', 40, true],
  ['push', '@acme/a-release', 40, false],
  ['push', '@acme/a-release', 50, true],
  ['push', 'exact', 50, false],
  ['push', 'exactly', 30, true],
  ['delete', '@acme/a', 50, false],
  ['delete', '@acme/a', 60, true],
  ['delete', 'b-release', 40, true],
] as const)('%s of %s by level %s', (act, name, level, expected) => {
  expect(allows(rules, act, { format: 'npm', name }, level)).toBe(expected);
});

it.each([
  ['pypi', 'my_app', 'My.App', false],
  ['pypi', 'My-*', 'my_other', false],
  ['pypi', 'my-app', 'my-apps', true],
  ['npm', 'my-app', 'my_app', true],
])('names of %s: %s is for %s: %s', (format, namePattern, name, expected) => {
  expect(allows([rule({ namePattern, push: 'maintainer' })], 'push', { format, name }, 30)).toBe(expected);
});

it('puts administrators above every role', () => {
  expect(effectiveLevel({ admin: true }, 0)).toBe(60);
  expect(effectiveLevel({ admin: false }, 30)).toBe(30);
  expect(effectiveLevel(undefined, undefined)).toBe(0);
});

it('names every problem of a rule', () => {
  expect(protectionProblems(rule({ push: 'owner' }))).toEqual([]);
  expect(protectionProblems(rule({ namePattern: '' }))).toHaveLength(2);
  expect(protectionProblems(rule({ namePattern: '*'.repeat(256), delete: 'owner' }))).toHaveLength(2);
});

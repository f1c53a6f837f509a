import {
  asIncompatible,
  fitsMajor,
  inOrder,
  isVersion,
  latestOf,
  pseudoVersion,
  readPseudoVersion,
  tagOf,
} from './go-version';

it.each([
  ['v1.2.3', true],
  ['v0.0.0', true],
  ['v1.2.3-rc.1', true],
  ['v2.0.0+incompatible', true],
  ['v1.0.0-0.20260102030405-abcdefabcdef', true],
  ['1.2.3', false],
  ['v1.2', false],
  ['v01.2.3', false],
  ['v1.2.3-01', false],
  ['v1.2.3+build', false],
  ['v1.2.3\n', false],
  ['v99999999999999999999.0.0', false],
  [`v1.2.3-${'x'.repeat(300)}`, false],
  ['main', false],
])('%s as a version: %s', (text, expected) => {
  expect(isVersion(text)).toBe(expected);
});

const commit = { sha: `abcdefabcdef${'0'.repeat(28)}`, committedAt: new Date('2026-01-02T03:04:05.000Z') };
it.each([
  [undefined, 0, 'v0.0.0-20260102030405-abcdefabcdef'],
  [undefined, 2, 'v2.0.0-20260102030405-abcdefabcdef'],
  ['v1.2.3', 0, 'v1.2.4-0.20260102030405-abcdefabcdef'],
  ['v1.2.3-rc.1', 0, 'v1.2.3-rc.1.0.20260102030405-abcdefabcdef'],
  ['v3.0.0', 3, 'v3.0.1-0.20260102030405-abcdefabcdef'],
])('a commit after %s of the major version %d is %s, and says so again', (base, major, version) => {
  expect(pseudoVersion(commit, base, major)).toBe(version);
  expect(readPseudoVersion(version)).toEqual({ time: '20260102030405', revision: 'abcdefabcdef', base });
});

it.each(['v1.2.3', 'v1.2.3-rc.1', 'v1.2.3-20260102030405-abcdefabcdef', 'v1.0.0-20260102-abcdefabcdef', 'main'])(
  '%s is no pseudo-version',
  (text) => {
    expect(readPseudoVersion(text)).toBeUndefined();
  },
);

it.each([
  ['v0.1.0', 0, true],
  ['v1.9.0', 0, true],
  ['v2.0.0', 0, false],
  ['v2.0.0+incompatible', 0, true],
  ['v1.0.0+incompatible', 0, false],
  ['v2.3.4', 2, true],
  ['v3.0.0', 2, false],
  ['v2.0.0+incompatible', 2, false],
  ['v12.0.0', 12, true],
])('%s in a module with the major version %d: %s', (version, major, expected) => {
  expect(fitsMajor(version, major)).toBe(expected);
});

it('takes the highest release, else the highest before one', () => {
  expect(inOrder(['v1.10.0', 'v1.9.0', 'v1.10.0-rc.1'])).toEqual(['v1.9.0', 'v1.10.0-rc.1', 'v1.10.0']);
  expect(latestOf(['v1.9.0', 'v2.0.0-rc.1', 'v1.10.0'])).toBe('v1.10.0');
  expect(latestOf(['v1.0.0-a', 'v1.0.0-b'])).toBe('v1.0.0-b');
  expect(latestOf([])).toBeUndefined();
  expect([tagOf(asIncompatible('v2.0.0')), tagOf('v1.0.0')]).toEqual(['v2.0.0', 'v1.0.0']);
});

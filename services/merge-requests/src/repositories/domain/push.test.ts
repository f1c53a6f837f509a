import type { ProtectedBranch } from './protected-branch';
import { firstDefaultBranch, type PushContext, type PushedUpdate, refusalOf } from './push';
import { zeroSha } from './ref-change';

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);
const main: ProtectedBranch = {
  id: 1,
  projectId: 1,
  name: 'main',
  pushAccessLevel: 40,
  mergeAccessLevel: 40,
  allowForcePush: false,
};
const context = (level: number, given: Partial<PushContext> = {}): PushContext => ({
  rules: [main],
  tagRules: [],
  access: { level, admin: false },
  collaboratesOn: new Set<string>(),
  defaultBranch: 'main',
  mayBegin: true,
  ...given,
});
const update = (ref: string, given: Partial<PushedUpdate> = {}): PushedUpdate => ({
  ref,
  before: a,
  after: b,
  rewrites: false,
  ...given,
});

test.each([
  ['a Reporter', update('refs/heads/x'), context(20), 'not allowed to push code to this project'],
  ['a Developer on a protected branch', update('refs/heads/main'), context(30), "the protected branch 'main'"],
  ['a forced push to a protected branch', update('refs/heads/main', { rewrites: true }), context(40), 'force push'],
  ['removing the default branch', update('refs/heads/main', { after: zeroSha }), context(50), 'default branch'],
  [
    'removing a protected branch',
    update('refs/heads/old', { after: zeroSha }),
    context(50, { rules: [{ ...main, name: 'old' }] }),
    'Protected branches cannot be deleted',
  ],
  ['a ref of a merge request', update('refs/merge-requests/1/head'), context(50), 'merge requests'],
  ['a ref of another kind', update('refs/notes/commits'), context(50), 'Only branches'],
])('refused: %s', (_name, given, on, text) => expect(refusalOf(given, on)).toContain(text));

test.each([
  ['a Developer on a branch', update('refs/heads/x'), context(30)],
  ['a forced push to a branch', update('refs/heads/x', { rewrites: true }), context(30)],
  ['removing a branch', update('refs/heads/x', { after: zeroSha }), context(30)],
  ['a Maintainer on a protected branch', update('refs/heads/main'), context(40)],
  ['a tag named like a protected branch', update('refs/tags/main'), context(30)],
])('allowed: %s', (_name, given, on) => expect(refusalOf(given, on)).toBeUndefined());

test('the first default branch is the one the project names, else the first pushed', () => {
  expect(firstDefaultBranch('main', ['dev', 'main'])).toBe('main');
  expect(firstDefaultBranch('main', ['trunk', 'dev'])).toBe('trunk');
  expect(firstDefaultBranch('main', [])).toBeUndefined();
});

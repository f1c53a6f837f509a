import { mayCreateProject, projectProblems } from './project';

const home = { kind: 'group', visibility: 'internal', projectCreationLevel: 'developer' } as const;

test.each(['main', 'feature/x', 'ünïcode', 'a.b', 'v1'])('the default branch %p is taken', (branch) => {
  expect(projectProblems({ default_branch: branch }, home)).toEqual({});
});

test.each([
  '--upload-pack=x',
  '-x',
  '@{-1}',
  'a..b',
  'a b',
  'a\0b',
  'x.lock',
  'a//b',
  '/a',
  'a/',
  'a~1',
  '.a',
  'a:b',
  'x\x7f',
])('the default branch %p is refused', (branch) => {
  expect(projectProblems({ default_branch: branch }, home)).toEqual({ default_branch: ['is invalid'] });
});

test('all problems are told together', () => {
  const problems = projectProblems(
    { name: '', path: 'tree', description: 'x'.repeat(2_001), visibility: 'public', topics: ['x'.repeat(256)] },
    home,
  );
  expect(Object.keys(problems).sort()).toEqual(['description', 'name', 'path', 'topics', 'visibility_level']);
});

test('the namespace of a user does not narrow what is in it', () => {
  expect(projectProblems({ visibility: 'public' }, { ...home, kind: 'user', visibility: 'private' })).toEqual({});
});

test('an unknown rule lets administrators alone', () => {
  expect(() => mayCreateProject({ admin: false, level: 50 }, { ...home, projectCreationLevel: 'noone' })).toThrow();
  expect(() => mayCreateProject({ admin: true, level: 0 }, { ...home, projectCreationLevel: 'noone' })).not.toThrow();
});

import { nameProblems, pathFromName, pathProblems } from './path';

describe('pathProblems', () => {
  test.each(['a', 'A1', '_x', 'a.b', 'a-b', '9', 'x'.repeat(255), 'gitlab.github'])('takes %p', (path) => {
    expect(pathProblems(path, { atTop: true })).toEqual([]);
  });

  test.each([
    '',
    '-a',
    '.a',
    'a b',
    'a/b',
    'a.',
    'a.git',
    'a.GIT',
    'a.atom',
    'ä',
    'x'.repeat(256),
    '--upload-pack=x',
    '..',
    'a\0',
  ])('refuses %p', (path) => {
    expect(pathProblems(path, { atTop: true })).not.toEqual([]);
  });

  test('names of routes are reserved where those routes are', () => {
    expect(pathProblems('API', { atTop: true })).toEqual(['API is a reserved name']);
    expect(pathProblems('api', { atTop: false })).toEqual([]);
    expect(pathProblems('tree', { atTop: false })).toEqual(['tree is a reserved name']);
    expect(pathProblems('tree', { atTop: true })).toEqual([]);
  });

  test('what a prototype has is no reserved name', () => {
    for (const path of ['constructor', '__proto__']) expect(pathProblems(path, { atTop: true })).toEqual([]);
  });
});

describe('nameProblems', () => {
  test.each(['a', 'Ünïcödé', '日本語', '_x (v1.0) + more', '🚀 Rocket', '👩‍🚀 crew', '🇩🇪 👍🏽', 'می‌خواهم'])(
    'takes %p',
    (name) => {
      expect(nameProblems(name)).toEqual([]);
    },
  );

  test.each(['', '   ', '\u3164\u115f', '-a', '<b>', 'a\nb', 'a\u202eb', 'x'.repeat(256)])('refuses %p', (name) => {
    expect(nameProblems(name)).not.toEqual([]);
  });
});

test.each([
  ['My Project', 'my-project'],
  ['Ünïcödé  & more!', 'unicode-more'],
  ['--a__b--', 'a__b'],
  ['日本語', ''],
])('the path of %p is %p', (name, path) => {
  expect(pathFromName(name)).toBe(path);
});

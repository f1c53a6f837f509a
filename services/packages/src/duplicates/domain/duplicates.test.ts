import { allows, requireExpressions } from './duplicates';

const file = { format: 'generic', name: 'app', version: '1.0', fileName: 'x' };

it.each([
  ['allowed', true, '', true],
  ['forbidden', false, '', false],
  ['forbidden, with the name as an exception', false, 'ap+', true],
  ['forbidden, with the version as an exception', false, '1\\..*', true],
  ['forbidden, where only part of the name matches', false, 'pp|a', false],
  ['allowed, with the name as an exception', true, 'app|other', false],
])('a file that is there is %s', (_, allowed, exceptions, expected) => {
  expect(allows({ allowed, exceptions }, file)).toBe(expected);
});

it('always lets Maven write metadata and snapshots again', () => {
  const forbidden = { allowed: false, exceptions: '' };
  const maven = { ...file, format: 'maven', fileName: 'app-1.0.jar' };
  expect(allows(forbidden, maven)).toBe(false);
  expect(allows(forbidden, { ...maven, version: '1.0-SNAPSHOT' })).toBe(true);
  expect(allows(forbidden, { ...maven, fileName: 'maven-metadata.xml' })).toBe(true);
  expect(allows(forbidden, { ...maven, version: undefined })).toBe(true);
});

it('names every expression that is none', () => {
  const problem = ['is not a valid regular expression'];
  for (const exceptions of ['(', 'a)|(b', '\\Qa', '(a{99}){99}', '(?=a)'])
    expect(() =>
      requireExpressions([
        { format: 'generic', exceptions },
        { format: 'maven', exceptions },
      ]),
    ).toThrow(
      expect.objectContaining({
        body: { message: { generic_duplicate_exception_regex: problem, maven_duplicate_exception_regex: problem } },
      }),
    );
  requireExpressions([
    { format: 'generic', exceptions: '' },
    { format: 'maven', exceptions: 'fine.*' },
  ]);
});

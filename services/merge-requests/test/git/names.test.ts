import { spawnSync } from 'node:child_process';
import { growth } from '@switchyard/testkit';
import { isWellFormedRef } from '@switchyard/texts';
import fc from 'fast-check';
import {
  branchNameOf,
  namesGitFolder,
  parseBranchName,
  parseTreePath,
  refKind,
  refNameOf,
  resolveRevision,
  shaOf,
  signatureLine,
  type TreePath,
  tagMessage,
  treePathOf,
} from '../../src/git';

const acceptedByGit = (name: string): boolean => spawnSync('git', ['check-ref-format', name]).status === 0;

test.each<[string, (size: number) => unknown]>([
  ['slashes in a path', (size) => treePathOf(`a${'/'.repeat(size)}\0`)],
  ['slashes at the end of a path', (size) => treePathOf(`a${'/'.repeat(size)}`)],
  ['blanks in a path', (size) => namesGitFolder(`a${' '.repeat(size)}b` as TreePath)],
  ['blanks in a name', (size) => signatureLine({ name: `a${' '.repeat(size)}b`, email: 'a@b', date: new Date() })],
  [
    'dots in a name',
    (size) => signatureLine({ name: `${'.'.repeat(size)}a${'.'.repeat(size)}`, email: '', date: new Date() }),
  ],
  ['lines in a message', (size) => tagMessage(`a${'\n'.repeat(size)}b`)],
  [
    'steps of a revision',
    (size) => resolveRevision({ path: '/nowhere' }, `a${'^~1'.repeat(size / 3)}!`).catch(() => undefined),
  ],
])('%s are read in time proportional to them', (_, read) =>
  expect(growth((size) => void read(size))).toBeLessThan(1.8),
);

describe('names', () => {
  it('judge refs as git check-ref-format does', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '.',
      '..',
      '/',
      '//',
      '.lock',
      '@',
      '@{',
      '{',
      '-',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '\x01',
      '\x7f',
      'ü',
      '\u2028',
      'x.locks',
      '💡',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const name = pieces.join('');
        // `--` keeps git from taking a leading dash for an option, which it would refuse for another reason.
        fc.pre(!name.startsWith('-'));
        expect([name, isWellFormedRef(name)]).toEqual([name, acceptedByGit(name)]);
      }),
      { numRuns: 400 },
    );
  });

  it('refuse whatever could be read as something else', () => {
    const refused = [
      '',
      '-x',
      '--upload-pack=touch',
      'HEAD',
      'refs/heads/main',
      'refs/x',
      '@',
      '@{-1}',
      'a@{1}',
      'a..b',
      'a\0b',
      'a b',
      'a.lock',
      'a/.b',
      'a~1',
      'a^',
      'a:b',
      'a\\b',
      '/a',
      'a/',
      'a//b',
      'a.',
      'f'.repeat(40),
      'x'.repeat(260),
      '\ud800',
    ];
    for (const name of refused) expect([name, branchNameOf(name)]).toEqual([name, undefined]);
    for (const name of ['main', 'a/b', 'heads/x', 'a@b', '{x}', 'ü', "';drop", '$(id)', 'f'.repeat(39)])
      expect(branchNameOf(name)).toBe(name);
    expect(() => parseBranchName('..')).toThrow();
    expect(refNameOf('heads/main')).toBeUndefined();
    expect(refKind('refs/heads/refs/heads/x' as never)).toEqual({ kind: 'other' });
    expect(shaOf('G'.repeat(40))).toBeUndefined();
    expect(shaOf(`${'a'.repeat(40)}\n`)).toBeUndefined();
  });

  it('keep paths inside the tree', () => {
    for (const path of ['', '/', '/etc/passwd', '../x', 'a/../b', 'a/./b', './a', 'a//b', 'a\0', 'x'.repeat(4097)])
      expect([path, treePathOf(path)]).toEqual([path, undefined]);
    expect(parseTreePath('a/b/')).toBe('a/b');
    expect(parseTreePath('-a/:(glob)*')).toBe('-a/:(glob)*');
    for (const path of [
      '.git',
      'a/.GIT/config',
      '.git ',
      '.git./x',
      'GIT~1',
      '.g\u200cit',
      '.git::$INDEX_ALLOCATION',
      'a\\.git',
    ])
      expect([path, namesGitFolder(path as never)]).toEqual([path, true]);
    for (const path of ['.gitignore', 'git', 'x.git', '.github/x'])
      expect([path, namesGitFolder(path as never)]).toEqual([path, false]);
  });
});

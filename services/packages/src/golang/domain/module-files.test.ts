import { isFilePath, isVendored, moduleFiles } from './module-files';

const entry = (path: string, given: { mode?: string; size?: number } = {}) => ({
  path,
  mode: '100644',
  sha: 'a'.repeat(40),
  size: 1,
  ...given,
});
const chosen = (...entries: (string | ReturnType<typeof entry>)[]) => {
  const found = moduleFiles(
    entries.map((one) => (typeof one === 'string' ? entry(one) : one)),
    true,
  );
  return 'problem' in found ? found.problem : found.files.map(({ path }) => path);
};

it('leaves out other modules, vendored packages, links and submodules', () => {
  expect(
    chosen(
      'go.mod',
      'a.go',
      'sub/go.mod',
      'sub/deep/b.go',
      'other/GO.MOD',
      'other/c.go',
      'vendor/x/y.go',
      'vendor/modules.txt',
      'vendor/file',
      '.hg_archival.txt',
      entry('link', { mode: '120000' }),
      entry('linked/go.mod', { mode: '120000' }),
      'linked/d.go',
      entry('submodule', { mode: '160000' }),
      entry('run', { mode: '100755' }),
    ),
  ).toEqual(['go.mod', 'a.go', 'vendor/file', 'linked/d.go', 'run']);
});

it.each([
  ['pkg/vendor/vendor.go', false, true],
  ['pkg/vendor/vendor.go', true, false],
  ['pkg/vendor/x/y.go', true, true],
  ['vendor/modules.txt', false, false],
  ['vendors/x/y.go', true, false],
])('%s is vendored (Go 1.24: %s): %s', (path, isGo124, expected) => {
  expect(isVendored(path, isGo124)).toBe(expected);
});

it.each([
  [['A/x.go', 'a/y.go'], 'A and a differ by letter case alone'],
  [['x/ſ.go', 'x/S.go'], 'x/ſ.go and x/S.go differ by letter case alone'],
  [['Go.mod'], 'Go.mod is not written go.mod'],
  [['a:b'], '"a:b" cannot be the path of a file of a module'],
  [[entry('go.mod', { size: (16 << 20) + 1 })], 'go.mod is too large'],
  [[entry('LICENSE', { size: (16 << 20) + 1 })], 'LICENSE is too large'],
  [[entry('a', { size: 300 << 20 }), entry('b', { size: 201 << 20 })], 'the module is too large'],
])('%j can be no module: %s', (entries, problem) => {
  expect(chosen(...entries)).toBe(problem);
});

it.each([
  ['a b/ä+x~1.go', true],
  ['con/x', false],
  ['x/NUL.txt', false],
  ['a.', false],
  ['..', false],
  ['a\\b', false],
  ['x/\u{fffd}', false],
  ['a\nb', false],
])('%j as a path of a file: %s', (path, expected) => {
  expect(isFilePath(path)).toBe(expected);
});

import { pythonName } from '@switchyard/texts';
import { canonicalVersion, digestProblems, formProblems, isFileName, isNamedAfter } from './pypi-file';

const good = {
  fileName: 'my_app-1.0-py3-none-any.whl',
  name: 'My.App',
  version: '1.0',
  requiresPython: '>=3.8, <4',
  sha256: 'a'.repeat(64),
  md5: 'b'.repeat(32),
};

it.each([
  [{}, []],
  [{ requiresPython: '', sha256: undefined, md5: '' }, []],
  [
    { fileName: undefined, name: '', version: undefined },
    ['content is missing', 'name is missing', 'version is missing'],
  ],
  [{ fileName: '../x.whl' }, ['content is invalid']],
  [{ fileName: 'x.whl\n' }, ['content is invalid']],
  [{ fileName: 'a/b.whl' }, ['content is invalid']],
  [{ fileName: `${'x'.repeat(300)}.whl` }, ['content is invalid']],
  [{ name: '-app' }, ['name is invalid']],
  [{ name: 'app.' }, ['name is invalid']],
  [{ name: 'äpp' }, ['name is invalid']],
  [{ name: 'a\0' }, ['name is invalid']],
  [{ version: 'latest' }, ['version is invalid']],
  [{ version: '1.0/..' }, ['version is invalid']],
  [{ version: '2.0' }, ['content is not named after the name and the version']],
  [{ name: 'other' }, ['content is not named after the name and the version']],
  [{ requiresPython: '>=3\n' }, ['requires_python is invalid']],
  [{ sha256: 'a'.repeat(63), md5: 'x' }, ['sha256_digest is invalid', 'md5_digest is invalid']],
])('the form with %j', (given, problems) => {
  expect(formProblems({ ...good, ...given })).toEqual(problems);
});

it.each(['1', 'v1.0', '1!2.3', '1.0a1', '1.0.rc.2', '1.0-1', '1.0.post2', '1.0.dev3', '1.0a1.post2.dev3+local.7'])(
  'the version %s may be published (PEP 440)',
  (version) => {
    expect(formProblems({ ...good, version, fileName: `my_app-${version}.tar.gz` })).toEqual([]);
  },
);

it.each([
  ['1.0', '1', true],
  ['v1.0', '1.0.0', true],
  ['0!1.0', '1', true],
  ['1.0-alpha.1', '1a1', true],
  ['1.0c', '1rc0', true],
  ['1-1', '1.post1', true],
  ['1.rev2', '1.0.post2', true],
  ['1.0.DEV', '1.dev0', true],
  ['1.0+Local.07', '1+local_7', true],
  ['1.01', '1.1', true],
  ['1.0', '1.0.1', false],
  ['10', '1', false],
  ['1!1', '1', false],
  ['1a1', '1b1', false],
  ['1', '1.post0', false],
  ['1', '1.dev0', false],
  ['1', '1+local', false],
])('%s and %s are one version: %s (PEP 440)', (one, other, expected) => {
  expect(canonicalVersion(one) === canonicalVersion(other)).toBe(expected);
});

it.each([
  ['my_app-1.0-py3-none-any.whl', true],
  ['my_app-1.0.0-1-cp312-cp312-manylinux_2_17_x86_64.whl', true],
  ['my-app-1.0.tar.gz', true],
  ['My.App-v1.zip', true],
  ['my_app-1.0-py3.12.egg', true],
  ['my_app-1.1-py3-none-any.whl', false],
  ['my_app-1.0.1.tar.gz', false],
  ['my-1.0.tar.gz', false],
  ['my-app-other-1.0.tar.gz', false],
  ['app-1.0.tar.gz', false],
  ['my_app.tar.gz', false],
  ['my_app-1.0.tar.gz.asc', false],
  ['my_app-1.0.whl', false],
  ['my_app-1.0-evil-3.0-py3-none-any.whl', false],
  ['my_app-1.0-other-2.0.tar.gz', false],
])('%s is named after my-app 1.0: %s', (fileName, expected) => {
  expect(isNamedAfter(fileName, 'My.App', '1.0')).toBe(expected);
});

it('knows the versions of wheels that have a `-`', () => {
  expect(isNamedAfter('app-1.0_1-py3-none-any.whl', 'app', '1.0-1')).toBe(true);
  expect(isNamedAfter('app-1.0-1.tar.gz', 'app', '1.0.post1')).toBe(true);
  // The `1` is a build of 1.0.
  expect(isNamedAfter('app-1.0-1-py3-none-any.whl', 'app', '1.0.post1')).toBe(false);
});

it('checks a long version in linear time', () => {
  const started = performance.now();
  for (const one of ['1.', '1a', '1-', 'a1', '1.a']) formProblems({ ...good, version: `${one.repeat(125)}!` });
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('knows a name however it is written (PEP 503)', () => {
  expect(['My.App', 'my_app', 'MY--app', 'my-.-app'].map(pythonName)).toEqual(Array(4).fill('my-app'));
  expect(isFileName('..')).toBe(false);
});

it('compares the digests that were announced', () => {
  const content = { sha256: 'a'.repeat(64), md5: 'b'.repeat(32) };
  expect(digestProblems({ sha256: 'A'.repeat(64), md5: '' }, content)).toEqual([]);
  expect(digestProblems({ sha256: 'c'.repeat(64), md5: 'd'.repeat(32) }, content)).toEqual([
    'sha256_digest does not match the content',
    'md5_digest does not match the content',
  ]);
});

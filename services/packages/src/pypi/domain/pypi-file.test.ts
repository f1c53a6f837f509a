import { digestProblems, formProblems, isFileName, normalizeName } from './pypi-file';

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
  [{ requiresPython: '>=3\n' }, ['requires_python is invalid']],
  [{ sha256: 'a'.repeat(63), md5: 'x' }, ['sha256_digest is invalid', 'md5_digest is invalid']],
])('the form with %j', (given, problems) => {
  expect(formProblems({ ...good, ...given })).toEqual(problems);
});

it.each(['1', 'v1.0', '1!2.3', '1.0a1', '1.0.rc.2', '1.0-1', '1.0.post2', '1.0.dev3', '1.0a1.post2.dev3+local.7'])(
  'the version %s may be published (PEP 440)',
  (version) => {
    expect(formProblems({ ...good, version })).toEqual([]);
  },
);

it('checks a long version in linear time', () => {
  const started = performance.now();
  for (const one of ['1.', '1a', '1-', 'a1', '1.a']) formProblems({ ...good, version: `${one.repeat(125)}!` });
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('knows a name however it is written (PEP 503)', () => {
  expect(['My.App', 'my_app', 'MY--app', 'my-.-app'].map(normalizeName)).toEqual(Array(4).fill('my-app'));
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

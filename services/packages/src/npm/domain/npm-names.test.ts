import { isPackageName, isTag, isVersion, versionOfTarball } from './npm-names';

it.each([
  ['app', true],
  ['@acme/app', true],
  ['@acme/app.js~1_x', true],
  ['a'.repeat(214), true],
  ['a'.repeat(215), false],
  ['App', false],
  ['.app', false],
  ['_app', false],
  ['-app', false],
  ['@acme/', false],
  ['@/app', false],
  ['acme/app', false],
  ['@acme/a/b', false],
  ['..', false],
  ['@acme/..', false],
  ['a\0b', false],
  ['app\n', false],
  ['é', false],
  ['node_modules', false],
])('npm allows the name %j: %s (G-4.17-13)', (name, allowed) => {
  expect(isPackageName(name)).toBe(allowed);
});

it.each([
  ['1.0.0', true],
  ['1.0.0-rc.1+b', true],
  ['1.0', false],
  ['v1.0.0', false],
  ['1.0.0\n', false],
  ['1.0.0 ', false],
  ['1.0.0\t', false],
  [' 1.0.0', false],
])('the version %j is allowed: %s', (version, allowed) => {
  expect(isVersion(version)).toBe(allowed);
});

it.each([
  ['latest', true],
  ['beta.1', true],
  ['1.0.0', false],
  ['^1', false],
  ['x', false],
  ['a b', false],
  ['a/b', false],
  ['', false],
])('the dist-tag %j is allowed: %s (G-4.17-15)', (tag, allowed) => {
  expect(isTag(tag)).toBe(allowed);
});

it.each([
  ['app', 'app-1.0.0.tgz', '1.0.0'],
  ['@acme/app', '@acme/app-1.0.0-rc.1.tgz', '1.0.0-rc.1'],
  ['@acme/app', 'app-1.0.0.tgz', '1.0.0'],
  ['app', 'apple-1.0.0.tgz', undefined],
  ['app', 'app-1.0.tgz', undefined],
  ['app', 'app-1.0.0.tar', undefined],
])('the tarball of %s called %s is version %s', (name, fileName, version) => {
  expect(versionOfTarball(name, fileName)).toBe(version);
});

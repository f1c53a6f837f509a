import { readDigest, readMavenPath } from './maven-path';

it.each([
  ['com/example/app/1.0/app-1.0.jar', 'com/example/app', '1.0', 'app-1.0.jar', undefined],
  ['junit/junit/4.13/junit-4.13.pom.sha1', 'junit/junit', '4.13', 'junit-4.13.pom', 'sha1'],
  ['com/example/app/1.0/app-1.0.jar.asc.sha512', 'com/example/app', '1.0', 'app-1.0.jar.asc', 'sha512'],
  ['com/example/app/maven-metadata.xml', 'com/example/app', undefined, 'maven-metadata.xml', undefined],
  ['com/example/maven-metadata.xml.md5', 'com/example', undefined, 'maven-metadata.xml', 'md5'],
  ['a/b/1-SNAPSHOT/maven-metadata.xml', 'a/b', '1-SNAPSHOT', 'maven-metadata.xml', undefined],
  ['a/b/1-SNAPSHOT/b-1-20260102.030405-1.jar', 'a/b', '1-SNAPSHOT', 'b-1-20260102.030405-1.jar', undefined],
  ['a/b/1.0+build/b-1.0+build.jar', 'a/b', '1.0+build', 'b-1.0+build.jar', undefined],
])('the path %s of a Maven repository', (path, name, version, fileName, checksum) => {
  expect(readMavenPath(path)).toEqual({ name, version, fileName, checksum });
});

it.each([
  '',
  'x.jar',
  'maven-metadata.xml',
  'a/1.0/x.jar',
  '/a/b/1.0/x.jar',
  'a//b/1.0/x.jar',
  'a/b/1.0/',
  'a/../b/1.0/x.jar',
  'a/b/../x.jar',
  'a/b/1..0/x.jar',
  'a/b/1.0/..',
  'a/b/1.0/.sha1',
  'a/b/1.0/x\0.jar',
  'a/b/1.0/x.jar\n',
  'a/b/1.0/%2e%2e',
  'a/b\\c/1.0/x.jar',
  'a/bé/1.0/x.jar',
  'a/b+c/1.0/x.jar',
  `a/b/1.0/${'x'.repeat(300)}`,
  `a/b/${'1'.repeat(300)}/x.jar`,
  `${'a/'.repeat(130)}b/1.0/x.jar`,
])('the path %j is refused', (path) => {
  expect(readMavenPath(path)).toBeUndefined();
});

it.each([
  ['sha1', `${'A'.repeat(40)}\n`, 'a'.repeat(40)],
  ['md5', `${'0'.repeat(32)}  app.jar`, '0'.repeat(32)],
  ['sha256', 'a'.repeat(40), undefined],
  ['sha512', 'g'.repeat(128), undefined],
  ['md5', '', undefined],
] as const)('the %s in %j', (checksum, text, digest) => {
  expect(readDigest(checksum, text)).toBe(digest);
});

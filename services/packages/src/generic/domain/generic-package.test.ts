import { pathProblems } from './generic-package';

const good = { name: 'my-app', version: '1.0.0+build.1', filePath: 'linux/x86_64/my-app~1@2.tar.gz' };

it.each([
  [{}, []],
  [{ name: 'a/b' }, ['package_name is invalid']],
  [{ name: '..' }, ['package_name is invalid']],
  [{ name: 'é' }, ['package_name is invalid']],
  [{ name: 'a'.repeat(256) }, ['package_name is invalid']],
  [{ version: '1 0' }, ['package_version is invalid']],
  [{ version: '.' }, ['package_version is invalid']],
  [{ filePath: '../x' }, ['path is invalid']],
  [{ filePath: 'a/./x' }, ['path is invalid']],
  [{ filePath: 'a//x' }, ['path is invalid']],
  [{ filePath: 'a/..' }, ['file_name is invalid']],
  [{ filePath: '~x' }, ['file_name is invalid']],
  [{ filePath: '@x' }, ['file_name is invalid']],
  [{ filePath: 'x\n' }, ['file_name is invalid']],
  [{ filePath: 'x\0y' }, ['file_name is invalid']],
  [{ filePath: `${'a/'.repeat(127)}bb` }, ['file_name is invalid']],
  [
    { name: '', version: '', filePath: '' },
    ['package_name is invalid', 'package_version is invalid', 'file_name is invalid'],
  ],
])('the path of a generic package with %j (G-4.17-10)', (given, problems) => {
  expect(pathProblems({ ...good, ...given })).toEqual(problems);
});

import { mayReadCode } from './code-reader';
import { declaredPath, goModsOf, isGo124, moduleAt, unescapeGo } from './module-path';

it.each([
  ['forge.example/!acme/app', 'forge.example/Acme/app'],
  ['v1.0.0-!r!c1', 'v1.0.0-RC1'],
  ['forge.example/Acme', undefined],
  ['a!', undefined],
  ['a!1', undefined],
  ['a!A', undefined],
  ['x'.repeat(1_025), undefined],
])('%s is written for %s', (written, text) => {
  expect(unescapeGo(written)).toBe(text);
});

const root = 'forge.example/acme/app';
it.each([
  [root, { folder: '', major: 0 }, ['go.mod']],
  [`${root}/v2`, { folder: '', major: 2 }, ['go.mod', 'v2/go.mod']],
  [`${root}/tools/lint`, { folder: 'tools/lint', major: 0 }, ['tools/lint/go.mod']],
  [`${root}/tools/v12`, { folder: 'tools', major: 12 }, ['tools/go.mod', 'tools/v12/go.mod']],
  [`${root}/v2/tools`, { folder: 'v2/tools', major: 0 }, ['v2/tools/go.mod']],
  [`${root}/v1`, { folder: 'v1', major: 0 }, ['v1/go.mod']],
  [`${root}/v02`, { folder: 'v02', major: 0 }, ['v02/go.mod']],
])('the module %s lies in a folder', (path, place, goMods) => {
  const module = moduleAt(root, path);
  expect(module).toEqual({ path, ...place });
  expect(module && goModsOf(module)).toEqual(goMods);
});

it.each([
  'forge.example/acme/other',
  'forge.example/acme/application',
  'other.example/acme/app',
  `${root}/`,
  `${root}//x`,
  `${root}/../x`,
  `${root}/.git`,
  `${root}/x\0`,
  `${root}/x y`,
  `${root}/x.`,
])('%j is no module of the project', (path) => {
  expect(moduleAt(root, path)).toBeUndefined();
});

it.each([
  ['module a.example/b\n\ngo 1.24\n', 'a.example/b', true],
  ['// module x\nmodule "a.example/b" // comment\ngo 1.9', 'a.example/b', false],
  ['module `a.example/b`\r\ngo 1.25.1\r\n', 'a.example/b', true],
  ['\tmodule\ta.example/b', 'a.example/b', false],
  ['go 2.0\n', undefined, true],
  ['modules a', undefined, false],
])('reads %j', (text, path, isNew) => {
  expect([declaredPath(text), isGo124(text)]).toEqual([path, isNew]);
});

const nobody = { level: 0, admin: false, isInternal: false, lacksScope: false };
it.each([
  ['public', {}, true],
  ['public', { lacksScope: true }, false],
  ['internal', {}, false],
  ['internal', { isInternal: true }, true],
  ['internal', { level: 10 }, true],
  ['private', { level: 10, isInternal: true }, false],
  ['private', { level: 20 }, true],
  ['private', { level: 40, lacksScope: true }, false],
  ['private', { admin: true }, true],
])('who may read the code of a %s project: %j: %s (G-5-14)', (visibility, reader, expected) => {
  expect(mayReadCode({ visibility, isClosed: false }, { ...nobody, ...reader })).toBe(expected);
  expect(mayReadCode({ visibility, isClosed: true }, { ...nobody, ...reader, admin: true })).toBe(false);
});

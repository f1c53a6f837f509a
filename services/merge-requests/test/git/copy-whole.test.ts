import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  copyObjects,
  copyWhole,
  isWhole,
  maintainRepository,
  openRepository,
  type Repository,
  sourceHere,
} from '../../src/git';
import { Workshop } from './support/workshop';

let shop: Workshop;
let target: Repository;
const inside = (repo: Repository, ...args: string[]): string =>
  execFileSync('git', ['--git-dir', repo.path, ...args], { encoding: 'utf8' }).trim();

beforeEach(async () => {
  shop = await Workshop.open();
  target = openRepository(join(shop.root, 'other'), 42);
  for (const text of ['one', 'two', 'three']) {
    writeFileSync(join(shop.work, 'file'), text);
    shop.git('add', 'file');
    shop.git('commit', '--quiet', '-m', text);
  }
  shop.git('tag', '-a', 'v1', '-m', 'First');
  shop.git('push', '--quiet', 'origin', 'main', 'v1', 'main~1:refs/merge-requests/7/head', 'main~2:refs/heads/gone');
});
afterEach(() => shop.close());

test('a copy has all refs, HEAD, and the objects that no ref reaches, loose and packed', async () => {
  const hidden = inside(shop.repo, 'commit-tree', '-m', 'Hidden', 'main^{tree}');
  inside(shop.repo, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
  inside(shop.repo, 'pack-refs', '--all');
  inside(shop.repo, 'repack', '-d', '-q');
  const late = inside(shop.repo, 'commit-tree', '-m', 'Late', 'main^{tree}');
  const copy = await copyWhole(sourceHere(shop.repo), target);
  await copy.update();
  expect(existsSync(target.path)).toBe(false);
  await copy.place();
  await copy.drop();
  const list = ['for-each-ref', '--format=%(objectname) %(refname)'];
  expect(inside(target, ...list)).toBe(inside(shop.repo, ...list));
  expect(inside(target, 'symbolic-ref', 'HEAD')).toBe('refs/heads/gone');
  for (const sha of [hidden, late]) expect(inside(target, 'cat-file', '-t', sha)).toBe('commit');
  expect(readdirSync(dirname(target.path))).toEqual(['42.git']);
  rmSync(shop.repo.path, { recursive: true });
  expect(await isWhole(target)).toBe(true);
});

test('what comes after the first copy is brought over by the second, also where the source was packed', async () => {
  const copy = await copyWhole(sourceHere(shop.repo), target);
  await copy.update();
  shop.git('commit', '--quiet', '--allow-empty', '-m', 'four');
  shop.git('push', '--quiet', 'origin', 'main', ':gone', ':v1');
  await maintainRepository(shop.repo, { maxLoose: 0 });
  await copy.update();
  await copy.place();
  const list = ['for-each-ref', '--format=%(objectname) %(refname)'];
  expect(inside(target, ...list)).toBe(inside(shop.repo, ...list));
  expect(inside(target, 'log', '--format=%s', 'main')).toBe('four\nthree\ntwo\none');
  const later = inside(shop.repo, 'commit-tree', '-m', 'Later', 'main^{tree}');
  await copyObjects(sourceHere(shop.repo), target);
  expect(inside(target, 'cat-file', '-t', later)).toBe('commit');
});

test('a copy that is ended has nothing half, and is made again', async () => {
  const copy = await copyWhole(sourceHere(shop.repo), target);
  await expect(copy.update(AbortSignal.abort(new Error('too long')))).rejects.toThrow('too long');
  const area = mkdtempSync(join(shop.root, 'into-'));
  execFileSync('git', ['init', '--quiet', '--bare', area]);
  const ending = new AbortController();
  const copying = copyObjects(sourceHere(shop.repo), { path: area }, ending.signal);
  setImmediate(() => ending.abort(new Error('too long')));
  await expect(copying).rejects.toThrow();
  expect(readdirSync(join(area, 'objects')).sort()).toEqual(['info', 'pack']);
  await copy.update();
  await copy.place();
  expect(await isWhole(target)).toBe(true);
});

test('a source with a hole is not copied, and what is begun goes', async () => {
  const blob = inside(shop.repo, 'rev-parse', 'main:file');
  rmSync(join(shop.repo.path, 'objects', blob.slice(0, 2), blob.slice(2)));
  const copy = await copyWhole(sourceHere(shop.repo), target);
  await expect(copy.update()).rejects.toThrow(/fsck/);
  await copy.drop();
  expect(readdirSync(dirname(target.path))).toEqual([]);
  expect(await isWhole(shop.repo)).toBe(false);
});

test('what a killed process left in the place of a copy is removed', async () => {
  mkdirSync(target.path, { recursive: true });
  writeFileSync(join(target.path, 'HEAD'), 'ref: refs/heads/other\n');
  const copy = await copyWhole(sourceHere(shop.repo), target);
  await copy.update();
  await copy.place();
  await copy.drop();
  expect(inside(target, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(readdirSync(dirname(target.path))).toEqual(['42.git']);
});

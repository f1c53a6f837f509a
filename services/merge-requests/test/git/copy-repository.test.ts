import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  bundleFork,
  type CopyRequest,
  copyFromBundle,
  copyRepository,
  deleteRepository,
  ensureRepository,
  ensureUncopied,
  openRepository,
  parseBranchName,
  type Repository,
  readCopyError,
  readHead,
  repositoryExists,
} from '../../src/git';
import { gitEnvironment } from '../component/repository-harness';

const run = promisify(execFile);
const main = parseBranchName('main');

/** Runs git; resolves with what it printed. */
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run('git', args, { cwd, env: gitEnvironment })).stdout.trim();

const has = (repo: Repository, object: string): Promise<boolean> =>
  git(repo.path, 'cat-file', '-e', object).then(
    () => true,
    () => false,
  );

const refs = (repo: Repository): Promise<string> => git(repo.path, 'for-each-ref', '--format=%(refname)');

/** Files of the objects of a repository by inode. */
const files = (repo: Repository): Map<number, string> =>
  new Map(
    readdirSync(join(repo.path, 'objects'), { recursive: true, encoding: 'utf8' })
      .map((name) => ({ name, file: statSync(join(repo.path, 'objects', name)) }))
      .filter(({ file }) => file.isFile())
      .map(({ name, file }) => [file.ino, name]),
  );

let root: string;
let source: Repository;
let copy: Repository;
let work: string;

/** A commit with a file of its own in the working copy. */
async function commit(file: string): Promise<string> {
  writeFileSync(join(work, file), randomBytes(2_000).toString('hex'));
  await git(work, 'add', '-A');
  await git(work, 'commit', '--quiet', '-m', file);
  return git(work, 'rev-parse', 'HEAD');
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
  source = openRepository(root, 1);
  copy = openRepository(root, 2);
  await ensureRepository(source, { defaultBranch: main });
  work = join(root, 'work');
  await git(root, 'init', '--quiet', '--initial-branch=main', work);
  await commit('first');
  await git(work, 'tag', '-a', 'v1', '-m', 'One');
  await git(work, 'checkout', '--quiet', '-b', 'side');
  await commit('on-side');
  await git(work, 'push', '--quiet', source.path, 'main', 'side', 'v1');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Puts a commit into the source that only a hidden ref reaches, and one that nothing reaches. */
async function hide(): Promise<string[]> {
  const hidden = await commit('hidden');
  await git(work, 'push', '--quiet', source.path, `${hidden}:refs/merge-requests/1/head`);
  const dropped = await commit('dropped');
  await git(work, 'push', '--quiet', source.path, `${dropped}:refs/heads/dropped`);
  await git(source.path, 'update-ref', '-d', 'refs/heads/dropped');
  return [hidden, dropped, await git(work, 'rev-parse', `${dropped}:dropped`)];
}

test('a copy has branches and tags, and names the same files', async () => {
  await git(source.path, 'repack', '-a', '-d', '-q');
  await git(work, 'checkout', '--quiet', 'main');
  await commit('loose');
  await git(work, 'push', '--quiet', source.path, 'main');

  expect(await copyRepository(source, copy, { defaultBranches: [main] })).toBe('copied');

  expect(await refs(copy)).toBe(await refs(source));
  expect(await readHead(copy)).toBe('main');
  await git(copy.path, 'fsck', '--strict', '--connectivity-only');
  const shared = files(source);
  expect(files(copy).size).toBeGreaterThan(4);
  for (const [inode, name] of files(copy)) expect(shared.get(inode)).toBe(name);
  expect(await copyRepository(source, copy, { defaultBranches: [main] })).toBe('present');
});

test('what is pushed to either side afterwards is not in the other', async () => {
  await copyRepository(source, copy, { defaultBranches: [main] });
  const ofSource = await commit('to-source');
  await git(work, 'push', '--quiet', source.path, 'HEAD:side');
  await git(work, 'checkout', '--quiet', 'main');
  const ofCopy = await commit('to-copy');
  await git(work, 'push', '--quiet', copy.path, 'HEAD:mine');

  expect([await has(source, ofSource), await has(copy, ofSource)]).toEqual([true, false]);
  expect([await has(source, ofCopy), await has(copy, ofCopy)]).toEqual([false, true]);
});

test('a copy outlives packing and deletion of its source, and the other way round', async () => {
  await git(source.path, 'repack', '-a', '-d', '-q');
  await copyRepository(source, copy, { defaultBranches: [main] });
  await git(source.path, 'repack', '-a', '-d', '-f', '-q');
  await git(source.path, 'prune', '--expire=now');
  await git(copy.path, 'fsck', '--strict');
  await deleteRepository(source);
  await git(copy.path, 'repack', '-a', '-d', '-f', '-q');
  await git(root, 'clone', '--quiet', copy.path, join(root, 'clone'));
  expect(existsSync(join(root, 'clone', 'first'))).toBe(true);
  const third = openRepository(root, 3);
  await copyRepository(copy, third, { defaultBranches: [main] });
  await deleteRepository(copy);
  await git(third.path, 'fsck', '--strict');
});

/** As processes with one volume copy, and as two do. */
const ways: [string, (source: Repository, target: Repository, request: CopyRequest) => Promise<string>][] = [
  ['by its files', copyRepository],
  ['as a bundle', (from, into, request) => copyFromBundle(bundleFork(from, request.branch), into, request)],
];

describe.each(ways)('a source that is copied %s', (_way, copyBy) => {
  test.each(['loose', 'packed for themselves', 'packed with the rest'])(
    'objects that only hidden refs or no refs reach are not copied: %s',
    async (where) => {
      if (where === 'packed for themselves') await git(source.path, 'repack', '-a', '-d', '-q');
      const secrets = await hide();
      if (where === 'packed for themselves') await git(source.path, 'repack', '-d', '-q');
      if (where === 'packed with the rest') await git(source.path, 'repack', '-a', '-d', '-k', '-q');
      for (const secret of secrets) expect(await has(source, secret)).toBe(true);

      await copyBy(source, copy, { defaultBranches: [main] });

      for (const secret of secrets) expect(await has(copy, secret)).toBe(false);
      expect(await refs(copy)).toBe('refs/heads/main\nrefs/heads/side\nrefs/tags/v1');
      await git(copy.path, 'fsck', '--strict');
    },
  );

  test('one branch alone is copied, without tags and without the objects of other branches', async () => {
    const onSide = await git(work, 'rev-parse', 'side');
    expect(await copyBy(source, copy, { defaultBranches: [main], branch: main })).toBe('copied');
    expect(await refs(copy)).toBe('refs/heads/main');
    expect(await has(copy, onSide)).toBe(false);
    const other = openRepository(root, 3);
    expect(await copyBy(source, other, { defaultBranches: [main], branch: parseBranchName('nowhere') })).toBe(
      'no_branch',
    );
    expect(await repositoryExists(other)).toBe(false);
  });

  test.each([
    ['the best', ['side', 'main'], 'side'],
    ['the next where the best is not there', ['gone', 'main'], 'main'],
    ['the first by name where none of them is there', ['gone', 'lost'], 'main'],
  ])('HEAD of a copy points at %s', async (_, wanted, head) => {
    const [best = main, ...others] = wanted.map(parseBranchName);
    await copyBy(source, copy, { defaultBranches: [best, ...others] });
    expect(await readHead(copy)).toBe(head);
  });

  test('an empty source gives an empty copy', async () => {
    const empty = openRepository(root, 4);
    await ensureRepository(empty, { defaultBranch: main });
    expect(await copyBy(empty, copy, { defaultBranches: [main] })).toBe('copied');
    expect(await refs(copy)).toBe('');
  });
});

test('no source gives no copy', async () => {
  expect(await copyRepository(openRepository(root, 5), copy, { defaultBranches: [main] })).toBe('gone');
});

test('a copy that failed says why, and any other says nothing', async () => {
  await ensureUncopied(copy, main, 'It is gone.');
  await ensureUncopied(copy, main, 'another reason');
  expect(await readCopyError(copy)).toBe('It is gone.');
  expect(await readCopyError(source)).toBeUndefined();
});

test('of many copies at once into one place one is made, and no draft is left', async () => {
  const made = await Promise.all(
    Array.from({ length: 5 }, () => copyRepository(source, copy, { defaultBranches: [main] })),
  );
  expect(made.filter((outcome) => outcome === 'copied')).toHaveLength(1);
  expect(readdirSync(join(root, '02'))).toEqual(['2.git']);
  expect(readFileSync(join(copy.path, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
});

test('a source that is packed meanwhile is copied whole', async () => {
  let packing = true;
  const packer = (async () => {
    while (packing) {
      await git(source.path, 'repack', '-a', '-d', '-q', '-f');
      await commit(`more-${randomBytes(4).toString('hex')}`);
      await git(work, 'push', '--quiet', source.path, 'HEAD:side');
    }
  })();
  try {
    for (let id = 10; id < 25; id += 1) {
      const target = openRepository(root, id);
      expect(await copyRepository(source, target, { defaultBranches: [main] })).toBe('copied');
      await git(target.path, 'fsck', '--connectivity-only');
    }
  } finally {
    packing = false;
    await packer;
  }
}, 60_000);

import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import {
  commitFiles,
  createInitialCommit,
  type FileAction,
  fileMeta,
  parseTreePath,
  readCommit,
  readTree,
  type Sha,
  writeTag,
} from '../../src/git';
import { author, committer, Workshop } from './support/workshop';

describe('commits made of actions', () => {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await Workshop.open();
  });
  afterAll(() => {
    shop.fsck();
    shop.close();
  });

  const commit = (parent: Sha | undefined, ...actions: FileAction[]) =>
    commitFiles(shop.repo, { parent, actions, author, committer, message: 'change' });
  const text = (value: string) => Buffer.from(value);
  const names = async (sha: Sha) =>
    (await readTree(shop.repo, sha, { recursive: true })).entries
      .filter(({ type }) => type === 'blob')
      .map(({ path, mode }) => `${mode} ${path}`);

  it('begin with a README', async () => {
    const sha = await createInitialCommit(shop.repo, { readme: '# Project\n', author, committer });
    expect(await readCommit(shop.repo, sha)).toMatchObject({
      parents: [],
      title: 'Initial commit',
      authorName: 'Ada Author',
      authoredAtText: '2024-02-01T11:00:00+01:00',
    });
    expect(await names(sha)).toEqual(['100644 README.md']);
    expect(await createInitialCommit(shop.repo, { readme: '# Project\n', author, committer })).toBe(sha);
  });

  it('create, update, move, change mode and delete', async () => {
    const one = await commit(
      undefined,
      { action: 'create', path: 'a/b/c.txt', content: text('c') },
      { action: 'create', path: 'run', content: text('r'), executable: true },
    );
    expect(await names(one)).toEqual(
      ['100755 run', '100644 a/b/c.txt'].sort((a, b) => (a.slice(7) < b.slice(7) ? -1 : 1)),
    );
    const two = await commit(
      one,
      { action: 'move', path: 'moved.txt', previousPath: 'a/b/c.txt' },
      { action: 'update', path: 'run', content: text('R') },
      { action: 'chmod', path: 'moved.txt', executable: true },
    );
    expect(await names(two)).toEqual(['100755 moved.txt', '100755 run']);
    const three = await commit(two, { action: 'delete', path: 'moved.txt' }, { action: 'delete', path: 'run' });
    expect(await names(three)).toEqual([]);
    const four = await commit(three, { action: 'create', path: 'again', content: text('x') });
    expect((await fileMeta(shop.repo, four, parseTreePath('again'))).lastCommit).toBe(four);
  });

  it('refuse with GitLab’s texts', async () => {
    const base = await commit(undefined, { action: 'create', path: 'dir/file', content: text('x') });
    const message = async (...actions: FileAction[]) =>
      commit(base, ...actions).then(
        () => 'accepted',
        (error) => error.body?.message,
      );
    const exists = 'A file with this name already exists';
    const missing = "A file with this name doesn't exist";
    const content = text('y');
    expect(await message({ action: 'create', path: 'dir/file', content })).toBe(exists);
    expect(await message({ action: 'create', path: 'dir', content })).toBe('A directory with this name already exists');
    expect(await message({ action: 'create', path: 'dir/file/below', content })).toBe(exists);
    expect(await message({ action: 'update', path: 'nope', content })).toBe(missing);
    expect(await message({ action: 'update', path: 'dir', content })).toBe(missing);
    expect(await message({ action: 'delete', path: 'dir/nope' })).toBe(missing);
    expect(await message({ action: 'move', path: 'x', previousPath: 'nope' })).toBe(missing);
    expect(await message({ action: 'move', path: 'dir/file', previousPath: 'dir/file' })).toBe('accepted');
    expect(await message({ action: 'chmod', path: 'nope', executable: true })).toBe(missing);
    expect(await message({ action: 'create', path: '../x', content })).toBe('Path cannot include directory traversal');
    expect(await message({ action: 'create', path: '.git/config', content })).toBe("invalid path: '.git/config'");
    expect(await message({ action: 'update', path: 'dir/file', content, lastCommit: base })).toBe('accepted');
    const next = await commit(base, { action: 'update', path: 'dir/file', content });
    await expect(commit(next, { action: 'update', path: 'dir/file', content, lastCommit: base })).rejects.toMatchObject(
      {
        body: { message: 'You are attempting to update a file that has changed since you started editing it.' },
      },
    );
  });

  it('keep signatures and messages harmless', async () => {
    const sha = await commitFiles(shop.repo, {
      parent: undefined,
      actions: [{ action: 'create', path: 'x', content: text('x') }],
      author: { name: ' <Eve>\n.', email: 'eve@example.com>\ncommitter x', date: new Date(0), offset: -330 },
      committer: { name: '', email: 'c@example.com', date: new Date(0) },
      message: 'a\0b\r\nc',
    });
    expect(await readCommit(shop.repo, sha)).toMatchObject({
      authorName: 'Eve',
      authorEmail: 'eve@example.comcommitter x',
      committerName: 'c@example.com',
      message: 'ab\nc\n',
      authoredAtText: '1969-12-31T18:30:00-05:30',
    });
  });

  it('store annotated tags', async () => {
    const target = await commit(undefined, { action: 'create', path: 'x', content: text('x') });
    const tag = await writeTag(shop.repo, { name: 'v1' as never, target, tagger: committer, message: 'one' });
    expect(shop.bare('cat-file', '-p', tag)).toBe(
      `object ${target}\ntype commit\ntag v1\ntagger Carl Committer <carl@example.com> 1709287200 +0000\n\none`,
    );
  });

  it('give the tree a working copy gives', async () => {
    const path = fc.constantFrom('a', 'b', 'a.txt', 'a-b', 'd/a', 'd/b', 'd/e/a', 'd/e/f/g', 'd.x', 'ü/ö', 'd0');
    const content = fc.string({ maxLength: 5 }).map((value) => text(value));
    const action: fc.Arbitrary<FileAction> = fc.oneof(
      fc.record({ action: fc.constant('create' as const), path, content, executable: fc.boolean() }),
      fc.record({ action: fc.constant('update' as const), path, content }),
      fc.record({ action: fc.constant('delete' as const), path }),
      fc.record({ action: fc.constant('move' as const), path, previousPath: path }),
      fc.record({ action: fc.constant('chmod' as const), path, executable: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
        shop.git('checkout', '-q', '--orphan', 'scratch');
        shop.git('rm', '-rqf', '--ignore-unmatch', '.');
        shop.tryGit('branch', '-qD', 'scratch');
        let parent: Sha | undefined;
        for (const one of actions) {
          // Each action stands alone, so that refused ones can be left out of both sides.
          const made = await commit(parent, one).catch((error) => {
            if (error.kind !== 'invalid') throw error;
            return undefined;
          });
          if (!made) continue;
          parent = made;
          inWorkingCopy(shop, one);
        }
        shop.git('add', '--all');
        const expected = shop.git('write-tree');
        const whole = parent && (await readCommit(shop.repo, parent))?.tree;
        expect(whole ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904').toBe(expected);
      }),
      { numRuns: 40 },
    );
  });
});

function inWorkingCopy(shop: Workshop, action: FileAction): void {
  const full = join(shop.work, action.path);
  if (action.action === 'create' || action.action === 'update') shop.write({ [action.path]: action.content });
  if (action.action === 'create' || action.action === 'chmod') chmodSync(full, action.executable ? 0o755 : 0o644);
  if (action.action === 'delete') shop.write({ [action.path]: undefined });
  if (action.action === 'move') {
    mkdirSync(dirname(full), { recursive: true });
    renameSync(join(shop.work, action.previousPath), full);
  }
  // git removes folders that become empty; the next action must find the place free.
  for (const left of [action.path, 'previousPath' in action ? action.previousPath : action.path]) {
    for (let folder = dirname(left); folder !== '.'; folder = dirname(folder)) {
      const at = join(shop.work, folder);
      if (existsSync(at) && readdirSync(at).length === 0) rmdirSync(at);
    }
  }
}

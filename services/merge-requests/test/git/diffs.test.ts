import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  changedPaths,
  changedPathsOfAll,
  commitDiff,
  diff,
  emptyTreeSha,
  type FileDiff,
  rawDiff,
  type Sha,
} from '../../src/git';
import { Workshop } from './support/workshop';

/** The client's own diff of one file, without its header lines. */
function hunksByClient(shop: Workshop, from: Sha, to: Sha, file: FileDiff): string {
  const text = shop
    .gitBuffer('diff', '--full-index', '-M', from, to, '--', `:(literal)${file.oldPath}`, `:(literal)${file.newPath}`)
    .toString('utf8');
  const sections = text.split(/^(?=diff --git )/m).filter((section) => section !== '');
  const wanted = sections.find((section) =>
    sections.length === 1
      ? true
      : file.newFile
        ? /^new file/m.test(section)
        : file.deletedFile
          ? /^deleted file/m.test(section)
          : true,
  );
  const start = wanted?.search(/^(@@ |Binary files )/m) ?? -1;
  return start < 0 ? '' : wanted!.slice(start);
}

describe('a diff', () => {
  let shop: Workshop;
  let base: Sha;
  let target: Sha;
  let source: Sha;

  beforeAll(async () => {
    shop = await Workshop.open();
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join('');
    base = shop.commit('base', {
      'keep.txt': 'same\n',
      'change.txt': lines,
      'gone.txt': 'bye\n',
      'old name.txt': lines,
      'mode.sh': 'x\n',
      'bin.dat': Buffer.from([0, 1, 2]),
      'link-me': 'file\n',
      'no-newline': 'a',
      'pure.txt': 'only moved, never changed\nreally\n',
    });
    target = shop.commit('target moves on', { 'elsewhere.txt': 'x\n' });
    shop.git('checkout', '-q', '-b', 'source', base);
    shop.write({
      'change.txt': lines.replace('line 3\n', 'LINE 3\n').replace('line 50\n', 'diff --git a/x b/x\n'),
      'gone.txt': undefined,
      'old name.txt': undefined,
      'new näme\twith "quotes".txt': lines.replace('line 7', 'seven'),
      'bin.dat': Buffer.from([0, 9, 9]),
      'no-newline': 'b',
      empty: '',
      'added.txt': '--- not a header\n+++ neither\n@@ nor this @@\n',
      'pure.txt': undefined,
      'moved/pure.txt': 'only moved, never changed\nreally\n',
      'package-lock.json': '{}\n',
    });
    chmodSync(join(shop.work, 'mode.sh'), 0o755);
    rmSync(join(shop.work, 'link-me'));
    symlinkSync('keep.txt', join(shop.work, 'link-me'));
    shop.git('update-index', '--add', '--cacheinfo', `160000,${base},sub`);
    source = shop.commit('source');
    shop.publish();
  });
  afterAll(() => shop.close());

  it('shows what the source changed since it left the target, file by file as the client does', async () => {
    const result = await diff(shop.repo, { from: target, to: source });
    expect(result.base).toBe(base);
    expect(result.overflow).toBe(false);
    const names = result.files.map(({ newPath }) => newPath);
    expect(names).not.toContain('elsewhere.txt');
    for (const file of result.files)
      expect([file.newPath, file.diff]).toEqual([file.newPath, hunksByClient(shop, base, source, file)]);
    const at = (path: string) => result.files.filter(({ newPath }) => newPath === path);
    expect(at('new näme\twith "quotes".txt')[0]).toMatchObject({
      oldPath: 'old name.txt',
      renamedFile: true,
      newFile: false,
    });
    expect(at('moved/pure.txt')[0]).toMatchObject({ renamedFile: true, diff: '' });
    expect(at('mode.sh')[0]).toMatchObject({ aMode: '100644', bMode: '100755', diff: '' });
    expect(at('empty')[0]).toMatchObject({ aMode: '0', bMode: '100644', newFile: true, diff: '' });
    expect(at('gone.txt')[0]).toMatchObject({ bMode: '0', deletedFile: true });
    expect(at('bin.dat')[0]?.diff).toBe('Binary files a/bin.dat and b/bin.dat differ\n');
    expect(at('no-newline')[0]?.diff).toContain('\\ No newline at end of file');
    expect(at('link-me').map(({ deletedFile, newFile, bMode }) => [deletedFile, newFile, bMode])).toEqual([
      [true, false, '0'],
      [false, true, '120000'],
    ]);
    expect(at('package-lock.json')[0]?.generatedFile).toBe(true);
    expect(at('added.txt')[0]?.generatedFile).toBe(false);
  });

  it('compares straight, by path, and with file headers', async () => {
    const straight = await diff(shop.repo, { from: target, to: source, mode: 'straight' });
    expect(straight.files.map(({ newPath }) => newPath)).toContain('elsewhere.txt');
    const one = await diff(shop.repo, { from: target, to: source, paths: ['change.txt' as never], unidiff: true });
    expect(one.files).toHaveLength(1);
    expect(one.files[0]?.diff).toMatch(/^--- a\/change.txt\n\+\+\+ b\/change.txt\n@@ /);
  });

  it('leaves out what is too long and says so', async () => {
    const whole = await diff(shop.repo, { from: target, to: source });
    const few = await diff(shop.repo, { from: target, to: source, limits: { maxFiles: 3 } });
    expect(few).toMatchObject({ overflow: true, total: whole.total });
    expect(few.files).toEqual(whole.files.slice(0, 3));
    const small = await diff(shop.repo, { from: target, to: source, limits: { maxPatchBytes: 100 } });
    expect(small.files.find(({ newPath }) => newPath === 'change.txt')).toMatchObject({
      tooLarge: true,
      collapsed: false,
      diff: '',
    });
    expect(small.files.find(({ newPath }) => newPath === 'no-newline')?.diff).not.toBe('');
    const tight = await diff(shop.repo, { from: target, to: source, limits: { maxLines: 8 } });
    expect(tight.files).toHaveLength(whole.total);
    expect(tight.files.at(-1)).toMatchObject({ collapsed: true, diff: '' });
    const page = await diff(shop.repo, { from: target, to: source, limits: { offset: 4, limit: 3 } });
    expect(page.files).toEqual(whole.files.slice(4, 7));
  });

  it('does not hold a line of many megabytes', async () => {
    const big = shop.commit('big', { 'one-line.txt': 'x'.repeat(8 << 20), 'z.txt': 'z\n' });
    shop.publish();
    const result = await commitDiff(shop.repo, big);
    expect(result.files.map(({ newPath, tooLarge, diff }) => [newPath, tooLarge, diff])).toEqual([
      ['one-line.txt', true, ''],
      ['z.txt', false, '@@ -0,0 +1 @@\n+z\n'],
    ]);
  });

  it('shows root commits and merges, names what changes, and streams the whole', async () => {
    expect((await commitDiff(shop.repo, base)).files.every(({ newFile }) => newFile)).toBe(true);
    shop.git('checkout', '-q', 'main');
    shop.git('merge', '-q', '--no-edit', source);
    shop.publish();
    const merge = await commitDiff(shop.repo, shop.head());
    expect(merge.base).toBe(target);
    expect(merge.files.map(({ newPath }) => newPath)).not.toContain('elsewhere.txt');
    const { files, total } = await changedPaths(shop.repo, { from: base, to: source, mode: 'straight' });
    expect(shop.git('diff', '--name-only', '-M', base, source).split('\n')).toHaveLength(total);
    expect(files).toContainEqual({ oldPath: 'pure.txt', newPath: 'moved/pure.txt' });
    const parts: Buffer[] = [];
    for await (const part of await rawDiff(shop.repo, { from: base, to: source, mode: 'straight' })) parts.push(part);
    expect(Buffer.concat(parts).equals(shop.gitBuffer('diff', '--full-index', '-M', base, source))).toBe(true);
  });

  it('names the files of several comparisons as it does those of each', async () => {
    // A name that looks as git begins a pair of trees; in quotes, since it ends its line.
    const pair = `"${'a'.repeat(40)} ${'b'.repeat(40)}\\n"`;
    const [one, other] = shop.commits([
      { 'kept.txt': 'kept\n', 'old name': 'the same\n'.repeat(9), [pair]: 'x\n', M: 'y\n' },
      { 'old name': undefined, 'ü/new name': 'the same\n'.repeat(9), [pair]: 'z\n', M: undefined },
    ]) as [Sha, Sha];
    shop.git('push', '-q', 'origin', '--force', `${other}:refs/heads/several`);
    const pairs = [
      { from: one, to: other },
      { from: other, to: other },
      { from: emptyTreeSha, to: one },
      { from: other, to: one },
      { from: one, to: other },
    ];
    const each = [];
    for (const given of pairs) each.push(await changedPaths(shop.repo, { ...given, mode: 'straight' }));
    expect(await changedPathsOfAll(shop.repo, pairs)).toEqual(each);
    expect(each[0]?.files).toContainEqual({ oldPath: 'old name', newPath: 'ü/new name' });
    expect(each.map(({ total }) => total)).toEqual([3, 0, 4, 3, 3]);
  });

  it('agrees with the client on random trees', async () => {
    const name = fc.constantFrom('a', 'b.txt', 'c d', 'dir/e', 'dir/"f"', 'dir/sub/g', 'ü', '-h');
    const content = fc.oneof(
      fc
        .array(fc.constantFrom('alpha', 'beta', 'gamma', '', '+plus', '-minus', '@@ -1 +1 @@', 'diff --git a/a b/a'), {
          maxLength: 12,
        })
        .map((lines) => lines.join('\n')),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    );
    const tree = fc.dictionary(name, content, { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        const gone = Object.fromEntries(Object.keys(before).map((path) => [path, undefined]));
        const [from, to] = shop.commits([before, { ...gone, ...after }]) as [Sha, Sha];
        shop.git('push', '-q', 'origin', '--force', `${to}:refs/heads/random`);
        const result = await diff(shop.repo, { from, to });
        const expected = shop
          .gitBuffer('diff', '-z', '--name-only', '-M', from, to)
          .toString()
          .split('\0')
          .filter(Boolean);
        expect(result.files.map(({ newPath }) => newPath)).toEqual(expected);
        const client = shop
          .gitBuffer('diff', '--full-index', '-M', from, to)
          .toString('utf8')
          .split(/^diff --git .*\n/m)
          .slice(1)
          .map((section) => {
            const start = section.search(/^(@@ |Binary files )/m);
            return start < 0 ? '' : section.slice(start);
          });
        expect(result.files.map((file) => file.diff)).toEqual(client);
      }),
      { numRuns: 40 },
    );
  });
});

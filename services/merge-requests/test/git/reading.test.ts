import { createHash } from 'node:crypto';
import {
  aheadBehind,
  branchRef,
  commitFiles,
  countCommits,
  fileMeta,
  getTag,
  isAncestor,
  listBranches,
  listCommits,
  listTags,
  mergeBase,
  mergedBranches,
  parseBranchName,
  parseTagName,
  parseTreePath,
  RefMovedError,
  readBlob,
  readCommit,
  readTree,
  refsContaining,
  resolveRevision,
  type Sha,
  updateRefs,
  zeroSha,
} from '../../src/git';
import { author, committer, Workshop } from './support/workshop';

describe('a repository', () => {
  let shop: Workshop;
  let first: Sha;
  let second: Sha;
  let third: Sha;

  beforeAll(async () => {
    shop = await Workshop.open();
    first = shop.commit('first', { 'a.txt': 'one\n', 'dir/b.txt': 'b\n', 'dir/deep/c.txt': 'c\n' });
    second = shop.commit('second line\n\nbody\n\nReviewed-by: Eve\nReviewed-by: Mallory\n', { 'a.txt': 'one\ntwo\n' });
    shop.git('tag', '-a', 'v1.0', '-m', 'release\n\nnotes', first);
    shop.git('tag', 'light', second);
    shop.git('checkout', '-q', '-b', 'feature/x', first);
    third = shop.commit('on feature', { 'dir/b.txt': 'B\n', 'run.sh': '#!/bin/sh\n' });
    shop.git('branch', 'light');
    shop.git('checkout', '-q', 'main');
    shop.publish();
  });
  afterAll(() => shop.close());

  it('resolves what a caller may mean, and of the revision language steps to ancestors', async () => {
    const at = async (text: string) => (await resolveRevision(shop.repo, text))?.sha;
    expect(await at('HEAD')).toBe(second);
    expect(await at('main')).toBe(second);
    expect(await at('feature/x')).toBe(third);
    expect(await at('refs/heads/feature/x')).toBe(third);
    expect(await at('v1.0')).toBe(first);
    expect(await at(first)).toBe(first);
    expect(await at(first.toUpperCase())).toBe(first);
    expect(await at(first.slice(0, 8))).toBe(first);
    expect(await resolveRevision(shop.repo, 'light')).toMatchObject({ sha: third, kind: 'branch' });
    expect(await resolveRevision(shop.repo, 'light', { prefer: 'tag' })).toMatchObject({ sha: second, kind: 'tag' });
    for (const text of [
      'main^',
      'main~1',
      'HEAD~',
      'light~0~1^{commit}',
      'refs/heads/main^1',
      `${second.slice(0, 8)}^`,
      'v1.0^0',
    ])
      expect([text, await at(text)]).toEqual([text, first]);
    expect(await resolveRevision(shop.repo, 'main^{commit}')).toEqual({ sha: second, kind: 'commit' });
    const refused = [
      '',
      '@',
      '@{-1}',
      'main^2',
      'main~2',
      'main~99999',
      'main~999999999',
      `main${'~9999'.repeat(3)}`,
      `main${'^{}'.repeat(100_000)}`,
      '^main',
      '~1',
      'main^{tree}',
      'main^{blob}',
      'main^@',
      'main^!',
      'main^-',
      'main^{/first}',
      'main~1:a.txt',
      'main^{commit',
      'main~1\nHEAD',
      'main@{upstream}',
      'main@{upstream}~0',
      'nope^',
      'main@{0}',
      ':/first',
      `HEAD^{/first}`,
      `x-g${first.slice(0, 8)}`,
      '-x',
      'a\0b',
      'nope',
      first.slice(0, 3),
      'main:a.txt',
      '--all',
      `${'f'.repeat(40)}`,
    ];
    for (const text of refused) expect([text, await at(text)]).toEqual([text, undefined]);
  });

  it('lists branches and tags with their commits, searched, sorted and paged', async () => {
    const all = await listBranches(shop.repo);
    expect(all.items.map(({ name }) => name)).toEqual(['feature/x', 'light', 'main']);
    expect(all.items[2]?.commit.id).toBe(second);
    const page = await listBranches(shop.repo, { limit: 1 });
    expect(page).toMatchObject({ total: 3, next: 'feature/x' });
    expect((await listBranches(shop.repo, { after: 'feature/x', limit: 1 })).items[0]?.name).toBe('light');
    expect((await listBranches(shop.repo, { after: 'g' })).items.map(({ name }) => name)).toEqual(['light', 'main']);
    expect((await listBranches(shop.repo, { search: '^FEA' })).total).toBe(1);
    expect((await listBranches(shop.repo, { search: 'n$' })).items.map(({ name }) => name)).toEqual(['main']);
    expect((await listBranches(shop.repo, { sort: 'updated_desc' })).items[2]?.name).toBe('main');
    const tags = await listTags(shop.repo);
    expect(tags.items.map(({ name, message, commit }) => [name, message, commit?.id])).toEqual([
      ['light', undefined, second],
      ['v1.0', 'release\n\nnotes', first],
    ]);
    expect((await getTag(shop.repo, parseTagName('v1.0')))?.createdAt).toBeInstanceOf(Date);
  });

  it('reads commits whole', async () => {
    const commit = await readCommit(shop.repo, second, { withStats: true });
    expect(commit).toMatchObject({
      id: second,
      shortId: second.slice(0, 8),
      title: 'second line',
      message: 'second line\n\nbody\n\nReviewed-by: Eve\nReviewed-by: Mallory\n',
      parents: [first],
      authorName: 'Ada Author',
      committerEmail: 'carl@example.com',
      trailers: [
        ['Reviewed-by', 'Eve'],
        ['Reviewed-by', 'Mallory'],
      ],
      stats: { additions: 1, deletions: 0, total: 1 },
    });
    expect(commit?.authoredAtText).toMatch(/\+01:00$/);
    expect((await readCommit(shop.repo, first, { withStats: true }))?.stats?.additions).toBe(3);
    expect(await readCommit(shop.repo, 'f'.repeat(40) as Sha)).toBeUndefined();
  });

  it('lists commits by range, path, author and date', async () => {
    const ids = async (query: Parameters<typeof listCommits>[1]) =>
      (await listCommits(shop.repo, query)).map(({ id }) => id);
    expect(await ids({ from: [second] })).toEqual([second, first]);
    expect(await ids({ from: [second], skip: 1 })).toEqual([first]);
    expect(await ids({ from: [third], not: [second] })).toEqual([third]);
    expect(await ids({ from: [second], path: parseTreePath('dir') })).toEqual([first]);
    expect(await ids({ all: true, author: 'ADA author' })).toHaveLength(3);
    expect(await ids({ all: true, author: 'A.a' })).toHaveLength(0);
    expect(await ids({ from: [second], until: new Date(1_700_000_001_000) })).toEqual([first]);
    expect(await countCommits(shop.repo, { all: true })).toBe(3);
    expect(await countCommits(shop.repo, { all: true, cap: 2 })).toBe(2);
  });

  it('knows how commits lie to each other', async () => {
    expect(await isAncestor(shop.repo, first, third)).toBe(true);
    expect(await isAncestor(shop.repo, second, third)).toBe(false);
    expect(await mergeBase(shop.repo, second, third)).toBe(first);
    expect(await aheadBehind(shop.repo, second, third)).toEqual({ ahead: 1, behind: 1 });
    expect(await refsContaining(shop.repo, third, 'branch')).toEqual(['refs/heads/feature/x', 'refs/heads/light']);
    const names = ['main', 'light'].map(parseBranchName);
    expect(await mergedBranches(shop.repo, second, names)).toEqual(new Set(['main']));
  });

  it('reads folders and files', async () => {
    const top = await readTree(shop.repo, third);
    expect(top.entries.map(({ name, type }) => [name, type])).toEqual([
      ['dir', 'tree'],
      ['a.txt', 'blob'],
      ['run.sh', 'blob'],
    ]);
    const deep = await readTree(shop.repo, third, { recursive: true, limit: 2 });
    expect(deep.entries.map(({ path }) => path)).toEqual(['dir', 'dir/deep']);
    expect(
      (await readTree(shop.repo, third, { recursive: true, after: deep.next, limit: 9 })).entries.map(
        ({ path }) => path,
      ),
    ).toEqual(['a.txt', 'dir/b.txt', 'dir/deep/c.txt', 'run.sh']);
    expect((await readTree(shop.repo, third, { path: parseTreePath('dir/deep/') })).entries[0]?.path).toBe(
      'dir/deep/c.txt',
    );
    await expect(readTree(shop.repo, third, { path: parseTreePath('nope') })).rejects.toMatchObject({
      kind: 'not_found',
    });
    await expect(readTree(shop.repo, third, { path: parseTreePath('a.txt') })).rejects.toMatchObject({
      kind: 'not_found',
    });
    const meta = await fileMeta(shop.repo, second, parseTreePath('a.txt'));
    expect(meta).toMatchObject({
      size: 8,
      executable: false,
      lastCommit: second,
      sha256: createHash('sha256').update('one\ntwo\n').digest('hex'),
    });
    const parts: Buffer[] = [];
    for await (const part of (await readBlob(shop.repo, meta.blob)).content) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('one\ntwo\n');
    await expect(fileMeta(shop.repo, second, parseTreePath('dir'))).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('moves refs by compare-and-swap', async () => {
    const ref = branchRef(parseBranchName('cas'));
    await updateRefs(shop.repo, [{ ref, old: zeroSha, new: first }]);
    const stale = updateRefs(shop.repo, [{ ref, old: second, new: third }]);
    await expect(stale).rejects.toBeInstanceOf(RefMovedError);
    await expect(stale).rejects.toMatchObject({ ref, expected: second, actual: first, kind: 'conflict' });
    await expect(updateRefs(shop.repo, [{ ref, old: zeroSha, new: third }])).rejects.toBeInstanceOf(RefMovedError);
    const child = branchRef(parseBranchName('cas/child'));
    await expect(updateRefs(shop.repo, [{ ref: child, old: zeroSha, new: third }])).rejects.toMatchObject({
      kind: 'conflict',
    });
    await expect(updateRefs(shop.repo, [{ ref, old: first, new: 'e'.repeat(40) as Sha }])).rejects.toMatchObject({
      kind: 'unprocessable',
    });
    const other = branchRef(parseBranchName('other'));
    await expect(
      updateRefs(shop.repo, [
        { ref: other, old: zeroSha, new: first },
        { ref, old: second, new: zeroSha },
      ]),
    ).rejects.toBeInstanceOf(RefMovedError);
    expect(await resolveRevision(shop.repo, 'other')).toBeUndefined();
    const race = await Promise.allSettled(
      [second, third].map((sha) => updateRefs(shop.repo, [{ ref, old: first, new: sha }])),
    );
    expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const now = (await resolveRevision(shop.repo, 'cas'))!.sha;
    await updateRefs(shop.repo, [{ ref, old: now, new: zeroSha }]);
    expect(await resolveRevision(shop.repo, 'cas')).toBeUndefined();
  });

  it('commits files', async () => {
    const sha = await commitFiles(shop.repo, {
      parent: second,
      author,
      committer,
      message: 'api',
      actions: [
        { action: 'create', path: 'new/file.bin', content: Buffer.from([0, 1, 2]) },
        { action: 'delete', path: 'dir/deep/c.txt' },
      ],
    });
    expect((await readTree(shop.repo, sha, { recursive: true })).entries.map(({ path }) => path)).toEqual([
      'dir',
      'new',
      'a.txt',
      'dir/b.txt',
      'new/file.bin',
    ]);
    shop.fsck();
  });

  it('reads times that git itself chokes on', async () => {
    const tree = shop.bare('rev-parse', `${first}^{tree}`);
    for (const [raw, seconds, text] of [
      ['0 -0530', 0, '1969-12-31T18:30:00-05:30'],
      ['1700000000 +051800', 1_700_000_000, '2023-11-14T22:13:20+00:00'],
      ['99999999999999 +0000', 0, '1970-01-01T00:00:00+00:00'],
    ] as const) {
      shop.write({
        '../raw': `tree ${tree}\nauthor A <a@example.com> ${raw}\ncommitter C <c@example.com> ${raw}\n\nodd\n`,
      });
      const sha = shop.bare('hash-object', '-t', 'commit', '-w', '--literally', `${shop.root}/raw`) as Sha;
      expect(await readCommit(shop.repo, sha)).toMatchObject({
        title: 'odd',
        authoredAt: new Date(seconds * 1000),
        authoredAtText: text,
      });
    }
  });

  it('lists tags and branches by times that git itself chokes on', async () => {
    for (const [name, raw] of [
      ['before-1970', '3600 -0200'],
      ['huge', '99999999999999999 +0000'],
      ['beyond-64-bits', '99999999999999999999999 +0000'],
    ] as const) {
      shop.write({ '../raw': `object ${first}\ntype commit\ntag ${name}\ntagger A <a@example.com> ${raw}\n\nodd\n` });
      const sha = shop.bare('hash-object', '-t', 'tag', '-w', '--literally', `${shop.root}/raw`);
      shop.bare('update-ref', `refs/tags/odd-${name}`, sha);
    }
    for (const sort of ['updated_asc', 'updated_desc', 'name_asc'] as const) {
      const { items } = await listTags(shop.repo, { search: '^odd-', sort, after: 'odd-absent' });
      expect(items).toHaveLength(3);
      for (const { createdAt } of items) expect(createdAt?.getTime() ?? 0).not.toBeNaN();
    }
    const { items } = await listTags(shop.repo, { search: '^odd-', sort: 'updated_asc' });
    expect(items.at(-1)?.name).toBe('odd-huge');
  });
});

import { chmodSync } from 'node:fs';
import fc from 'fast-check';
import { checkMergeability, createMergeCommit, mergeTrees, readCommit, replay, type Sha, squash } from '../../src/git';
import { author, committer, Workshop } from './support/workshop';

const details = { author, committer, message: "Merge branch 'x' into 'main'\n\nSee merge request g/p!1" };

describe('merging', () => {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await Workshop.open();
    shop.git('config', 'user.name', 'Carl Committer');
    shop.git('config', 'user.email', 'carl@example.com');
  });
  afterAll(() => {
    shop.fsck();
    shop.close();
  });

  const tree = (sha: Sha | string) => shop.git('rev-parse', `${sha}^{tree}`);
  let branches = 0;
  const branch = (at: Sha | undefined): string => {
    branches += 1;
    const name = `b${branches}`;
    if (at) shop.git('checkout', '-q', '-f', '-B', name, at);
    else {
      shop.git('checkout', '-q', '-f', '--orphan', name);
      shop.git('rm', '-rqf', '--ignore-unmatch', '.');
    }
    return name;
  };

  it('makes the commit the client makes, and the same one again', async () => {
    branch(undefined);
    const base = shop.commit('base', { a: '1\n2\n3\n4\n5\n', b: 'b\n' });
    const target = shop.commit('target', { a: 'one\n2\n3\n4\n5\n' });
    branch(base);
    const source = shop.commit('source', { a: '1\n2\n3\n4\nfive\n', c: 'c\n' });
    shop.publish();
    const merged = await createMergeCommit(shop.repo, { target, source, ...details });
    const again = await createMergeCommit(shop.repo, { target, source, ...details });
    expect(again).toEqual(merged);
    if (!merged.ok) throw new Error('conflict');
    shop.git('checkout', '-q', '--detach', target);
    shop.git('merge', '-q', '--no-ff', '--no-edit', source);
    expect(merged.tree).toBe(tree('HEAD'));
    expect(await readCommit(shop.repo, merged.sha)).toMatchObject({
      parents: [target, source],
      message: `${details.message}\n`,
      committedAt: committer.date,
    });
  });

  it('names the paths in conflict and leaves nothing moved', async () => {
    branch(undefined);
    const base = shop.commit('base', { 'sp ace\n.txt': '1\n', b: '1\n' });
    const target = shop.commit('t', { 'sp ace\n.txt': '2\n', b: '2\n' });
    branch(base);
    const source = shop.commit('s', { 'sp ace\n.txt': '3\n', b: undefined });
    shop.publish();
    const result = await createMergeCommit(shop.repo, { target, source, ...details });
    expect(result).toEqual({ ok: false, conflicts: ['b', 'sp ace\n.txt'] });
    const missing = 'd'.repeat(40) as Sha;
    const before = shop.bare('count-objects', '-v');
    expect(
      await checkMergeability(shop.repo, [
        { target, source },
        { target: base, source },
        { target, source: missing },
        { target: source, source: target },
      ]),
    ).toEqual([
      { mergeable: false, conflicts: ['b', 'sp ace\n.txt'] },
      { mergeable: true },
      undefined,
      { mergeable: false, conflicts: ['b', 'sp ace\n.txt'] },
    ]);
    expect(shop.bare('count-objects', '-v')).toBe(before);
  });

  it('answers the same with a git that cannot merge in batches', async () => {
    branch(undefined);
    const base = shop.commit('base', { a: '1\n' });
    const target = shop.commit('t', { a: '2\n' });
    branch(base);
    const source = shop.commit('s', { a: '3\n' });
    shop.publish();
    const real = shop.git('--exec-path');
    const path = process.env.PATH;
    shop.write({
      '../old/git': `#!/bin/sh\ncase "$*" in *merge-tree*--stdin*) echo usage >&2; exit 129;; esac\nPATH='${path}'\nexec '${real}/git' "$@"\n`,
    });
    chmodSync(`${shop.root}/old/git`, 0o755);
    const pairs = [
      { target, source },
      { target: base, source },
    ];
    const expected = await checkMergeability(shop.repo, pairs);
    process.env.PATH = `${shop.root}/old:${path}`;
    try {
      expect(await checkMergeability(shop.repo, pairs)).toEqual(expected);
    } finally {
      process.env.PATH = path;
    }
  });

  it('squashes onto the merge base', async () => {
    branch(undefined);
    const base = shop.commit('base', { a: '1' });
    const target = shop.commit('t', { t: 't' });
    branch(base);
    shop.commit('s1', { a: '2' });
    const source = shop.commit('s2', { s: 's' });
    shop.publish();
    const result = await squash(shop.repo, { target, source, ...details });
    expect(result).toMatchObject({ base, changes: true });
    expect(await readCommit(shop.repo, result.sha)).toMatchObject({
      parents: [base],
      tree: tree(source),
      authorName: 'Ada Author',
    });
    expect((await squash(shop.repo, { target: source, source: base, ...details })).changes).toBe(false);
  });

  it('replays as a rebase does, keeps authors and foreign encodings, drops what is there already', async () => {
    branch(undefined);
    const base = shop.commit('base', { a: '1\n2\n3\n', b: 'b\n' });
    const onto = shop.commit('onto', { b: 'B\n' });
    branch(base);
    shop.commit('one', { a: 'one\n2\n3\n' });
    const same = shop.commit('same as onto', { b: 'B\n' });
    const empty = shop.commit('empty from the start');
    shop.write({ a: 'one\n2\nthree\n' });
    shop.git('add', '--all');
    shop.git(
      '-c',
      'i18n.commitEncoding=ISO-8859-1',
      'commit',
      '-q',
      '--author=Zo\xeb <z@example.com>',
      '-m',
      'caf\xe9',
    );
    const source = shop.head();
    shop.publish();
    const result = await replay(shop.repo, { onto, source, committer });
    if (!result.ok) throw new Error('conflict');
    expect(result.dropped).not.toContain(empty);
    expect(result.commits.map(({ from }) => from)).not.toContain(same);
    expect(result.commits).toHaveLength(3);
    shop.git('checkout', '-q', '-B', 'rebased', source);
    shop.git('rebase', '-q', onto);
    expect((await readCommit(shop.repo, result.sha))?.tree).toBe(tree('rebased'));
    const authors = (ref: string, run: (...args: string[]) => string) =>
      run('log', '--reverse', '--format=%an <%ae> %ad%n%B', '--encoding=UTF-8', `${onto}..${ref}`);
    expect(authors(result.sha, (...args) => shop.bare(...args))).toBe(
      authors('rebased', (...args) => shop.git(...args)),
    );
    expect(await replay(shop.repo, { onto, source, committer })).toEqual(result);
  });

  it('stops at the commit that conflicts', async () => {
    branch(undefined);
    const base = shop.commit('base', { a: '1\n' });
    const onto = shop.commit('onto', { a: '2\n' });
    branch(base);
    shop.commit('fine', { z: 'z' });
    const bad = shop.commit('bad', { a: '3\n' });
    shop.publish();
    expect(await replay(shop.repo, { onto, source: bad, committer })).toEqual({
      ok: false,
      conflicts: ['a'],
      commit: bad,
    });
  });

  it('keeps a commit that was empty from the start, also when the target has an empty one', async () => {
    const [base, target] = shop.commits([{ keep: 'k\n' }, { x: undefined }]) as [Sha, Sha];
    const source = shop.commits([{ x: undefined }], base).at(-1) as Sha;
    shop.git('push', '-q', '-f', 'origin', `${target}:refs/heads/t`, `${source}:refs/heads/s`);
    const replayed = await replay(shop.repo, { onto: target, source, committer });
    expect(replayed).toMatchObject({ ok: true, commits: [{ from: source }], dropped: [] });
  });

  it('merges and replays random histories as the client does', async () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const file = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => `${lines.join('\n')}\n`);
    const change = fc.dictionary(
      fc.constantFrom('x', 'y', 'dir/x', 'dir/y', 'z'),
      fc.option(file, { nil: undefined }),
      { minKeys: 1, maxKeys: 3 },
    );
    const history = fc.array(change, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(change, history, history, async (start, ours, theirs) => {
        const [base, ...left] = shop.commits([{ keep: 'k\n', ...start }, ...ours]);
        const [target, source] = [left.at(-1) as Sha, shop.commits(theirs, base).at(-1) as Sha];
        shop.git('push', '-q', '-f', 'origin', `${target}:refs/heads/t`, `${source}:refs/heads/s`);

        const merged = await mergeTrees(shop.repo, target, source);
        const [checked] = await checkMergeability(shop.repo, [{ target, source }]);
        expect(checked?.mergeable).toBe(merged.ok);
        shop.git('checkout', '-q', '-f', '--detach', target);
        const byClient = shop.tryGit('merge', '-q', '--no-ff', '--no-edit', source);
        expect(merged.ok).toBe(byClient);
        if (merged.ok) expect(merged.tree).toBe(tree('HEAD'));
        else {
          expect([...merged.conflicts].sort()).toEqual(
            [
              ...new Set(
                shop
                  .git('ls-files', '-u', '-z')
                  .split('\0')
                  .filter(Boolean)
                  .map((entry) => entry.split('\t')[1]),
              ),
            ].sort(),
          );
          shop.git('merge', '--abort');
        }

        const replayed = await replay(shop.repo, { onto: target, source, committer });
        shop.git('checkout', '-q', '-f', '-B', 'rebase-here', source);
        const rebased = shop.tryGit('rebase', '-q', '--empty=drop', target);
        expect(replayed.ok).toBe(rebased);
        if (!replayed.ok) {
          shop.git('rebase', '--abort');
          return;
        }
        expect((await readCommit(shop.repo, replayed.sha))?.tree).toBe(tree('HEAD'));
        const subjects = (run: (...args: string[]) => string, tip: string) =>
          run('log', '--format=%an %ad %s', `${target}..${tip}`);
        expect(subjects((...args) => shop.bare(...args), replayed.sha)).toBe(
          subjects((...args) => shop.git(...args), 'HEAD'),
        );
      }),
      { numRuns: 40 },
    );
  });
});

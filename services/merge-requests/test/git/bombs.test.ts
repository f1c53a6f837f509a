import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import {
  branchRef,
  changedPaths,
  changedPathsOfAll,
  checkMergeability,
  commitDiff,
  createMergeCommit,
  decodedBody,
  defaultGitLimits,
  diff,
  emptyTreeSha,
  limitGit,
  listCommits,
  parseBranchName,
  parseSha,
  type Repository,
  readCommit,
  readFetchRequest,
  readRefs,
  readTree,
  receivePack,
} from '../../src/git';
import { type Bomb, deltaBomb, gzipBomb, pushOf, treeBomb } from './support/bombs';
import { author, committer, Workshop } from './support/workshop';

const hooksOn = (repo: Repository) => ({
  decide: async ({ updates }: { updates: readonly unknown[] }) => ({
    verdicts: updates.map(() => ({ accept: true }) as const),
  }),
  onIntent: async () => repo,
  onResult: async () => undefined,
});

/**
 * Of the memory that git needs to merge them a fraction, for it works until it has that; no less than Node needs, which starts the
 * processes of git: the starter keeps what holds when it starts.
 */
const limits = { ...defaultGitLimits, memoryBytes: 96 << 20 };

describe('what is small to push and large to read', () => {
  let shop: Workshop;
  let first: string;
  beforeAll(async () => {
    limitGit(limits);
    shop = await Workshop.open();
    first = shop.commit('first', { 'a.txt': 'a\n' });
    shop.publish();
  });
  afterAll(() => shop.close());
  afterEach(() => limitGit(limits));

  async function push(bomb: Bomb, branch: string) {
    const [request, response] = [new PassThrough(), new PassThrough()];
    request.end(pushOf(bomb, branch));
    response.resume();
    return receivePack(shop.repo, request, response, hooksOn(shop.repo));
  }

  describe('300,000 files in folders that are all the same', () => {
    const [bomb, other] = [treeBomb(), treeBomb('hello again\n')];
    const [head, changed] = [parseSha(bomb.head), parseSha(other.head)];

    beforeAll(async () => {
      expect(bomb.pack.length).toBeLessThan(600);
      expect((await push(bomb, 'bomb')).results).toMatchObject([{ ok: true }]);
      expect((await push(other, 'other')).results).toMatchObject([{ ok: true }]);
    });

    it('is listed as far as a listing goes, in a tree', async () => {
      const result = await readTree(shop.repo, head, { recursive: true, limit: 20 });
      expect(result.total).toBe(100_000);
      expect(result.entries).toHaveLength(20);
      expect(result.entries[0]).toMatchObject({ type: 'tree', path: 'd0' });
    });

    it('is a diff of names', async () => {
      const shown = await commitDiff(shop.repo, head);
      expect([shown.total, shown.files.length, shown.overflow]).toEqual([300_000, 1_000, true]);
      expect(shown.files[0]).toMatchObject({
        newPath: 'd0/d0/d0/d0/d0/f0',
        aMode: '0',
        bMode: '100644',
        newFile: true,
        collapsed: true,
        diff: '',
      });
      const page = await commitDiff(shop.repo, head, { limits: { offset: 20, limit: 20 } });
      expect(page.files.map(({ newPath }) => newPath)).toEqual(shown.files.slice(20, 40).map(({ newPath }) => newPath));
      const compared = await diff(shop.repo, { from: head, to: changed, mode: 'straight' });
      expect([compared.total, compared.files.length]).toEqual([300_000, 1_000]);
      expect(compared.files[0]).toMatchObject({ newFile: false, deletedFile: false, aMode: '100644', bMode: '100644' });
      expect(await changedPaths(shop.repo, { from: head, to: changed, mode: 'straight' })).toEqual({
        files: [],
        total: 300_000,
      });
    });

    it('has no names where it is compared with others, which keep theirs', async () => {
      const pairs = [
        { from: head, to: changed },
        { from: emptyTreeSha, to: parseSha(first) },
      ];
      expect(await changedPathsOfAll(shop.repo, pairs)).toEqual([
        { files: [], total: 300_000 },
        await changedPaths(shop.repo, { from: emptyTreeSha, to: parseSha(first), mode: 'straight' }),
      ]);
    });

    it('has no line counts, which the other files keep', async () => {
      expect(await readCommit(shop.repo, head, { withStats: true })).toMatchObject({ id: head, stats: undefined });
      const commits = await listCommits(shop.repo, { all: true, withStats: true });
      expect(Object.fromEntries(commits.map(({ id, stats }) => [id, stats?.additions]))).toEqual({
        [head]: undefined,
        [changed]: undefined,
        [first]: 1,
      });
    });

    it('takes no other merge with it', async () => {
      const main = (await readRefs(shop.repo, [branchRef(parseBranchName('main'))])).get('refs/heads/main' as never)!;
      // Made where they lie: a push of them would read all trees.
      const git = (...args: string[]) => shop.git(`--git-dir=${shop.repo.path}`, ...args);
      const commit = (content: string, parent: string) =>
        parseSha(git('commit-tree', '-m', 'made', '-p', parent, git('rev-parse', `${content}^{tree}`)));
      const [gone, rewritten, side] = [commit(main.sha, head), commit(changed, head), commit(main.sha, main.sha)];
      const answers = await checkMergeability(shop.repo, [
        { target: main.sha, source: side },
        { target: gone, source: rewritten },
      ]);
      expect(answers).toEqual([{ mergeable: true }, { mergeable: false, conflicts: [] }]);
      const made = { author, committer, message: 'merge' };
      await expect(createMergeCommit(shop.repo, { target: gone, source: rewritten, ...made })).resolves.toEqual({
        ok: false,
        conflicts: [],
      });
    });
  });

  const leftovers = () => readdirSync(join(shop.repo.path, 'objects')).filter((name) => name.startsWith('tmp_'));

  it.each([
    ['too much memory', {}, 1],
    ['too much time', { memoryBytes: defaultGitLimits.memoryBytes, smallPushCpuSeconds: 1 }, 40],
  ])('a delta that unpacks to %s is refused, and leaves nothing', async (_, limits, count) => {
    const bomb = deltaBomb(count);
    expect(bomb.pack.length).toBeLessThan(12_000);
    limitGit(limits);
    const outcome = await push(bomb, 'delta');
    expect(outcome).toMatchObject({
      unpackError: 'objects too large',
      results: [{ ok: false, reason: 'unpacker error' }],
    });
    expect(leftovers()).toEqual([]);
    expect((await readRefs(shop.repo, ['refs/heads/delta' as never])).size).toBe(0);
  });

  it('a pack of more objects than a push may bring is refused unread', async () => {
    const bomb = deltaBomb(1);
    bomb.pack.writeUInt32BE(10_000_001, 8);
    await expect(push(bomb, 'many')).resolves.toMatchObject({ unpackError: 'too many objects' });
    expect(leftovers()).toEqual([]);
  });

  it('a push whose references do not come in time starts nothing', async () => {
    limitGit({ requestMs: 50 });
    const [request, response] = [new PassThrough(), new PassThrough()];
    request.write('00a0');
    await expect(receivePack(shop.repo, request, response, hooksOn(shop.repo))).rejects.toMatchObject({
      kind: 'request_timeout',
    });
    expect(leftovers()).toEqual([]);
  });

  it('a push that stops in its pack is given up, and holds no process', async () => {
    limitGit({ idleMs: 50 });
    const [request, response] = [new PassThrough(), new PassThrough()];
    request.write(pushOf(treeBomb('half\n'), 'half').subarray(0, -30));
    await expect(receivePack(shop.repo, request, response, hooksOn(shop.repo))).rejects.toMatchObject({
      kind: 'request_timeout',
    });
    expect(leftovers()).toEqual([]);
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('unpack-objects -q');
  });

  const requestOf = (body: Buffer | string, encoding?: string): ReturnType<typeof readFetchRequest> => {
    const request = new PassThrough();
    request.end(body);
    return readFetchRequest(decodedBody(request, encoding));
  };

  it('the request of a fetch is read before anything starts, within bounds', async () => {
    await expect(requestOf(gzipSync('0014command=ls-refs\n0000'), 'gzip')).resolves.toEqual(
      Buffer.from('0014command=ls-refs\n0000'),
    );
    const grown = gzipBomb(340_000);
    expect(grown.length).toBeLessThan(60_000);
    await expect(requestOf(grown, 'gzip')).rejects.toMatchObject({ status: 413 });
    await expect(requestOf('no gzip', 'gzip')).rejects.toMatchObject({ status: 400 });
    limitGit({ requestMs: 50 });
    const half = new PassThrough();
    half.write('0014');
    await expect(readFetchRequest(half)).rejects.toMatchObject({ status: 408 });
    const halfPacked = new PassThrough();
    halfPacked.write(grown.subarray(0, 100));
    await expect(readFetchRequest(decodedBody(halfPacked, 'gzip'))).rejects.toMatchObject({ status: 408 });
  });
});

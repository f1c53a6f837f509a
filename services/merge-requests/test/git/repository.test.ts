import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  branchRef,
  commitFiles,
  countObjects,
  deleteRepository,
  ensureRepository,
  listCommits,
  maintainRepository,
  openRepository,
  parseBranchName,
  readHead,
  repositoryExists,
  type Sha,
  setHead,
  sweepLeftovers,
  updateRefs,
  uploadPack,
  zeroSha,
} from '../../src/git';
import { migrateObjects, withObjectArea } from '../../src/git/repository';
import { gitEnvironment, runGit, startGit, streamGit } from '../../src/git/run-git';
import { author, committer, Workshop } from './support/workshop';

describe('repositories on disk', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are stored under ids, made once however many request it, and deleted', async () => {
    expect(openRepository(root, 1).path).toBe(join(root, '01', '1.git'));
    expect(openRepository(root, 4095).path).toBe(join(root, 'ff', '4095.git'));
    for (const id of [0, -1, 1.5, Number.NaN]) expect(() => openRepository(root, id)).toThrow(RangeError);
    const repo = openRepository(root, 300);
    const made = await Promise.all(
      Array.from({ length: 6 }, () => ensureRepository(repo, { defaultBranch: parseBranchName('trunk') })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(join(root, '2c'))).toEqual(['300.git']);
    expect(await readHead(repo)).toBe('trunk');
    await setHead(repo, parseBranchName('main'));
    expect(await readHead(repo)).toBe('main');
    expect(existsSync(join(repo.path, 'hooks'))).toBe(false);
    await deleteRepository(repo);
    await deleteRepository(repo);
    expect(await repositoryExists(repo)).toBe(false);
    expect(readdirSync(join(root, '2c'))).toEqual([]);
  });

  it('are packed without losing anything, during writes', async () => {
    const repo = openRepository(root, 5);
    await ensureRepository(repo);
    const ref = branchRef(parseBranchName('main'));
    let tip: Sha | undefined;
    const grow = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) {
        const next = await commitFiles(repo, {
          parent: tip,
          author,
          committer,
          message: `${at}`,
          actions: [{ action: 'create', path: `f${Math.random()}`, content: Buffer.from(`${at}`) }],
        });
        await updateRefs(repo, [{ ref, old: tip ?? zeroSha, new: next }]);
        tip = next;
      }
    };
    await grow(10);
    const loose = await commitFiles(repo, {
      parent: tip,
      author,
      committer,
      message: 'nobody points here',
      actions: [{ action: 'create', path: 'x', content: Buffer.from('x') }],
    });
    expect(await maintainRepository(repo)).toBe(false);
    await Promise.all([
      grow(15),
      maintainRepository(repo, { maxLoose: 5 }),
      maintainRepository(repo, { maxLoose: 5 }).catch(() => undefined),
    ]);
    expect(await maintainRepository(repo, { maxLoose: 5 })).toBe(true);
    expect(await listCommits(repo, { from: [tip!], limit: 100 })).toHaveLength(25);
    expect(await listCommits(repo, { from: [loose], limit: 1 })).toHaveLength(1);
    expect((await countObjects(repo)).size).toBeGreaterThan(0);
    await runGit(repo, ['fsck', '--strict']);
  });

  it('take objects while packing removes their empty folders', async () => {
    const repo = openRepository(root, 5);
    await ensureRepository(repo);
    const folders = Array.from({ length: 256 }, (_, at) =>
      join(repo.path, 'objects', at.toString(16).padStart(2, '0')),
    );
    const remove = `for (;;) for (const folder of ${JSON.stringify(folders)}) try { fs.rmdirSync(folder); } catch {}`;
    const packing = spawn(process.execPath, ['-e', remove], { stdio: 'ignore' });
    try {
      for (let at = 0; at < 20; at++) {
        const action = (name: number) => ({ action: 'create' as const, path: `${name}`, content: randomBytes(8) });
        const actions = Array.from({ length: 30 }, (_, name) => action(name));
        await commitFiles(repo, { parent: undefined, author, committer, message: 'm', actions });
        await withObjectArea(repo, async (area) => {
          await commitFiles(area, { parent: undefined, author, committer, message: 'm', actions: [action(31)] });
          await migrateObjects(area);
        });
      }
    } finally {
      packing.kill('SIGKILL');
    }
    await runGit(repo, ['fsck', '--strict']);
  });

  it('are swept of what a killed process left', async () => {
    const repo = openRepository(root, 5);
    await ensureRepository(repo);
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const path of [join(root, '05', '.new-0123456789abcdef'), join(repo.path, 'objects', 'tmp_objdir-1')]) {
      mkdirSync(path);
      utimesSync(path, old, old);
    }
    mkdirSync(join(root, '05', '.deleted-0123456789abcdef'));
    expect(await sweepLeftovers(root)).toBe(2);
    expect(readdirSync(join(root, '05')).sort()).toEqual(['.deleted-0123456789abcdef', '5.git']);
  });

  it('give up a lock that a killed process left, and wait for one that is held', async () => {
    const repo = openRepository(root, 5);
    await ensureRepository(repo);
    const sha = await commitFiles(repo, {
      parent: undefined,
      author,
      committer,
      message: 'm',
      actions: [{ action: 'create', path: 'x', content: Buffer.from('x') }],
    });
    const ref = branchRef(parseBranchName('main'));
    const lock = join(repo.path, 'refs', 'heads', 'main.lock');
    writeFileSync(lock, '');
    setTimeout(() => rmSync(lock), 300);
    await updateRefs(repo, [{ ref, old: zeroSha, new: sha }]);
    writeFileSync(lock, '');
    const old = new Date(Date.now() - 120_000);
    utimesSync(lock, old, old);
    await updateRefs(repo, [{ ref, old: sha, new: zeroSha }]);
    writeFileSync(lock, '');
    await expect(updateRefs(repo, [{ ref, old: zeroSha, new: sha }])).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a git process', () => {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await Workshop.open();
    shop.commit('large', { large: 'x'.repeat(3 << 20) });
    shop.publish();
  });
  afterAll(() => shop.close());

  it('sees nothing of the host', () => {
    const environment = gitEnvironment(shop.repo);
    expect(environment).toMatchObject({
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      HOME: '/nonexistent',
      LC_ALL: 'C',
    });
    expect(
      Object.keys(environment)
        .filter((key) => !key.startsWith('GIT_'))
        .sort(),
    ).toEqual(['HOME', 'LC_ALL', 'PATH', 'TZ']);
  });

  it('is bounded by time, by output and by the caller’s signal', async () => {
    // It waits for input that never comes.
    const waiting = () => ['cat-file', '--batch'];
    const late = await startGit(shop.repo, waiting(), { timeoutMs: 100 });
    await expect(late.ended).rejects.toMatchObject({
      kind: 'request_timeout',
    });
    await expect(runGit(shop.repo, ['cat-file', 'blob', 'HEAD:large'], { maxOutput: 100_000 })).rejects.toMatchObject({
      kind: 'too_large',
    });
    const gone = new AbortController();
    const child = await startGit(shop.repo, waiting(), { signal: gone.signal });
    gone.abort(new Error('left'));
    await expect(child.ended).rejects.toThrow('left');
    await expect(runGit(shop.repo, ['version'], { signal: gone.signal })).rejects.toThrow('left');
    for await (const part of streamGit(shop.repo, ['cat-file', 'blob', 'HEAD:large'])) {
      expect(part.length).toBeGreaterThan(0);
      break;
    }
  });

  it('ends when the client of a fetch leaves', async () => {
    const response = new PassThrough();
    const served = uploadPack(shop.repo, Buffer.from('0014command=ls-refs\n'), response, { gitProtocol: 'version=2' });
    response.destroy();
    await expect(served).rejects.toThrow();
  });
});

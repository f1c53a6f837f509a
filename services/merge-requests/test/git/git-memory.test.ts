import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { defaultGitLimits, limitGit } from '../../src/git';
import { packConfig, runGitHere } from '../../src/git/git-process';
import { Workshop } from './support/workshop';

const memoryBytes = 64 << 20;
beforeEach(() => limitGit({ memoryBytes }));
afterEach(() => limitGit(defaultGitLimits));

test.each([256, 1_024, 1 << 20])('of %d MB a quarter is left beside what packing keeps', (megabytes) => {
  const config = new Map(packConfig(megabytes * 2 ** 20));
  const bytes = (name: string) => Number(config.get(name));
  const windows = bytes('pack.threads') * bytes('pack.windowMemory');
  const kept = windows + bytes('pack.deltaCacheSize') + bytes('core.deltaBaseCacheLimit');
  expect(kept).toBeLessThanOrEqual(megabytes * 2 ** 20 * 0.75);
  expect(windows).toBe(megabytes * 2 ** 19);
});

test('files that are larger together than the memory of a process are packed within it', async () => {
  const shop = await Workshop.open();
  try {
    const objects = Array.from({ length: 10 }, () =>
      execFileSync('git', ['-c', 'core.compression=0', 'hash-object', '-w', '--stdin'], {
        input: randomBytes(4 << 20),
        env: { ...process.env, GIT_DIR: shop.repo.path },
        encoding: 'utf8',
      }),
    );
    const pack = join(shop.repo.path, 'objects', 'pack', 'pack');
    const { stdout } = await runGitHere(shop.repo, ['pack-objects', '-q', pack], {
      input: objects.join(''),
      config: [['core.compression', '0']],
    });
    expect(String(stdout)).toMatch(/^[0-9a-f]{40}\n$/);
  } finally {
    await shop.close();
  }
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('git has its limit, and is what the kernel ends where memory runs out', async () => {
  // The service says it to the kernel once git runs.
  const told = 'until grep -x 1000 /proc/$PPID/oom_score_adj; do sleep 0.01; done';
  const { stdout } = await runGitHere(undefined, ['look'], { config: [['alias.look', `!${told} && ulimit -d`]] });
  expect(String(stdout)).toBe(`1000\n${memoryBytes / 1_024}\n`);
});

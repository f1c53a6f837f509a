import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultGitLimits,
  ensureRepository,
  limitGit,
  openRepository,
  type Repository,
  unpackBundle,
} from '../../src/git';
import { deltaBomb } from './support/bombs';

let root: string;
let repo: Repository;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
  repo = openRepository(root, 1);
  await ensureRepository(repo);
});
afterEach(() => {
  limitGit(defaultGitLimits);
  rmSync(root, { recursive: true, force: true });
});

/** A bundle as it comes. */
async function* bytes(...parts: (string | Buffer)[]) {
  for (const part of parts) yield Buffer.from(part);
}

const header = `# v2 git bundle\n${'a'.repeat(40)} refs/heads/main\n\n`;

it.each([
  ['no objects', header],
  ['half of the head of a pack', `${header}PACK\0\0`],
  ['something else than a pack', `${header}nothing of the kind`],
])('a bundle with %s cannot be read', async (_, content) => {
  await expect(unpackBundle(async () => repo, bytes(content))).rejects.toMatchObject({
    kind: 'unprocessable',
    body: { message: expect.stringContaining('it has no objects') },
  });
});

it('a bundle has more time than a push: many of them brought what it has', async () => {
  const { pack, head } = deltaBomb(1);
  limitGit({ smallPushCpuSeconds: 1 });
  const bundle = bytes(`# v2 git bundle\n${head} refs/heads/main\n\n`, pack);
  const found = await unpackBundle(async () => repo, bundle);
  expect(found?.refs).toEqual([{ ref: 'refs/heads/main', sha: head }]);
});

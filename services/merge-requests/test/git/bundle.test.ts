import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureRepository, openRepository, type Repository, unpackBundle } from '../../src/git';

let root: string;
let repo: Repository;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
  repo = openRepository(root, 1);
  await ensureRepository(repo);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const header = `# v2 git bundle\n${'a'.repeat(40)} refs/heads/main\n\n`;

it.each([
  ['no objects', header],
  ['half of the head of a pack', `${header}PACK\0\0`],
  ['something else than a pack', `${header}nothing of the kind`],
])('a bundle with %s cannot be read', async (_, content) => {
  async function* bytes() {
    yield Buffer.from(content);
  }
  await expect(unpackBundle(async () => repo, bytes())).rejects.toMatchObject({
    kind: 'unprocessable',
    body: { message: expect.stringContaining('it has no objects') },
  });
});

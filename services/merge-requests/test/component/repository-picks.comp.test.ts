import { openRepository } from '../../src/git';
import { type Harness, people, type TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
const { at, api, get, post, write } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project } = await startRepository());
});
afterAll(() => harness?.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

const update = (branch: string, file_path: string, content: string, more: object = {}) =>
  write(branch, [{ action: 'update', file_path, content }], more);
const contentOf = async (branch: string, path: string) =>
  (await get(`/repository/files/${encodeURIComponent(path)}/raw?ref=${branch}`)).text;
const headOf = async (branch: string): Promise<string> =>
  ((await get(`/repository/branches/${branch}`)).body as Body).commit.id;

test('a commit is applied to another branch with its author, and taken back again', async () => {
  await write('lines', [{ action: 'create', file_path: 'lines', content: 'a\nb\nc\nd\ne\n' }], {
    start_branch: 'main',
  });
  const fix = await update('fixes', 'lines', 'a\nb\nc\nd\nE\n', {
    start_branch: 'lines',
    commit_message: 'Fix the end\n\nIt was small.\n',
    author_name: 'Zoe',
    author_email: 'zoe@example.org',
  });
  await update('lines', 'lines', 'A\nb\nc\nd\ne\n');

  const dry = await post(`/repository/commits/${fix}/cherry_pick`, { branch: 'lines', dry_run: true });
  expect([dry.status, dry.body]).toEqual([200, { dry_run: 'success' }]);
  const before = await headOf('lines');
  const picked = await post(`/repository/commits/${fix}/cherry_pick`, { branch: 'lines' });
  expect(picked.status).toBe(201);
  expect(picked.body).toMatchObject({
    parent_ids: [before],
    title: 'Fix the end',
    message: `Fix the end\n\nIt was small.\n\n(cherry picked from commit ${fix})\n`,
    author_name: 'Zoe',
    author_email: 'zoe@example.org',
    committer_email: 'user3@example.org',
  });
  const { id } = picked.body as Body;
  expect(await headOf('lines')).toBe(id);
  expect(await contentOf('lines', 'lines')).toBe('A\nb\nc\nd\nE\n');

  const reverted = await post(`/repository/commits/${id}/revert`, { branch: 'lines' });
  expect(reverted.body).toMatchObject({
    title: 'Revert "Fix the end"',
    message: `Revert "Fix the end"\n\nThis reverts commit ${id}.\n`,
    author_email: 'user3@example.org',
  });
  expect(await contentOf('lines', 'lines')).toBe('A\nb\nc\nd\ne\n');
  const worded = await post(`/repository/commits/fixes/cherry_pick`, { branch: 'lines', message: 'Again, please' });
  expect(worded.body).toMatchObject({ title: 'Again, please' });
});

test('a merge and the first commit of all are applied and taken back as what they changed', async () => {
  const root = ((await get('/repository/commits?ref_name=main')).body as Body[]).at(-1).id;
  await write('side', [{ action: 'create', file_path: 'side.txt', content: 'side\n' }], { start_branch: 'main' });
  await write('main', [{ action: 'create', file_path: 'other.txt', content: 'other\n' }]);
  const repo = openRepository(`${harness.data}/repositories`, project.id);
  const tree = (await harness.git(repo.path, 'merge-tree', '--write-tree', 'main', 'side')).trim();
  const args = ['commit-tree', tree, '-p', 'main', '-p', 'side', '-m', 'Merge side'];
  const merge = (await harness.git(repo.path, ...args)).trim();
  await harness.git(repo.path, 'update-ref', 'refs/heads/main', merge);

  const undone = await post(`/repository/commits/${merge}/revert`, { branch: 'main' }, people.maintainer);
  expect(undone.status).toBe(201);
  const names = async (branch: string) =>
    ((await get(`/repository/tree?ref=${branch}`)).body as Body[]).map(({ name }) => name);
  expect(await names('main')).not.toContain('side.txt');
  expect(await names('main')).toContain('other.txt');

  await post('/repository/branches', { branch: 'older', ref: root });
  expect((await post(`/repository/commits/${merge}/cherry_pick`, { branch: 'older' })).status).toBe(201);
  expect(await names('older')).toContain('side.txt');
  expect(await names('older')).not.toContain('other.txt');
  expect((await post(`/repository/commits/${root}/revert`, { branch: 'older' })).status).toBe(201);
  expect(await names('older')).toEqual(['side.txt']);
});

test('what cannot be applied says why, and the branch stays', async () => {
  await write('clash', [{ action: 'create', file_path: 'clash', content: 'one\n' }], { start_branch: 'main' });
  const two = await update('clash-two', 'clash', 'two\n', { start_branch: 'clash' });
  await update('clash', 'clash', 'three\n');
  const head = await headOf('clash');
  const sorry =
    'Sorry, we cannot cherry-pick this commit automatically. This commit may already have been cherry-picked, or a more recent commit may have updated some of its content.';
  for (const dry_run of [false, true]) {
    const refused = await post(`/repository/commits/${two}/cherry_pick`, { branch: 'clash', dry_run });
    expect([refused.status, refused.body]).toEqual([400, { message: sorry, error_code: 'conflict' }]);
  }
  const empty = await post(`/repository/commits/${head}/cherry_pick`, { branch: 'clash' });
  expect([empty.status, empty.body]).toMatchObject([400, { error_code: 'empty' }]);
  const revert = await post(`/repository/commits/${two}/revert`, { branch: 'clash' });
  expect([revert.status, revert.body]).toMatchObject([400, { error_code: 'conflict' }]);
  expect(await headOf('clash')).toBe(head);
});

test('who may not push is refused, and what is not there is named', async () => {
  const sha = await headOf('main');
  const pick = (id: string, body: object, person = people.developer) =>
    api(person, 'POST', at(`/repository/commits/${id}/cherry_pick`), body);
  await post('/protected_branches', { name: 'guarded' }, people.maintainer);
  await post('/repository/branches', { branch: 'guarded', ref: 'main' }, people.maintainer);
  expect((await pick(sha, { branch: 'guarded' })).status).toBe(403);
  expect((await pick(sha, { branch: 'main' }, people.reporter)).status).toBe(403);
  expect((await pick(sha, { branch: 'nowhere' })).body).toEqual({ message: '404 Branch Not Found' });
  expect((await pick(sha, { branch: 'a..b' })).body).toEqual({ message: '404 Branch Not Found' });
  expect((await pick('0123456789'.repeat(4), { branch: 'main' })).body).toEqual({ message: '404 Commit Not Found' });
  expect((await pick(sha, {})).body).toEqual({ error: 'branch is missing' });
});

test('two at the same time both land', async () => {
  await post('/repository/branches', { branch: 'busy', ref: 'main' });
  const shas: string[] = [];
  for (const name of ['p', 'q', 'r']) {
    const action = { action: 'create', file_path: `${name}.txt`, content: name };
    shas.push(await write(`from-${name}`, [action], { start_branch: 'main' }));
  }
  const replies = await Promise.all(
    shas.map((sha) => post(`/repository/commits/${sha}/cherry_pick`, { branch: 'busy' })),
  );
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
  const names = ((await get('/repository/tree?ref=busy')).body as Body[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['p.txt', 'q.txt', 'r.txt']));
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import { eventually } from '@switchyard/testkit';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.close());

/** A project with a commit on `main` and one on `side`. */
async function source(): Promise<TestProject> {
  const project = await harness.project();
  for (const branch of ['main', 'side']) {
    const reply = await harness.api(people.maintainer, 'POST', `/projects/${project.id}/repository/commits`, {
      branch,
      ...(branch === 'side' ? { start_branch: 'main' } : {}),
      commit_message: branch,
      actions: [{ action: 'create', file_path: branch === 'main' ? 'README.md' : 'side.txt', content: branch }],
    });
    expect(reply.status).toBe(201);
  }
  return project;
}

const branchesOf = async (project: TestProject): Promise<{ name: string; default: boolean; protected: boolean }[]> =>
  (await harness.api(people.developer, 'GET', `/projects/${project.id}/repository/branches`)).body;

const copiesOf = (project: TestProject) =>
  harness.db.query<object>(sql`
    select body ->> 'error' as error, body ->> 'readmePath' as readme from events.outbox
    where key = ${String(project.id)} and type = 'repository.copied'`);

/** Purges a project as the directory reports it, and the repository with it. */
async function purge({ id }: TestProject): Promise<void> {
  await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${id}`);
}

test('a fork can be cloned at once, also by several, and is copied and published once', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id } });
  const folders = [1, 2, 3].map(() => join(harness.folder(), 'clone'));
  await Promise.all(
    folders.map((folder) => harness.git('/', 'clone', '--quiet', harness.remote(people.developer, fork.path), folder)),
  );
  for (const folder of folders) expect(existsSync(join(folder, 'README.md'))).toBe(true);

  expect(await branchesOf(fork)).toEqual([
    expect.objectContaining({ name: 'main', default: true, protected: true }),
    expect.objectContaining({ name: 'side', default: false, protected: false }),
  ]);
  expect(await copiesOf(fork)).toEqual([{ error: null, readme: 'README.md' }]);
});

test('a fork that no one touches is copied by its job', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id } });
  await harness.beside.jobs.requests.enqueue([{ kind: 'copy_repository', projectId: fork.id }]);
  await eventually(async () => expect(await copiesOf(fork)).toHaveLength(1));
});

test('a fork of a fork is made with the forks before it', async () => {
  const origin = await source();
  const first = await harness.project({ origin: { id: origin.id } });
  const second = await harness.project({ origin: { id: first.id } });
  expect(await branchesOf(second)).toHaveLength(2);
  expect([await copiesOf(first), await copiesOf(second)]).toEqual([expect.anything(), expect.anything()]);
});

test('a fork of one branch has it as its default', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id, branch: 'side' }, defaultBranch: 'side' });
  expect(await branchesOf(fork)).toEqual([expect.objectContaining({ name: 'side', default: true, protected: true })]);
});

test('a fork of a project whose first branch the directory does not know has that branch as its default', async () => {
  const origin = await harness.project();
  const reply = await harness.api(people.maintainer, 'POST', `/projects/${origin.id}/repository/commits`, {
    branch: 'trunk',
    commit_message: 'First',
    actions: [{ action: 'create', file_path: 'README.md', content: 'x' }],
  });
  expect(reply.status).toBe(201);
  const fork = await harness.project({ origin: { id: origin.id } });
  expect(await branchesOf(fork)).toEqual([expect.objectContaining({ name: 'trunk', default: true, protected: true })]);
  const [event] = await harness.db.query(sql`
    select body ->> 'defaultBranch' as "defaultBranch", body ->> 'missingBranch' as missing, body ->> 'readmePath' as readme
    from events.outbox where key = ${String(fork.id)} and type = 'repository.copied'`);
  expect(event).toEqual({ defaultBranch: 'trunk', missing: 'main', readme: 'README.md' });
  const folder = join(harness.folder(), 'clone');
  await harness.git('/', 'clone', '--quiet', harness.remote(people.developer, fork.path), folder);
  expect((await harness.git(folder, 'branch', '--show-current')).trim()).toBe('trunk');
});

test('a fork waits for a source that is marked for deletion, and is copied once that is there again', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id } });
  const mark = (deleting: boolean) =>
    harness.db.query(sql`update directory.projects set deleting = ${deleting} where id = ${origin.id}`);
  await mark(true);
  const reply = await harness.api(people.developer, 'GET', `/projects/${fork.id}/repository/branches`);
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '60']);
  expect(await copiesOf(fork)).toEqual([]);
  const { waitingForks } = repositoryStore(harness.db);
  const waiting = async () => [
    await waitingForks(harness.db, origin.id, 10),
    await waitingForks(harness.db, fork.id, 10),
  ];
  expect(await waiting()).toEqual([[fork.id], [fork.id]]);
  await mark(false);
  const [forks] = (harness.beside.repositories.consumers ?? []).flatMap(({ subscriptions }) => subscriptions);
  const restored = ProjectEvent.fromPartial({ projectId: origin.id, fact: { $case: 'restored', value: {} } });
  await harness.db.transaction(async (tx) => forks?.handle(restored as never, tx, {} as never));
  await eventually(async () => expect(await copiesOf(fork)).toHaveLength(1));
  expect(await branchesOf(fork)).toHaveLength(2);
  expect(await copiesOf(fork)).toEqual([{ error: null, readme: 'README.md' }]);
  expect(await waiting()).toEqual([[], []]);
});

test.each([
  ['whose origin is gone', {}, 'The project it was forked from does not exist any more.'],
  [
    'of a branch that is not there',
    { branch: 'no' },
    'The branch no does not exist in the project it was forked from.',
  ],
])('a fork %s is empty, says so, and can be pushed to', async (_, only: { branch?: string }, error) => {
  const origin = await source();
  if (only.branch === undefined) await purge(origin);
  const fork = await harness.project({ origin: { id: origin.id, ...only } });
  expect(await branchesOf(fork)).toEqual([]);
  expect(await branchesOf(fork)).toEqual([]);
  expect(await copiesOf(fork)).toEqual([{ error, readme: null }]);

  const folder = harness.folder();
  await harness.git(folder, 'init', '--quiet', '--initial-branch=main');
  await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  await harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, fork.path), 'main');
  expect(await branchesOf(fork)).toEqual([expect.objectContaining({ name: 'main', protected: true })]);
});

test('neither side can be read through the other, by git or by the API', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id } });
  await branchesOf(fork);
  const commit = async (project: TestProject): Promise<string> => {
    const reply = await harness.api(people.maintainer, 'POST', `/projects/${project.id}/repository/commits`, {
      branch: 'side',
      commit_message: 'Afterwards',
      actions: [{ action: 'create', file_path: `of-${project.id}`, content: `${project.id}` }],
    });
    return (reply.body as { id: string }).id;
  };
  const sides = [
    [origin, fork],
    [fork, origin],
  ] as const;
  for (const [own, other] of sides) {
    const sha = await commit(own);
    const at = (project: TestProject) => `/projects/${project.id}/repository/commits/${sha}`;
    expect((await harness.api(people.developer, 'GET', at(own))).status).toBe(200);
    expect((await harness.api(people.developer, 'GET', at(other))).status).toBe(404);
    const folder = harness.folder();
    await harness.git(folder, 'init', '--quiet');
    await harness.git(folder, 'fetch', '--quiet', harness.remote(people.developer, own.path), sha);
    const empty = harness.folder();
    await harness.git(empty, 'init', '--quiet');
    await harness.gitFails(empty, 'fetch', '--quiet', harness.remote(people.developer, other.path), sha);
  }
});

test('a fork is cloned after its origin was packed and deleted', async () => {
  const origin = await source();
  const fork = await harness.project({ origin: { id: origin.id } });
  await branchesOf(fork);
  const { path } = await harness.beside.repositories.repositoryOf(origin.id);
  await harness.git(path, 'repack', '-a', '-d', '-f', '-q');
  await harness.git(path, 'prune', '--expire=now');
  await purge(origin);
  await harness.git(
    '/',
    'clone',
    '--quiet',
    harness.remote(people.developer, fork.path),
    join(harness.folder(), 'one'),
  );
  const { path: copy } = await harness.beside.repositories.repositoryOf(fork.id);
  await harness.git(copy, 'fsck', '--strict');
});

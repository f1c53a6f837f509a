import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { freePort } from '@switchyard/machine/ports';
import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import type { HookEvent } from '@switchyard/protos/rpc/v1/hook_body';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { openRepository, openWiki } from '../../src/git';
import { moveRepositories } from '../../src/repositories';
import { storagesIn } from '../../src/repositories/application/storages';
import { type RepositoryKind, repositoryKinds } from '../../src/repositories/domain/repository';
import { forker, forkOf, relate } from './fork-steps';
import { gitSteps } from './git-steps';
import { at, mergeRequestSteps, mr } from './merge-request-steps';
import { type Ground, type Harness, people, prepareGround, startHarness, type TestProject } from './repository-harness';
import { moveUntil, pointsOfMoves, removeThroughDeaths, silent } from './repository-move-steps';

/** Two processes, each with the volume of one storage; the gateway knows the first alone. */

const weights = { default: 1, second: 1 };
const storages = 'default:1,second:1';
let ground: Ground;
let harness: Harness;
let other: Harness;
let environments: Record<'default' | 'second', NodeJS.ProcessEnv>;

/** What two processes are started with that have one storage each. */
async function environmentsOn(folder: string, named = storages): Promise<typeof environments> {
  const taken = new Set<number>();
  const port = async () => String(await freePort(taken));
  const [grpc, http, otherGrpc, otherHttp] = [await port(), await port(), await port(), await port()];
  const common = { SWITCHYARD_REPOSITORY_STORAGES: named, SWITCHYARD_RECOVERY_SECONDS: '1' };
  return {
    default: {
      ...common,
      ...{ GRPC_PORT: grpc, HTTP_PORT: http, SWITCHYARD_STORAGES_SERVED: 'default' },
      SWITCHYARD_STORAGE_PEERS: `second=127.0.0.1:${otherGrpc}/${otherHttp}`,
    },
    second: {
      ...common,
      ...{ GRPC_PORT: otherGrpc, HTTP_PORT: otherHttp, SWITCHYARD_STORAGES_SERVED: 'second' },
      ...{ SWITCHYARD_STORAGE_PEERS: `default=127.0.0.1:${grpc}/${http}`, SWITCHYARD_DATA: join(folder, 'other') },
    },
  };
}

beforeAll(async () => {
  ground = await prepareGround();
  environments = await environmentsOn(ground.folder);
  harness = await startHarness(ground, environments.default);
  other = await startHarness(ground, environments.second);
});
afterAll(async () => {
  await harness?.close();
  await other?.close();
  await ground?.close();
});

const steps = mergeRequestSteps(() => harness);
const { api, addMembers, checked, commit, open } = steps;
const { pushed } = gitSteps(() => harness);
beforeAll(() => addMembers());

const inDefault = ({ id }: TestProject) => existsSync(openRepository(join(ground.folder, 'repositories'), id).path);
const inSecond = ({ id }: TestProject) =>
  existsSync(openRepository(join(ground.folder, 'other', 'storages', 'second'), id).path);
const placed = (project: TestProject) => [inDefault(project), inSecond(project)];

const { choose } = storagesIn('', new Map(Object.entries(weights)));
let nextId = 1_000;
/** Id of a project whose repository will lie in a storage. */
function idFor(storage: string): number {
  do nextId += 1;
  while (choose(nextId) !== storage);
  return nextId;
}
const given = (storage: string) => {
  const id = idFor(storage);
  return { id, path: `group/project${id}` };
};

test.each(['default', 'second'] as const)(
  'a repository in %s is pushed to, cloned and read where it lies',
  async (storage) => {
    const { project, folder } = await pushed(given(storage));
    expect(placed(project)).toEqual([storage === 'default', storage === 'second']);
    const clone = harness.folder();
    await harness.git(clone, 'clone', '--quiet', harness.remote(people.developer, project.path), '.');
    const head = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
    expect((await harness.git(clone, 'rev-parse', 'HEAD')).trim()).toBe(head);
    const raw = await api(people.developer, 'GET', at(project, '/repository/files/README.md/raw?ref=main'));
    expect([raw.status, raw.text]).toEqual([200, '# Hello\n']);
    const missing = await api(people.developer, 'GET', at(project, '/repository/files/none/raw?ref=main'));
    expect([missing.status, missing.body]).toEqual([404, { message: '404 File Not Found' }]);
    const archive = await api(people.developer, 'GET', at(project, '/repository/archive.tar.gz'));
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    const branches = await api(people.developer, 'GET', at(project, '/repository/branches'));
    expect(branches.body).toMatchObject([{ name: 'main', commit: { id: head } }]);
    const source = harness.asPackages(SourceCodeServiceService);
    const tree: string[] = [];
    for await (const { entries } of source.listSourceTree(
      { projectId: project.id, commitSha: head, path: '' },
      { requestId: 'test' },
    ))
      tree.push(...entries.map(({ path }) => path));
    expect(tree).toEqual(['README.md']);
    const refused = await harness.gitFails(folder, 'push', harness.remote(people.reporter, project.path), 'main:other');
    expect(refused).toContain('You are not allowed to push code to this project.');
    const wiki = harness.remote(people.developer, `${project.path}.wiki`);
    await harness.git(folder, 'push', '--quiet', wiki, 'main');
    expect(await harness.git(folder, 'ls-remote', wiki, 'main')).toContain(head);
    const { path } = openWiki(
      join(ground.folder, storage === 'second' ? 'other/storages/second' : 'repositories'),
      project.id,
    );
    expect(existsSync(path)).toBe(true);
  },
);

test.each(['default', 'second'] as const)(
  'a merge request in %s is checked by its jobs, and lands',
  async (storage) => {
    const project = await harness.project(given(storage));
    await commit(project, 'main', { 'README.md': 'base\n' });
    const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { iid } = await open(project, 'feature');
    await checked(project, iid);
    const merged = await api(people.maintainer, 'PUT', mr(project, iid, '/merge'), { sha });
    expect([merged.status, merged.body.state]).toEqual([200, 'merged']);
    expect(placed(project)).toEqual([storage === 'default', storage === 'second']);
  },
);

test('a fork is made beside what it is copied from, and merge requests go from one to the other', async () => {
  const source = await harness.project({ ...given('second'), visibility: 'public' });
  await commit(source, 'main', { 'README.md': 'base\n' });
  const fork = await forkOf(harness, source, { id: idFor('default') });
  await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main', by: forker });
  expect([placed(source), placed(fork)]).toEqual([
    [false, true],
    [false, true],
  ]);
  const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: source.id };
  const made = await api(forker, 'POST', at(fork, '/merge_requests'), body);
  expect(made.status).toBe(201);
  await checked(source, made.body.iid);
  const merged = await api(people.maintainer, 'PUT', mr(source, made.body.iid, '/merge'));
  expect([merged.status, merged.body.state]).toEqual([200, 'merged']);
});

test('between repositories of two processes there are no merge requests', async () => {
  const [one, two] = [await harness.project(given('default')), await harness.project(given('second'))];
  await commit(one, 'main', { 'README.md': 'base\n' });
  await commit(two, 'main', { 'README.md': 'base\n' });
  await commit(two, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main' });
  await relate(harness, one, two);
  const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: one.id };
  const reply = await api(people.maintainer, 'POST', at(two, '/merge_requests'), body);
  expect([reply.status, reply.body]).toEqual([
    422,
    { message: ['Repositories of source and target project are on storages of different processes'] },
  ]);
});

/** What the command that moves to a storage is started with, beside its process. */
const moving = (to: keyof typeof environments): NodeJS.ProcessEnv => ({
  SWITCHYARD_DATA: ground.folder,
  SWITCHYARD_IDENTITY_KEY_FILE: join(ground.folder, 'merge-requests.pem'),
  ...environments[to],
});
const move = ({ id }: TestProject, to: keyof typeof environments, by = moving(to)) =>
  moveRepositories.run({ db: harness.db, ...silent }, [String(id), to], by);
const homeOf = ({ id }: TestProject) =>
  harness.db.one<{ storage: string; former: string | null }>(sql`
    select storage, former_storage as former from repositories where project_id = ${id}`);
const remoteOf = ({ path }: TestProject, kind: RepositoryKind = 'code') =>
  harness.remote(people.maintainer, kind === 'wiki' ? `${path}.wiki` : path);
const branches = async (project: TestProject, kind?: RepositoryKind): Promise<string[]> =>
  (await harness.git('/', 'ls-remote', '--heads', remoteOf(project, kind)))
    .split('\n')
    .flatMap((line) => line.split('refs/heads/')[1] ?? [])
    .sort();
/** A project whose code and wiki were pushed to. */
async function pushedBoth(storage: keyof typeof environments): Promise<{ project: TestProject; folder: string }> {
  const both = await pushed(given(storage));
  await harness.git(both.folder, 'push', '--quiet', remoteOf(both.project, 'wiki'), 'main');
  return both;
}
const pathIn = (storage: keyof typeof environments, { id }: TestProject, kind: RepositoryKind = 'code') =>
  (kind === 'wiki' ? openWiki : openRepository)(
    storage === 'default' ? join(ground.folder, 'repositories') : join(ground.folder, 'other', 'storages', 'second'),
    id,
  ).path;
const removeNow = ({ id }: TestProject) =>
  harness.db.query(sql`
    update jobs set run_at = now() where kind = 'remove_former_copy' and project_id = ${id} returning id`);

test.each([
  ['code', 'default', 'second'],
  ['code', 'second', 'default'],
  ['wiki', 'default', 'second'],
  ['wiki', 'second', 'default'],
] as const)(
  'the %s of a project moves from %s to %s while it is pushed to, and no push is refused or lost',
  async (kind, from, to) => {
    const { project, folder } = await pushedBoth(from);
    let moved = false;
    const arrived = ['main'];
    const pushing = (async () => {
      for (let count = 0; !moved || count < 5; count += 1) {
        await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', `More ${count}`);
        await harness.git(folder, 'push', '--quiet', remoteOf(project, kind), `HEAD:refs/heads/more-${count}`);
        arrived.push(`more-${count}`);
      }
    })();
    await move(project, to);
    moved = true;
    await pushing;
    expect(await homeOf(project)).toEqual({ storage: to, former: from });
    expect(await branches(project, kind)).toEqual(arrived.sort());
    expect(await removeNow(project)).toHaveLength(1);
    await eventually(async () => expect(await homeOf(project)).toEqual({ storage: to, former: null }));
    for (const one of repositoryKinds)
      expect([from, to].map((storage) => existsSync(pathIn(storage, project, one)))).toEqual([false, true]);
    expect(await branches(project, kind)).toEqual(arrived);
    expect(await branches(project, kind === 'code' ? 'wiki' : 'code')).toEqual(['main']);
    await harness.git(pathIn(to, project, kind), 'fsck', '--strict');
    const sha = await commit(project, 'after', { 'after.txt': 'after\n' }, { start: 'main' });
    expect((await harness.git(pathIn(to, project), 'rev-parse', 'refs/heads/after')).trim()).toBe(sha);
  },
  120_000,
);

test.each(repositoryKinds)(
  'refs of the %s, whose change began before a move and waits for it, move there',
  async (kind) => {
    const { project, folder } = await pushedBoth('default');
    const head = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
    await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Second');
    const [former, now] = [pathIn('default', project, kind), pathIn('second', project, kind)];
    const remote = remoteOf(project, kind);
    let waiting: Promise<unknown>[] = [];
    // As a move does: the lock, the copy, the row.
    await harness.db.transaction(async (tx) => {
      await tx.query(sql`select 1 from repositories where project_id = ${project.id} for update`);
      waiting = [
        harness.git(folder, 'push', '--quiet', remote, 'HEAD:main', 'HEAD:refs/heads/second'),
        harness.gitFails(
          folder,
          'push',
          '--quiet',
          '--atomic',
          remote,
          'HEAD:refs/heads/new',
          'HEAD:refs/heads/main/x',
        ),
        ...(kind === 'code' ? [commit(project, 'by-api', { 'one.txt': 'one\n' }, { start: 'main' })] : []),
      ];
      await eventually(async () => {
        const locks = await harness.db.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`);
        expect(locks).toHaveLength(waiting.length);
      });
      for (const one of repositoryKinds)
        await harness.git(
          '/',
          'clone',
          '--quiet',
          '--mirror',
          pathIn('default', project, one),
          pathIn('second', project, one),
        );
      await tx.query(sql`
      update repositories set storage = 'second', former_storage = 'default' where project_id = ${project.id}`);
    });
    const [, refused] = await Promise.all(waiting);
    expect(refused).toContain('HEAD -> new (A branch or tag name cannot be the beginning of another)');
    expect(await branches(project, kind)).toEqual([...(kind === 'code' ? ['by-api'] : []), 'main', 'second']);
    expect((await harness.git(now, 'rev-parse', 'main')).trim()).toBe(
      (await harness.git(folder, 'rev-parse', 'HEAD')).trim(),
    );
    expect((await harness.git(former, 'rev-parse', 'main')).trim()).toBe(head);
    expect(await harness.git(folder, 'push', remote, 'HEAD:refs/heads/third')).toContain('HEAD -> third');
  },
  60_000,
);

test.each(pointsOfMoves)(
  'a move to another process killed at %s leaves the repository on the side %s, and can be made again',
  async (point, side) => {
    const { project } = await pushedBoth('default');
    expect(await moveUntil(point, ground, moving('second'), project.id, 'second')).toBe('SIGKILL');
    expect((await homeOf(project))?.storage).toBe(side === 'from' ? 'default' : 'second');
    for (const kind of repositoryKinds) expect(await branches(project, kind)).toEqual(['main']);
    if (side === 'from') await move(project, 'second');
    for (const kind of repositoryKinds) {
      expect(await branches(project, kind)).toEqual(['main']);
      await harness.git(pathIn('second', project, kind), 'fsck', '--strict');
    }
  },
  60_000,
);

test('a removal of a copy in another process that is killed at any point is finished', async () => {
  const layout = await environmentsOn('', 'default:1,second:0');
  await removeThroughDeaths(({ folder }) => ({
    from: layout.default,
    to: { ...layout.second, SWITCHYARD_DATA: join(folder, 'other') },
    folders: { from: join(folder, 'repositories'), to: join(folder, 'other', 'storages', 'second') },
  }));
}, 120_000);

test('what cannot be moved to another process is said in one line, and stays', async () => {
  const source = await harness.project({ ...given('second'), visibility: 'public' });
  await commit(source, 'main', { 'README.md': 'base\n' });
  await expect(move(source, 'default', moving('second'))).rejects.toThrow('the storage default is not served here');
  const { SWITCHYARD_IDENTITY_KEY_FILE: _, ...keyless } = moving('default');
  await expect(move(source, 'default', keyless)).rejects.toThrow('SWITCHYARD_IDENTITY_KEY_FILE');
  const nobody = { ...moving('default'), SWITCHYARD_STORAGE_PEERS: 'second=127.0.0.1:1/1' };
  await expect(move(source, 'default', nobody)).rejects.toThrow();
  const fork = await forkOf(harness, source);
  await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main', by: forker });
  const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: source.id };
  const made = await api(forker, 'POST', at(fork, '/merge_requests'), body);
  for (const [one, tied] of [
    [source, fork],
    [fork, source],
  ] as const)
    await expect(move(one, 'default')).rejects.toThrow(`leads to project ${tied.id}, which another process has`);
  expect((await api(people.maintainer, 'PUT', mr(source, made.body.iid), { state_event: 'close' })).status).toBe(200);
  await move(source, 'default');
  expect([await homeOf(source), await homeOf(fork)]).toEqual([
    { storage: 'default', former: 'second' },
    { storage: 'second', former: null },
  ]);
}, 60_000);

const pushesTo = (projects: readonly TestProject[]) =>
  harness.db.query<HookEvent & Record<string, unknown>>(sql`
    select event_id as id, type, body::text as body from events.outbox
    where type = 'repository.pushed' and key = any(${projects.map(({ id }) => String(id))}::text[]) order by id`);

test('what is asked about several projects is answered by the processes of each', async () => {
  const projects = [await pushed(given('default')), await pushed(given('second'))].map(({ project }) => project);
  const events = await pushesTo(projects);
  const hooks = harness.asGroupsAdmin(HookBodyServiceService);
  const { rendered } = await hooks.renderHookBodies({ events }, { requestId: 'test' });
  const bodies = rendered.map((one) => JSON.parse(String(one.bodies[0]?.json)));
  expect(bodies.map((body) => [body.project_id, body.commits[0]?.title])).toEqual(
    projects.map(({ id }) => [id, 'First']),
  );
  const commits = bodies.map((body) => ({ projectId: body.project_id, sha: body.after }));
  const parts = await harness
    .asCollaboration(HookBodyServiceService)
    .renderHookParts({ mergeRequestIds: [], commits }, { requestId: 'test' });
  expect(new Set(parts.commits.map(({ projectId }) => projectId))).toEqual(new Set(projects.map(({ id }) => id)));
  const { targets } = await harness
    .asCollaboration(CommitTargetServiceService)
    .batchGet({ commits }, { requestId: 'test', actor: { ...anonymous, userId: people.developer.id } });
  expect(new Set(targets.map(({ sha }) => sha))).toEqual(new Set(commits.map(({ sha }) => sha)));
});

test.each<[string, NodeJS.ProcessEnv, string]>([
  [
    'a storage without a process',
    { SWITCHYARD_STORAGE_PEERS: '' },
    'SWITCHYARD_STORAGE_PEERS: has no process for the storage default',
  ],
  [
    'a storage that is not there',
    { SWITCHYARD_STORAGES_SERVED: 'third' },
    'SWITCHYARD_STORAGES_SERVED: third is not in',
  ],
])('%s is refused at the start', async (_, wrong, message) => {
  await expect(startHarness(ground, { ...environments.second, ...wrong })).rejects.toThrow(message);
});

test('a process with another volume than that of its storage does not start', async () => {
  await pushed(given('second'));
  const wrong = { GRPC_PORT: '0', HTTP_PORT: '0', SWITCHYARD_DATA: join(ground.folder, 'another') };
  await expect(startHarness(ground, { ...environments.second, ...wrong })).rejects.toThrow(
    'SWITCHYARD_STORAGES_SERVED: the volume has no repository of the storage second',
  );
});

test('storages are not divided through an open merge request', async () => {
  const source = await harness.project({ ...given('second'), visibility: 'public' });
  await commit(source, 'main', { 'README.md': 'base\n' });
  const fork = await forkOf(harness, source);
  await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main', by: forker });
  const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: source.id };
  const made = await api(forker, 'POST', at(fork, '/merge_requests'), body);
  await harness.db.query(sql`update repositories set storage = 'default' where project_id = ${fork.id}`);
  const ports = { GRPC_PORT: '0', HTTP_PORT: '0' };
  await expect(startHarness(ground, { ...environments.second, ...ports })).rejects.toThrow(
    `SWITCHYARD_STORAGES_SERVED: project ${source.id} needs repositories of two processes`,
  );
  await harness.db.query(sql`update repositories set storage = 'second' where project_id = ${fork.id}`);
  expect((await api(people.maintainer, 'PUT', mr(source, made.body.iid), { state_event: 'close' })).status).toBe(200);
});

test('a process that is away takes no projects but its own with it', async () => {
  const pushes = [await pushed(given('default')), await pushed(given('second'))] as const;
  const [here, there] = [pushes[0].project, pushes[1].project];
  const commits = await Promise.all(
    pushes.map(async ({ project, folder }) => ({
      projectId: project.id,
      sha: (await harness.git(folder, 'rev-parse', 'HEAD')).trim(),
    })),
  );
  const { project: moved } = await pushed(given('second'));
  await move(moved, 'default');
  await other.stopService();
  expect(await commit(moved, 'late', { 'late.txt': 'late\n' }, { start: 'main' })).toHaveLength(40);
  const status = async (project: TestProject, path: string) =>
    (await api(people.developer, 'GET', at(project, path))).status;
  expect([await status(here, '/repository/branches'), await status(there, '/repository/branches')]).toEqual([200, 503]);
  const raw = '/repository/files/README.md/raw?ref=main';
  expect([await status(here, raw), await status(there, raw)]).toEqual([200, 503]);
  const { targets } = await harness
    .asCollaboration(CommitTargetServiceService)
    .batchGet({ commits }, { requestId: 'test', actor: { ...anonymous, userId: people.developer.id } });
  expect(targets.map(({ projectId }) => projectId)).toEqual([here.id]);
  const parts = await harness
    .asCollaboration(HookBodyServiceService)
    .renderHookParts({ mergeRequestIds: [], commits }, { requestId: 'test' });
  expect(parts.commits.map(({ projectId }) => projectId)).toEqual([here.id]);
  const events = await pushesTo([here, there]);
  const hooks = harness.asGroupsAdmin(HookBodyServiceService);
  const { rendered } = await hooks.renderHookBodies({ events, allowAway: true }, { requestId: 'test' });
  expect(rendered).toEqual([
    { eventId: events[0]?.id, bodies: [expect.objectContaining({ projectId: here.id })] },
    { eventId: events[1]?.id, bodies: [], away: `http://127.0.0.1:${environments.second.HTTP_PORT}` },
  ]);
  // An earlier groups-admin does not know such answers.
  await expect(hooks.renderHookBodies({ events }, { requestId: 'test' })).rejects.toMatchObject({
    kind: 'unavailable',
  });
});

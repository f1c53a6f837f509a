import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { freePort } from '@switchyard/machine/ports';
import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import {
  ApplySuggestedChangesRequest,
  SuggestedChangeServiceService,
} from '@switchyard/protos/merge_requests/v1/suggested_change';
import type { HookEvent } from '@switchyard/protos/rpc/v1/hook_body';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { openRepository, openWiki } from '../../src/git';
import { enqueueJobs } from '../../src/jobs';
import type { StoredCar } from '../../src/merge-trains/domain/stored-train';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { moveRepositories } from '../../src/repositories';
import { purgeRepositories } from '../../src/repositories/application/purge-repositories';
import { storagesIn } from '../../src/repositories/application/storages';
import { type RepositoryKind, repositoryKinds } from '../../src/repositories/domain/repository';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { forker, forkOf, relate } from './fork-steps';
import { gitSteps } from './git-steps';
import { at, type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import {
  type Ground,
  type Harness,
  insertProject,
  people,
  prepareGround,
  startHarness,
  type TestProject,
} from './repository-harness';
import { moveUntil, pointsOfMoves, removeFormerNow, removeThroughDeaths, silent } from './repository-move-steps';
import { git, killProcesses, processOf } from './repository-process';

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

const steps = mergeTrainSteps(() => harness);
const { api, addMembers, board, checked, commit, configure, head, merged, open, report, status, tested } = steps;
const { pushed } = gitSteps(() => harness);
beforeAll(() => addMembers());

const inDefault = ({ id }: TestProject) => existsSync(openRepository(join(ground.folder, 'repositories'), id).path);
const inSecond = ({ id }: TestProject) =>
  existsSync(openRepository(join(ground.folder, 'other', 'storages', 'second'), id).path);
const placed = (project: TestProject) => [inDefault(project), inSecond(project)];

const { choose } = storagesIn('', new Map(Object.entries(weights)));
let nextId = 1_000;
/** Id of a project whose repository will lie in a storage. */
function idFor(storage: Storage): number {
  do nextId += 1;
  while (choose(nextId) !== storage);
  return nextId;
}
type Storage = keyof typeof environments;
const given = (storage: Storage) => {
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

/** A target and a fork in storages of different processes, whose branch `fix` is to be merged; the number of that wish. */
async function across(forkIn: Storage, targetIn: Storage, wish: object = {}) {
  const { project: target, folder } = await pushed(given(targetIn));
  const fork = await harness.project(given(forkIn));
  await harness.git(folder, 'push', '--quiet', remoteOf(fork), 'main');
  await relate(harness, target, fork);
  const sha = await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main' });
  const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: target.id, ...wish };
  const made = await api(people.maintainer, 'POST', at(fork, '/merge_requests'), body);
  expect([made.status, made.body.sha]).toEqual([201, sha]);
  return { target, fork, folder, iid: made.body.iid as number };
}
const follows = (target: TestProject, iid: number, sha: string) =>
  eventually(async () => expect((await api(people.developer, 'GET', mr(target, iid))).body.sha).toBe(sha), {
    within: 20_000,
  });

test.each([
  ['default', 'second'],
  ['second', 'default'],
] as const)(
  'a merge request from a fork in %s into a project in %s follows its branch, is rebased, and what was tested lands',
  async (forkIn, targetIn) => {
    const { target, fork, iid } = await across(forkIn, targetIn, { remove_source_branch: true });
    expect([placed(target), placed(fork)]).toEqual([
      [targetIn === 'default', targetIn === 'second'],
      [forkIn === 'default', forkIn === 'second'],
    ]);
    await checked(target, iid);
    const more = await commit(fork, 'fix', { 'more.txt': 'more\n' });
    await follows(target, iid, more);
    const diffs = await api(people.developer, 'GET', mr(target, iid, '/diffs'));
    expect(diffs.body.map((file: Body) => file.new_path)).toEqual(['fix.txt', 'more.txt']);

    await commit(target, 'main', { 'main.txt': 'main\n' });
    expect((await api(people.maintainer, 'PUT', mr(target, iid, '/rebase'))).status).toBe(202);
    const rebased = await eventually(
      async () => {
        const sha = (await head(fork, 'fix')) ?? more;
        expect(sha).not.toBe(more);
        return sha;
      },
      { within: 20_000 },
    );
    await follows(target, iid, rebased);

    expect((await status(fork, rebased, { state: 'success', ref: 'fix' })).status).toBe(201);
    await configure(target, { merge_trains_enabled: true, merge_train_settling_seconds: 0, merge_train_retries: 0 });
    await checked(target, iid);
    const boarded = await board(target, iid);
    expect([boarded.status, boarded.body]).toMatchObject([201, {}]);
    const { [iid]: car } = await tested(target, [iid]);
    await report(target, car, 'success');
    await merged(target, iid);
    expect(await head(target, 'main')).toBe(car.pipeline.sha);
    await eventually(async () => expect(await head(fork, 'fix')).toBeUndefined(), { within: 20_000 });
  },
  120_000,
);

test.each([
  ['default', 'second'],
  ['second', 'default'],
] as const)(
  'a suggestion goes from a merge request in %s into the fork in %s that it comes from',
  async (targetIn, forkIn) => {
    const { target, fork, iid } = await across(forkIn, targetIn);
    const made = (await checked(target, iid)) as Body;
    const { base_sha: baseSha, start_sha: startSha, head_sha: headSha } = made.diff_refs;
    const place = { baseSha, startSha, headSha, oldPath: 'fix.txt', newPath: 'fix.txt', newLine: 1 };
    const suggested = {
      ...{ suggestionId: 70 + iid, fromContent: 'fix\n', toContent: 'better\n', authorId: people.developer.id },
      lines: { position: place, linesAbove: 0, linesBelow: 0 },
    };
    const { commitSha } = await harness.asCollaboration(SuggestedChangeServiceService).applySuggestedChanges(
      ApplySuggestedChangesRequest.fromPartial({
        projectId: target.id,
        mergeRequestId: made.id,
        changes: [suggested],
      }),
      {
        requestId: 'test',
        actor: { ...anonymous, userId: people.maintainer.id, username: 'maintainer', scopes: ['api'] },
        access: Access.fromPartial({ kind: Access_Kind.KIND_PROJECT, id: target.id, level: 40, tier: 'ultimate' }),
      },
    );
    expect(await head(fork, 'fix')).toBe(commitSha);
    await follows(target, iid, commitSha);
    const raw = await api(people.maintainer, 'GET', at(fork, '/repository/files/fix.txt/raw?ref=fix'));
    expect(raw.text).toBe('better\n');
    const facts = await steps.facts(target, 'suggestionsApplied');
    expect(facts).toEqual([[iid, { suggestionIds: [70 + iid], commitSha }]]);
  },
  60_000,
);

const removed = ({ id }: TestProject) =>
  harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${id}`);
/** What each process does once a minute. */
async function purge(project: TestProject): Promise<void> {
  for (const [served, folder] of [
    ['default', ground.folder],
    ['second', join(ground.folder, 'other')],
  ] as const) {
    const storages = storagesIn(folder, new Map(Object.entries(weights)), new Set([served]));
    const repositories = repositoryStore(harness.db);
    await purgeRepositories({ repositories, storages, isBackupRunning: async () => false })();
  }
  expect(await homeOf(project)).toBeUndefined();
  expect(placed(project)).toEqual([false, false]);
}

test('a merge request whose fork in another process is deleted is closed, and keeps its commits', async () => {
  const { target, fork, iid } = await across('second', 'default');
  await checked(target, iid);
  await removed(fork);
  await harness.beside.mergeRequests.closeWithoutFork();
  await purge(fork);
  const { body } = await api(people.maintainer, 'GET', mr(target, iid));
  expect(body).toMatchObject({ state: 'closed', source_project_id: null });
  const diffs = await api(people.developer, 'GET', mr(target, iid, '/diffs'));
  expect(diffs.body.map((file: Body) => file.new_path)).toEqual(['fix.txt']);
  expect((await api(people.maintainer, 'PUT', mr(target, iid, '/rebase'))).status).toBe(403);
}, 60_000);

test('a fork whose target in another process is deleted is pushed to, and nothing waits for the target', async () => {
  const { target, fork } = await across('default', 'second');
  await removed(target);
  const sha = await commit(fork, 'fix', { 'more.txt': 'more\n' });
  await purge(target);
  expect(await head(fork, 'fix')).toBe(sha);
  await commit(fork, 'fix', { 'last.txt': 'last\n' });
  await eventually(
    async () => {
      const left = await harness.db.query(sql`
        select kind from jobs where project_id in (${target.id}, ${fork.id}) and kind not in ('repository_size', 'pack_repository')
        union all
        select state from ref_change_intents where project_id = ${fork.id} and state <> 'done'`);
      expect(left).toEqual([]);
    },
    { within: 20_000 },
  );
}, 60_000);

test('a car whose fork was pushed to waits until its merge request has followed', async () => {
  const { target, iid } = await across('default', 'second');
  const { isBeingPushed } = mergeTrainStore(harness.db);
  const [car] = await harness.db.query<Pick<StoredCar, 'mergeRequestId' | 'sourceProjectId' | 'sourceBranch'>>(sql`
    select id as "mergeRequestId", source_project_id as "sourceProjectId", source_branch as "sourceBranch"
    from merge_requests where project_id = ${target.id} and iid = ${iid}`);
  expect(await isBeingPushed(car!)).toBe(false);
  await enqueueJobs(harness.db, [{ kind: 'follow_source', mergeRequestId: car!.mergeRequestId, actorId: 2 }], 60);
  expect(await isBeingPushed(car!)).toBe(true);
});

test('options of a push to a fork are carried out in the process of its target', async () => {
  const { target, fork, folder } = await across('second', 'default');
  await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'By options');
  const options = ['-o', 'merge_request.create', '-o', 'merge_request.title=By push'];
  await harness.git(folder, 'push', '--quiet', ...options, remoteOf(fork), 'HEAD:refs/heads/pushed');
  await eventually(
    async () => {
      const { body } = await api(people.maintainer, 'GET', at(target, '/merge_requests?source_branch=pushed'));
      expect(body.map((one: Body) => one.title)).toEqual(['By push']);
    },
    { within: 20_000 },
  );
}, 60_000);

describe('one of two processes is killed', () => {
  let own: Ground;
  let db: Database;
  let layout: typeof environments;
  let receiving: Ground;

  beforeEach(async () => {
    own = await prepareGround();
    // A ground by itself: each has one process.
    receiving = { ...own };
    db = openDatabase({ url: own.databaseUrl, applicationName: 'repository processes test' });
    layout = await environmentsOn(own.folder);
  });
  afterEach(async () => {
    await killProcesses();
    await db?.close();
    await own?.close();
  });

  const giver = () => processOf(own, undefined, layout.default);
  const receiver = (fault?: string) => processOf(receiving, fault, layout.second);

  /** A fork in the process that gives, with a merge request into a project of the one that receives. */
  async function opened(wish: object = {}) {
    const [fork, target] = [idFor('default'), idFor('second')];
    const paths = [fork, target].map((id) => ({ id, path: `group/project${id}` }));
    for (const id of [fork, target]) await insertProject(db, id);
    await relate({ db }, paths[1]!, paths[0]!);
    await db.query(sql`
      insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40)`);
    await receiver();
    const { api, remote } = await giver();
    const work = join(own.folder, 'work');
    await git('/', 'init', '--quiet', '--initial-branch=main', work);
    let pushes = 0;
    const push = async (branch: string, into = fork) => {
      pushes += 1;
      writeFileSync(join(work, `${branch}-${pushes}.txt`), 'x\n');
      await git(work, 'add', '.');
      await git(work, 'commit', '--quiet', '-m', branch);
      await git(work, 'push', '--quiet', remote(`group/project${into}`), `HEAD:${branch}`);
      return git(work, 'rev-parse', 'HEAD');
    };
    await push('main', target);
    await git(work, 'push', '--quiet', remote(`group/project${fork}`), 'main');
    const asked = { source_branch: 'fix', target_branch: 'main', target_project_id: target, title: 'Fix', ...wish };
    const sha = await push('fix');
    expect(await api(people.maintainer, 'POST', `/projects/${fork}/merge_requests`, asked)).toMatchObject({ iid: 1 });
    return { fork, target, push, sha };
  }

  test('commits that come from another process arrive though the process that takes them is killed', async () => {
    const { target, push } = await opened();
    const doomed = await receiver('merge_request.commits_brought');
    const sha = await push('fix');
    expect(await doomed.exited).toBe('SIGKILL');
    await receiver();
    await eventually(
      async () => expect(await db.query(sql`select source_sha as sha from merge_requests`)).toEqual([{ sha }]),
      { within: 30_000 },
    );
    const { path } = openRepository(join(own.folder, 'other', 'storages', 'second'), target);
    expect(await git(path, 'rev-parse', 'refs/merge-requests/1/head')).toBe(sha);
    await git(path, 'fsck', '--strict', '--connectivity-only');
  }, 120_000);

  test.each([
    ['fork.objects_linked', true],
    ['fork.recorded', false],
  ] as const)(
    'a fork whose source takes no new repositories beside it is copied from its process, though its own is killed at %s',
    async (point, isSourceAwayFirst) => {
      layout = await environmentsOn(own.folder, 'default:1,second:0');
      const [source, fork] = [idFor('default'), idFor('default')];
      for (const id of [source, fork]) await insertProject(db, id, id === fork ? { origin: { id: source } } : {});
      await db.query(sql`
        insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40)`);
      await db.query(sql`
        insert into repositories (project_id, default_branch, storage) values (${source}, 'main', 'second')`);
      const { remote } = await receiver();
      const work = join(own.folder, 'work');
      await git('/', 'init', '--quiet', '--initial-branch=main', work);
      await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'First');
      await git(work, 'tag', '-a', '-m', 'One', 'v1');
      await git(work, 'push', '--quiet', remote(`group/project${source}`), 'main', 'main:side', 'v1');
      await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Secret');
      await git(work, 'push', '--quiet', remote(`group/project${source}`), 'HEAD:secret');
      await git(work, 'push', '--quiet', remote(`group/project${source}`), ':secret');
      const branches = async () =>
        (await giver()).api(people.maintainer, 'GET', `/projects/${fork}/repository/branches`);
      if (isSourceAwayFirst) {
        await killProcesses(receiving);
        expect(await branches()).toEqual({ message: '503 Service Unavailable' });
      }
      const doomed = await processOf(own, point, layout.default);
      await receiver();
      await db.query(sql`
        insert into jobs (kind, key, payload, project_id) values ('copy_repository', ${String(fork)},
          ${JSON.stringify({ kind: 'copy_repository', projectId: fork })}::jsonb, ${fork})`);
      expect(await doomed.exited).toBe('SIGKILL');
      expect((await branches()).map(({ name }: Body) => name)).toEqual(['main', 'side']);
      const { path } = openRepository(join(own.folder, 'repositories'), fork);
      await git(path, 'fsck', '--strict');
      expect(await git(path, 'for-each-ref', '--format=%(refname) %(objecttype)')).toBe(
        'refs/heads/main commit\nrefs/heads/side commit\nrefs/tags/v1 tag',
      );
      const secret = await git(work, 'rev-parse', 'HEAD');
      await expect(git(path, 'cat-file', '-e', secret)).rejects.toThrow();
      await eventually(
        async () => expect(await db.query(sql`select kind from jobs where kind = 'copy_repository'`)).toEqual([]),
        {
          within: 40_000,
        },
      );
      const copied = await db.query(sql`
        select body ->> 'error' as error from events.outbox where key = ${String(fork)} and type = 'repository.copied'`);
      expect(copied).toEqual([{ error: null }]);
    },
    120_000,
  );

  test('a landing of a train is settled while the process of the fork is away, whose branch goes once it is back', async () => {
    const { fork, target, sha } = await opened({ remove_source_branch: true });
    await db.query(sql`
      update directory.projects set merge_trains_enabled = true, merge_train_settling_seconds = 0, merge_train_required_statuses = '{ci}'
      where id = ${target}`);
    const { api } = await giver();
    await api(people.maintainer, 'POST', `/projects/${fork}/statuses/${sha}`, { state: 'success', ref: 'fix' });
    const car = `/projects/${target}/merge_trains/merge_requests/1`;
    await eventually(
      async () => expect(await api(people.maintainer, 'POST', car, {})).toMatchObject([{ position: 1 }]),
      {
        within: 30_000,
      },
    );
    const { id, sha: tested } = await eventually(
      async () => {
        const { pipeline } = await api(people.maintainer, 'GET', car);
        expect(pipeline).toMatchObject({ status: 'pending' });
        return pipeline;
      },
      { within: 30_000 },
    );
    const doomed = await receiver('train.landing_begun');
    const verdict = { state: 'success', name: 'ci', pipeline_id: id };
    await api(people.maintainer, 'POST', `/projects/${target}/statuses/${tested}`, verdict).catch(() => undefined);
    expect(await doomed.exited).toBe('SIGKILL');
    await killProcesses(own);
    await receiver();
    await eventually(
      async () => expect(await db.query(sql`select state from merge_requests`)).toEqual([{ state: 'merged' }]),
      { within: 30_000 },
    );
    const [there, here] = [
      openRepository(join(own.folder, 'other', 'storages', 'second'), target),
      openRepository(join(own.folder, 'repositories'), fork),
    ];
    expect(await git(there.path, 'rev-parse', 'refs/heads/main')).toBe(tested);
    const left = () => git(here.path, 'for-each-ref', '--format=%(refname)', 'refs/heads');
    expect(await left()).toBe('refs/heads/fix\nrefs/heads/main');
    await giver();
    await eventually(async () => expect(await left()).toBe('refs/heads/main'), { within: 60_000 });
  }, 180_000);
});

/** What the command that moves to a storage is started with, beside its process. */
const moving = (to: Storage): NodeJS.ProcessEnv => ({
  SWITCHYARD_DATA: ground.folder,
  SWITCHYARD_IDENTITY_KEY_FILE: join(ground.folder, 'merge-requests.pem'),
  ...environments[to],
});
const move = ({ id }: TestProject, to: Storage, by = moving(to)) =>
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
async function pushedBoth(storage: Storage): Promise<{ project: TestProject; folder: string }> {
  const both = await pushed(given(storage));
  await harness.git(both.folder, 'push', '--quiet', remoteOf(both.project, 'wiki'), 'main');
  return both;
}
const pathIn = (storage: Storage, { id }: TestProject, kind: RepositoryKind = 'code') =>
  (kind === 'wiki' ? openWiki : openRepository)(
    storage === 'default' ? join(ground.folder, 'repositories') : join(ground.folder, 'other', 'storages', 'second'),
    id,
  ).path;
const removeNow = ({ id }: TestProject) => removeFormerNow(harness.db, id);

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

test('a wiki that is first pushed to while its project moves to another process is made there', async () => {
  const { project, folder } = await pushed(given('default'));
  let pushing: Promise<unknown> = Promise.resolve();
  // As a move does, which finds no wiki.
  await harness.db.transaction(async (tx) => {
    await tx.query(sql`select 1 from repositories where project_id = ${project.id} for update`);
    pushing = harness.git(folder, 'push', '--quiet', remoteOf(project, 'wiki'), 'HEAD:main');
    await eventually(async () => {
      const locks = await harness.db.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`);
      expect(locks).toHaveLength(1);
    });
    await harness.git('/', 'clone', '--quiet', '--mirror', pathIn('default', project), pathIn('second', project));
    await tx.query(sql`
      update repositories set storage = 'second', former_storage = 'default' where project_id = ${project.id}`);
  });
  await pushing;
  const sha = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
  expect(await branches(project, 'wiki')).toEqual(['main']);
  expect((await harness.git(pathIn('second', project, 'wiki'), 'rev-parse', 'main')).trim()).toBe(sha);
  await harness.git(pathIn('second', project, 'wiki'), 'fsck', '--strict');
}, 60_000);

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

test('what cannot be moved to another process is said in one line, and a merge request goes on after a move', async () => {
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
  await move(source, 'default');
  expect([await homeOf(source), await homeOf(fork)]).toEqual([
    { storage: 'default', former: 'second' },
    { storage: 'second', former: null },
  ]);
  await follows(source, made.body.iid, await commit(fork, 'fix', { 'more.txt': 'more\n' }, { by: forker }));
  await checked(source, made.body.iid);
  expect((await api(people.maintainer, 'PUT', mr(source, made.body.iid, '/merge'))).status).toBe(200);
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
  const { target, iid } = await across('second', 'default');
  await checked(target, iid);
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
  expect((await api(people.developer, 'GET', mr(target, iid))).body.state).toBe('opened');
  expect((await api(people.maintainer, 'PUT', mr(target, iid, '/merge'))).status).toBe(503);
  const stopped = other;
  other = await startHarness(ground, environments.second);
  await stopped.close();
  await eventually(async () =>
    expect((await api(people.maintainer, 'PUT', mr(target, iid, '/merge'))).body.state).toBe('merged'),
  );
}, 60_000);

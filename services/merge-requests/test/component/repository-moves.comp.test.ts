import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository, parseSha, zeroSha } from '../../src/git';
import type { MergeTrainEdges } from '../../src/merge-trains/application/merge-train.edges';
import { dropTrainRef } from '../../src/merge-trains/application/run-merge-train';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { moveRepositories } from '../../src/repositories';
import { formerFollower } from '../../src/repositories/application/copies';
import { moveRepository } from '../../src/repositories/application/move-repository';
import { storagesIn } from '../../src/repositories/application/storages';
import { sweepCopies } from '../../src/repositories/application/sweep-copies';
import { writeInPlace } from '../../src/repositories/application/write-in-place';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { copiesIn } from '../../src/repositories/transport/repository-copy.client';
import { areasOn } from '../support/areas';
import { gitSteps } from './git-steps';
import { type Ground, type Harness, people, prepareGround, startHarness, type TestProject } from './repository-harness';
import { moveUntil, pointsOfMoves, removeFormerNow, removeThroughDeaths, silent } from './repository-move-steps';

const storages = { SWITCHYARD_REPOSITORY_STORAGES: 'default:1,second:0' };
let ground: Ground;
let harness: Harness;
let said: string[];

beforeAll(async () => {
  ground = await prepareGround();
  harness = await startHarness(ground, { SWITCHYARD_RECOVERY_SECONDS: '1', ...storages });
});
afterAll(async () => {
  await harness?.close();
  await ground?.close();
});
beforeEach(() => {
  said = [];
});

const { pushed } = gitSteps(() => harness);
const folders = () => storagesIn(harness.data, new Map(Object.entries({ default: 1, second: 0 })));
const copies = () => copiesIn(folders(), new Map());
const inDefault = ({ id }: TestProject) => openRepository(join(harness.data, 'repositories'), id);
const inSecond = ({ id }: TestProject) => openRepository(join(harness.data, 'storages', 'second'), id);
const move = ({ id }: TestProject, storage = 'second') =>
  moveRepositories.run({ db: harness.db, ...silent, write: (line) => void said.push(line) }, [String(id), storage], {
    SWITCHYARD_DATA: harness.data,
    ...storages,
  });
const homeOf = ({ id }: TestProject) =>
  harness.db.one<{ storage: string; former: string | null }>(sql`
    select storage, former_storage as former from repositories where project_id = ${id}`);
const removeNow = ({ id }: TestProject) => removeFormerNow(harness.db, id);
const headOf = async (path: string, ref = 'refs/heads/main') => (await harness.git(path, 'rev-parse', ref)).trim();
const branches = async ({ id }: TestProject) => {
  const { body } = await harness.api(people.maintainer, 'GET', `/projects/${id}/repository/branches?per_page=100`);
  return (body as { name: string }[]).map(({ name }) => name);
};

test('a repository moves while it is pushed to, and no push is refused or lost', async () => {
  const { project, folder } = await pushed();
  let moved = false;
  const arrived = ['main'];
  const pushing = (async () => {
    for (let at = 0; !moved || at < 5; at += 1) {
      await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', `More ${at}`);
      const args = ['push', '--quiet', harness.remote(people.maintainer, project.path), `HEAD:refs/heads/more-${at}`];
      await harness.git(folder, ...args);
      arrived.push(`more-${at}`);
    }
  })();
  await move(project);
  moved = true;
  await pushing;
  expect(await homeOf(project)).toEqual({ storage: 'second', former: 'default' });
  expect((await branches(project)).sort()).toEqual(arrived.sort());
  const last = arrived.at(-1) ?? '';
  const clone = join(harness.folder(), 'clone');
  await harness.git('/', 'clone', '--quiet', harness.remote(people.maintainer, project.path), clone);
  expect(await headOf(clone, `origin/${last}`)).toBe(await headOf(inSecond(project).path, `refs/heads/${last}`));
  await harness.git(inSecond(project).path, 'fsck', '--strict');
  await expect(move(project, 'default')).rejects.toThrow('moved within the hour');

  await removeNow(project);
  await eventually(async () => expect(await homeOf(project)).toEqual({ storage: 'second', former: null }));
  expect(existsSync(inDefault(project).path)).toBe(false);
  await expect(move(project)).rejects.toThrow('lies in second already');
  await move(project, 'default');
  expect((await branches(project)).sort()).toEqual(arrived);
  expect(said.at(-1)).toContain('moved to default');
});

test('what a request writes where the repository lay before it was moved arrives', async () => {
  const { project } = await pushed();
  await move(project);
  const former = inDefault(project).path;
  const commit = async (message: string) =>
    parseSha((await harness.git(former, 'commit-tree', '-p', 'main', '-m', message, 'main^{tree}')).trim());
  const late = await commit('Late');
  const { changeRefs, writeInPlace } = harness.beside.repositories;
  const update = { ref: 'refs/heads/late', before: zeroSha, after: late };
  const [outcome] = await changeRefs({ projectId: project.id, actorId: 2, source: 'api', updates: [update] });
  expect(outcome?.status).toBe('moved');
  expect(await headOf(inSecond(project).path, 'refs/heads/late')).toBe(late);
  const later = await commit('Later');
  await writeInPlace(project.id, async ({ path }) => {
    await harness.git(path, 'update-ref', 'refs/merge-requests/1/train', later);
  });
  expect(await headOf(inSecond(project).path, 'refs/merge-requests/1/train')).toBe(later);
  const last = await commit('Last');
  writeFileSync(join(harness.data, 'backup-running'), '');
  await removeNow(project);
  await eventually(async () => {
    const [job] = await harness.db.query(sql`
      select last_error from jobs where kind = 'remove_former_copy' and project_id = ${project.id}`);
    expect(job?.last_error).toContain('unavailable');
  });
  expect(existsSync(former)).toBe(true);
  rmSync(join(harness.data, 'backup-running'));
  await removeNow(project);
  await eventually(() => expect(existsSync(former)).toBe(false));
  expect((await harness.git(inSecond(project).path, 'cat-file', '-t', last)).trim()).toBe('commit');
});

test('the refs of a push that came before the move and waits for it move where the repository lies then', async () => {
  const { project, folder } = await pushed();
  await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Second');
  let push: Promise<string> | undefined;
  // As a move does: the lock, the copy, the row.
  await harness.db.transaction(async (tx) => {
    await tx.query(sql`select 1 from repositories where project_id = ${project.id} for update`);
    push = harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, project.path), 'HEAD:main');
    await eventually(async () => {
      const waiting = await harness.db.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`);
      expect(waiting).not.toEqual([]);
    });
    await harness.git('/', 'clone', '--quiet', '--mirror', inDefault(project).path, inSecond(project).path);
    await tx.query(sql`
      update repositories set storage = 'second', former_storage = 'default' where project_id = ${project.id}`);
  });
  await push;
  expect(await headOf(inSecond(project).path)).toBe(await headOf(folder, 'HEAD'));
  expect(await headOf(inDefault(project).path)).not.toBe(await headOf(folder, 'HEAD'));
});

test('a move that does not get the lock, or holds up pushes for too long, follows without it and tries again', async () => {
  const { project } = await pushed();
  const repositories = repositoryStore(harness.db);
  const refOf = (name: string) => harness.git(inDefault(project).path, 'update-ref', `refs/heads/${name}`, 'main');
  const limit = jest.spyOn(AbortSignal, 'timeout');
  const outcomes: string[] = [];
  const move = moveRepository({
    storages: folders(),
    copies: copies(),
    repositories: {
      ...repositories,
      async move(...args) {
        // First a push has a share of the lock; then what came meanwhile takes too long.
        if (outcomes.length === 0) {
          const outcome = await harness.db.transaction(async (tx) => {
            await tx.query(sql`select 1 from repositories where project_id = ${project.id} for key share`);
            return repositories.move(...args);
          });
          outcomes.push(outcome);
          await refOf('first');
          limit.mockReturnValueOnce(AbortSignal.abort());
          return outcome;
        }
        outcomes.push('tried');
        await refOf(`more-${outcomes.length}`);
        return repositories.move(...args);
      },
    },
  });
  try {
    await move(project.id, 'second', () => undefined);
  } finally {
    limit.mockRestore();
  }
  expect(outcomes).toEqual(['busy', 'tried', 'tried']);
  expect(await homeOf(project)).toEqual({ storage: 'second', former: 'default' });
  expect((await branches(project)).sort()).toEqual(['first', 'main', 'more-2', 'more-3']);
});

test('the ref of a train is removed with the one connection that its transaction has', async () => {
  const { project } = await pushed();
  await harness.git(inDefault(project).path, 'update-ref', 'refs/merge-requests/1/train', 'main');
  const settings = { applicationName: 'repository move test', poolSize: 1, connectTimeout: 1_000 };
  const db = openDatabase({ url: ground.databaseUrl, ...settings });
  const edges = {
    mergeTrains: mergeTrainStore(db),
    openRepository: async () => ({ repo: inDefault(project) }),
    writeInPlace: writeInPlace({
      repositories: repositoryStore(db),
      storages: folders(),
      followFormer: formerFollower(copies(), folders()),
    }),
  };
  await dropTrainRef(edges as unknown as MergeTrainEdges)(project.id, 1, undefined).finally(() => db.close());
  expect(await harness.git(inDefault(project).path, 'for-each-ref', 'refs/merge-requests')).toBe('');
});

test('a copy that no row names goes, and stays where it is the only one', async () => {
  const repositories = repositoryStore(harness.db);
  let copying = true;
  const sweep = (ageMs?: number) =>
    sweepCopies({ repositories, storages: folders(), copies: copies(), isBackupRunning: async () => copying }, ageMs)();
  const [{ project: moved }, { project: stays }, { project: only }, { project: deleted }, { project: unknown }] = [
    await pushed(),
    await pushed(),
    await pushed(),
    await pushed(),
    await pushed(),
  ];
  await move(moved);
  for (const one of [stays, only, deleted, unknown])
    cpSync(inDefault(one).path, inSecond(one).path, { recursive: true });
  rmSync(inDefault(only).path, { recursive: true });
  await harness.db.query(sql`delete from repositories where project_id = any(${[deleted.id, unknown.id]}::bigint[])`);
  await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${deleted.id}`);
  const left = () =>
    Object.entries({ moved, stays, only, deleted, unknown }).flatMap(([name, one]) =>
      [inDefault(one), inSecond(one)].map(({ path }) => (existsSync(path) ? name : '')),
    );
  const before = left();
  await sweep(0);
  copying = false;
  await sweep();
  expect(left()).toEqual(before);
  await sweep(0);
  expect(left()).toEqual(['moved', 'moved', 'stays', '', '', 'only', '', '', 'unknown', 'unknown']);
});

test('a fork on another storage than its source has its own files', async () => {
  const { project } = await pushed();
  await move(project);
  const fork = await harness.project({ origin: { id: project.id } });
  expect(await branches(fork)).toEqual(['main']);
  expect(await homeOf(fork)).toEqual({ storage: 'default', former: null });
  await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${project.id}`);
  for (const { path } of [inDefault(project), inSecond(project)]) rmSync(path, { recursive: true });
  await harness.git(inDefault(fork).path, 'fsck', '--strict');
});

test('what cannot be moved is said in one line', async () => {
  const empty = await harness.project();
  await expect(move(empty)).rejects.toThrow('the project has no repository yet');
  await expect(move({ ...empty, id: 999_999 })).rejects.toThrow('there is no project 999999');
  const { project } = await pushed();
  await expect(move(project, 'third')).rejects.toThrow('the storage third is none of default, second');
  await expect(move(project, '')).rejects.toThrow('needs a project and a storage');
  rmSync(inDefault(project).path, { recursive: true });
  await expect(move(project)).rejects.toThrow();
  expect(await homeOf(project)).toEqual({ storage: 'default', former: null });
});

test('a process that does not have all storages in use does not start', async () => {
  const { project } = await pushed();
  await move(project);
  const { repositories } = areasOn({ db: harness.db }, { folder: harness.data });
  await expect(repositories.start?.()).rejects.toThrow(
    'SWITCHYARD_REPOSITORY_STORAGES: repositories lie in second, too',
  );
});

test.each(pointsOfMoves)(
  'a move killed at %s leaves the repository on the side %s, and can be made again',
  async (point, side) => {
    const { project } = await pushed();
    const environment = { SWITCHYARD_DATA: harness.data, ...storages };
    expect(await moveUntil(point, ground, environment, project.id, 'second')).toBe('SIGKILL');
    expect((await homeOf(project))?.storage).toBe(side === 'from' ? 'default' : 'second');
    expect(await branches(project)).toEqual(['main']);
    if (side === 'from') await move(project);
    expect(await branches(project)).toEqual(['main']);
    await harness.git(inSecond(project).path, 'fsck', '--strict');
  },
);

test('a removal that is killed at any point is finished by another process', () =>
  removeThroughDeaths(({ folder }) => ({
    from: storages,
    to: undefined,
    folders: { from: join(folder, 'repositories'), to: join(folder, 'storages', 'second') },
  })));

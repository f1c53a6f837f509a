import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { freePort } from '@switchyard/machine/ports';
import { eventually } from '@switchyard/testkit';
import { openRepository, openWiki } from '../../../src/git';
import { moveRepositories } from '../../../src/repositories';
import { purgeRepositories } from '../../../src/repositories/application/purge-repositories';
import { storagesIn } from '../../../src/repositories/application/storages';
import type { RepositoryKind } from '../../../src/repositories/domain/repository';
import { repositoryStore } from '../../../src/repositories/storage/repository.store';
import { relate } from '../fork-steps';
import { gitSteps } from '../git-steps';
import { at, mr } from '../merge-request-steps';
import { mergeTrainSteps } from '../merge-train-steps';
import {
  type Ground,
  type Harness,
  people,
  prepareGround,
  startHarness,
  type TestProject,
} from '../repository-harness';
import { removeFormerNow, silent } from '../repository-move-steps';

const weights = { default: 1, second: 1 };
const storages = 'default:1,second:1';

/** A storage, and the process that serves it. */
export type Storage = 'default' | 'second';

/** What two processes are started with that have one storage each. */
export type Environments = Readonly<Record<Storage, NodeJS.ProcessEnv>>;

/** Two processes, each with the volume of one storage; the gateway knows the first alone. */
export interface Processes {
  readonly ground: Ground;
  readonly environments: Environments;
  /** The one with the storage `default`, and the gateway. */
  readonly harness: Harness;
  /** Stops the one with the storage `second`. */
  stopOther(): Promise<void>;
  /** Starts it again. */
  startOther(): Promise<void>;
  close(): Promise<void>;
}

/** Environments of two processes on a folder. */
export async function environmentsOn(folder: string, named = storages): Promise<Environments> {
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

/** Starts both. */
export async function startProcesses(): Promise<Processes> {
  const ground = await prepareGround();
  const environments = await environmentsOn(ground.folder);
  const harness = await startHarness(ground, environments.default);
  let other = await startHarness(ground, environments.second);
  return {
    ...{ ground, environments, harness },
    stopOther: () => other.stopService(),
    async startOther() {
      const stopped = other;
      other = await startHarness(ground, environments.second);
      await stopped.close();
    },
    async close() {
      await harness.close();
      await other.close();
      await ground.close();
    },
  };
}

const { choose } = storagesIn('', new Map(Object.entries(weights)));
let nextId = 1_000;
/** Id of a project whose repository will lie in a storage. */
export function idFor(storage: Storage): number {
  do nextId += 1;
  while (choose(nextId) !== storage);
  return nextId;
}

/** A project whose repository will lie in a storage. */
export const given = (storage: Storage) => {
  const id = idFor(storage);
  return { id, path: `group/project${id}` };
};

/** What tests on two processes do again and again. */
export function processSteps(here: () => Processes) {
  const steps = mergeTrainSteps(() => here().harness);
  const { api, commit } = steps;
  const { pushed } = gitSteps(() => here().harness);

  const folderOf = (storage: Storage) =>
    join(here().ground.folder, storage === 'default' ? 'repositories' : 'other/storages/second');
  const pathIn = (storage: Storage, { id }: TestProject, kind: RepositoryKind = 'code') =>
    (kind === 'wiki' ? openWiki : openRepository)(folderOf(storage), id).path;
  const placed = (project: TestProject) =>
    (['default', 'second'] as const).map((storage) => existsSync(pathIn(storage, project)));
  const homeOf = ({ id }: TestProject) =>
    here().harness.db.one<{ storage: string; former: string | null }>(sql`
      select storage, former_storage as former from repositories where project_id = ${id}`);
  const remoteOf = ({ path }: TestProject, kind: RepositoryKind = 'code') =>
    here().harness.remote(people.maintainer, kind === 'wiki' ? `${path}.wiki` : path);
  const branches = async (project: TestProject, kind?: RepositoryKind): Promise<string[]> =>
    (await here().harness.git('/', 'ls-remote', '--heads', remoteOf(project, kind)))
      .split('\n')
      .flatMap((line) => line.split('refs/heads/')[1] ?? [])
      .sort();

  /** A project whose code and wiki were pushed to. */
  async function pushedBoth(storage: Storage): Promise<{ project: TestProject; folder: string }> {
    const both = await pushed(given(storage));
    await here().harness.git(both.folder, 'push', '--quiet', remoteOf(both.project, 'wiki'), 'main');
    return both;
  }

  /** What the command that moves to a storage is started with, beside its process. */
  const moving = (to: Storage): NodeJS.ProcessEnv => ({
    SWITCHYARD_DATA: here().ground.folder,
    SWITCHYARD_IDENTITY_KEY_FILE: join(here().ground.folder, 'merge-requests.pem'),
    ...here().environments[to],
  });
  const move = ({ id }: TestProject, to: Storage, by = moving(to)) =>
    moveRepositories.run({ db: here().harness.db, ...silent }, [String(id), to], by);
  const removeNow = ({ id }: TestProject) => removeFormerNow(here().harness.db, id);

  /** A target and a fork in storages of different processes, whose branch `fix` is to be merged; the number of that wish. */
  async function across(forkIn: Storage, targetIn: Storage, wish: object = {}) {
    const { project: target, folder } = await pushed(given(targetIn));
    const fork = await here().harness.project(given(forkIn));
    await here().harness.git(folder, 'push', '--quiet', remoteOf(fork), 'main');
    await relate(here().harness, target, fork);
    const sha = await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main' });
    const body = {
      source_branch: 'fix',
      target_branch: 'main',
      title: 'Fix it',
      target_project_id: target.id,
      ...wish,
    };
    const made = await api(people.maintainer, 'POST', at(fork, '/merge_requests'), body);
    expect([made.status, made.body.sha]).toEqual([201, sha]);
    return { target, fork, folder, iid: made.body.iid as number };
  }
  const follows = (target: TestProject, iid: number, sha: string) =>
    eventually(async () => expect((await api(people.developer, 'GET', mr(target, iid))).body.sha).toBe(sha), {
      within: 20_000,
    });

  const removed = ({ id }: TestProject) =>
    here().harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${id}`);
  /** What each process does once a minute. */
  async function purge(project: TestProject): Promise<void> {
    for (const [served, folder] of [
      ['default', here().ground.folder],
      ['second', join(here().ground.folder, 'other')],
    ] as const) {
      const repositories = repositoryStore(here().harness.db);
      const disks = storagesIn(folder, new Map(Object.entries(weights)), new Set([served]));
      await purgeRepositories({ repositories, storages: disks, isBackupRunning: async () => false })();
    }
    expect(await homeOf(project)).toBeUndefined();
    expect(placed(project)).toEqual([false, false]);
  }

  return {
    ...steps,
    ...{ across, branches, follows, homeOf, move, moving, pathIn, placed, purge, pushed, pushedBoth, remoteOf },
    ...{ removed, removeNow },
  };
}

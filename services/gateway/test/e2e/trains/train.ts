import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOnce, eventually } from '@switchyard/testkit';
import type { System } from '../support/system';

/** The commit of a car as its CI finds it. */
interface Car {
  readonly iid: number;
  readonly pipeline: number;
  readonly sha: string;
}

/** Four trains wait at a time. */
const within = { within: 20_000, every: 200 };

/** A project with a train and two commits, and a clone of it. */
async function openLine(system: System, folder: string, name: string) {
  let path = `root/${name}`;
  let number = 0;

  const ok = async (method: string, address: string, body?: unknown) => {
    const reply = await system.api(method, address, { body });
    if (reply.status >= 300) throw new Error(`${method} ${address} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const work = join(folder, name);
  const { id } = await ok('POST', '/projects', { name, path: name });
  const at = (rest: string) => `/projects/${id}${rest}`;
  const git = async (...args: string[]): Promise<string> => (await system.git(args, work)).stdout.trim();
  const tip = async (): Promise<string> =>
    (await git('ls-remote', system.remote(path), 'refs/heads/main')).split('\t')[0] as string;
  const fetchMain = () =>
    git('fetch', '-q', '--force', system.remote(path), 'refs/heads/main:refs/remotes/origin/main');

  async function commit(file: string): Promise<string> {
    writeFileSync(join(work, file), `${file}\n`);
    await git('add', '.');
    await git('commit', '-q', '-m', `Add ${file}`);
    return git('rev-parse', 'HEAD');
  }

  /** A merge request of two commits with a green pipeline. */
  async function propose(more: object = {}): Promise<{ iid: number; source: string }> {
    number += 1;
    const branch = `topic-${number}`;
    await fetchMain();
    await git('checkout', '-q', '-B', branch, 'refs/remotes/origin/main');
    await commit(`${branch}-a.txt`);
    const source = await commit(`${branch}-b.txt`);
    await git('push', '-q', system.remote(path), branch);
    await ok('POST', at(`/statuses/${source}`), { state: 'success', ref: branch, name: 'own' });
    const wanted = { source_branch: branch, target_branch: 'main', title: branch, ...more };
    return { iid: (await ok('POST', at('/merge_requests'), wanted)).iid, source };
  }

  const addToTrain = (iid: number) => ok('POST', at(`/merge_trains/merge_requests/${iid}`));

  /** The car of a merge request once it is tested on `onto`. */
  const carOf = (iid: number, not?: Car): Promise<Car> =>
    eventually(async () => {
      const { status, pipeline } = await ok('GET', at(`/merge_trains/merge_requests/${iid}`));
      expect([status, pipeline?.id]).toEqual(['fresh', expect.any(Number)]);
      expect(pipeline.id).not.toBe(not?.pipeline);
      return { iid, pipeline: pipeline.id, sha: pipeline.sha };
    }, within);

  const pass = ({ pipeline, sha }: Car) =>
    ok('POST', at(`/statuses/${sha}`), { state: 'success', name: 'ci', pipeline_id: pipeline });

  const landed = (car: Car) =>
    eventually(async () => {
      expect((await ok('GET', at(`/merge_requests/${car.iid}`))).state).toBe('merged');
      const receipt = await ok('GET', at(`/merge_trains/merge_requests/${car.iid}/receipt`));
      expect([receipt.landed.sha, receipt.tested.sha, receipt.landed.tree]).toEqual([
        car.sha,
        car.sha,
        receipt.tested.tree,
      ]);
    }, within);

  const canceled = ({ pipeline }: Car) =>
    eventually(async () => expect((await ok('GET', at(`/pipelines/${pipeline}`))).status).toBe('canceled'), within);

  await system.git(['init', '-q', '-b', 'main', name], folder);
  for (const file of ['README.md', 'second.txt']) await commit(file);
  await git('push', '-q', system.remote(path), 'main');
  await ok('PUT', at(''), {
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    merge_trains_skip_train_allowed: true,
    // Each car has one status: nothing is to be waited for that may follow it.
    merge_train_settling_seconds: 0,
  });

  return {
    ...{ addToTrain, at, canceled, carOf, commit, fetchMain, git, landed, ok, pass, propose, tip },
    remote: () => system.remote(path),
    /** Gives the project another path. */
    async rename(to: string): Promise<void> {
      await ok('PUT', at(''), { path: to });
      path = `root/${to}`;
    },
  };
}

type Line = Awaited<ReturnType<typeof openLine>>;

/** Rows of a merge method, whether commits are squashed, and the parents of what lands. */
const methods = [
  ['merge', false, 2],
  ['merge', true, 2],
  ['ff', false, 1],
  ['ff', true, 1],
  ['rebase_merge', false, 2],
  ['rebase_merge', true, 2],
] as const;

async function landsBy(line: Line, [merge_method, squash, parents]: (typeof methods)[number]): Promise<void> {
  const { addToTrain, at, carOf, git, landed, ok, pass, propose, tip, remote } = line;
  await ok('PUT', at(''), { merge_method });
  const base = await tip();
  const [one, two] = [await propose({ squash }), await propose({ squash })];
  await addToTrain(one.iid);
  await addToTrain(two.iid);
  const cars = [await carOf(one.iid), await carOf(two.iid)] as const;
  await git('fetch', '-q', remote(), ...cars.map(({ iid }) => `refs/merge-requests/${iid}/train`));
  let onto = base;
  for (const [index, { sha }] of cars.entries()) {
    const source = [one, two][index]?.source as string;
    const tree = (await git('merge-tree', '--write-tree', onto, source)).split('\n')[0];
    expect(await git('rev-parse', `${sha}^{tree}`)).toBe(tree);
    expect((await git('rev-list', '--parents', '-1', sha)).split(' ')).toHaveLength(parents + 1);
    const commits = Number(await git('rev-list', '--count', `${onto}..${sha}`));
    expect(commits).toBe((squash ? 1 : 2) + (parents === 2 ? 1 : 0));
    onto = sha;
  }
  await pass(cars[1]);
  expect(await tip()).toBe(base);
  await pass(cars[0]);
  for (const car of cars) await landed(car);
  expect(await tip()).toBe(cars[1].sha);
}

const happenings: Record<string, (line: Line) => Promise<void>> = {
  ...Object.fromEntries(
    methods.map((row) => [
      `two cars land by ${row[0]}, squash ${row[1]}, as the trees that a client merges itself`,
      (line: Line) => landsBy(line, row),
    ]),
  ),

  'someone pushes to the target branch: both cars are tested anew, on what was pushed': async (line) => {
    const { addToTrain, canceled, carOf, commit, fetchMain, git, landed, pass, propose, tip, remote } = line;
    const [one, two] = [await propose(), await propose()];
    await addToTrain(one.iid);
    await addToTrain(two.iid);
    const before = [await carOf(one.iid), await carOf(two.iid)] as const;
    await git('checkout', '-q', '-B', 'main', 'refs/remotes/origin/main');
    const pushed = await commit('outside.txt');
    await git('push', '-q', remote(), 'main');
    const after = [await carOf(one.iid, before[0]), await carOf(two.iid, before[1])] as const;
    for (const car of before) await canceled(car);
    // What the superseded ones say now lands nothing.
    for (const car of before) await pass(car);
    expect(await tip()).toBe(pushed);
    for (const car of after) await pass(car);
    for (const car of after) await landed(car);
    await fetchMain();
    expect(await git('rev-parse', `${after[0].sha}^1`)).toBe(pushed);
  },

  'the target branch is forced back: cars are tested on where it stands now': async (line) => {
    const { addToTrain, at, canceled, carOf, git, landed, ok, pass, propose, remote } = line;
    await ok('DELETE', at('/protected_branches/main'));
    const [one, two] = [await propose(), await propose()];
    await addToTrain(one.iid);
    await addToTrain(two.iid);
    const before = [await carOf(one.iid), await carOf(two.iid)] as const;
    const back = await git('rev-parse', 'refs/remotes/origin/main~1');
    await git('push', '-q', '--force', remote(), `${back}:refs/heads/main`);
    const first = await carOf(one.iid, before[0]);
    await canceled(before[0]);
    await pass(first);
    await landed(first);
    const second = await carOf(two.iid, before[1]);
    await pass(second);
    await landed(second);
    await git('fetch', '-q', remote(), 'refs/heads/main');
    expect(await git('rev-parse', 'FETCH_HEAD~2')).toBe(back);
  },

  'one merges past the train: the others are tested on top of it': async (line) => {
    const { addToTrain, at, canceled, carOf, fetchMain, git, landed, ok, pass, propose, tip } = line;
    const [one, past] = [await propose(), await propose()];
    await addToTrain(one.iid);
    const before = await carOf(one.iid);
    const merged = await eventually(
      () => ok('PUT', at(`/merge_requests/${past.iid}/merge`), { skip_merge_train: true }),
      within,
    );
    expect(await tip()).toBe(merged.merge_commit_sha);
    expect((await ok('GET', at(`/merge_trains/merge_requests/${past.iid}`))).status).toBe('skip_merged');
    const after = await carOf(one.iid, before);
    await canceled(before);
    await pass(after);
    await landed(after);
    await fetchMain();
    expect(await git('rev-parse', `${after.sha}^1`)).toBe(merged.merge_commit_sha);
  },

  'the project gets another name: CI finds its commit below the new one, and the car lands': async (line) => {
    const { addToTrain, carOf, git, landed, pass, propose, tip, remote, rename } = line;
    const { iid } = await propose();
    await addToTrain(iid);
    const car = await carOf(iid);
    await rename('renamed');
    await git('fetch', '-q', remote(), `refs/merge-requests/${iid}/train`);
    expect(await git('rev-parse', 'FETCH_HEAD')).toBe(car.sha);
    await pass(car);
    await landed(car);
    expect(await tip()).toBe(car.sha);
  },
};

/** What happens around a train while it runs, seen from git clients and the API. */
export const runningTrainTests = (started: () => System): void =>
  describe('while a train runs', () => {
    const titles = Object.keys(happenings);
    let folder: string;
    let happened: (title: string) => Promise<void>;

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-line-'));
      happened = atOnce(titles, 4, async (title) => {
        await happenings[title]?.(await openLine(started(), folder, `line-${titles.indexOf(title)}`));
      });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each(titles)('%s', (title) => happened(title));
  });

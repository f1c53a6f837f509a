import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../../src/git';
import { landingVerifier } from '../../src/merge-trains/application/verify-landings';
import { landingReceiptStore } from '../../src/merge-trains/storage/landing-receipt.store';
import { at, type Body } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const {
  api,
  addMembers,
  board,
  car,
  configure,
  facts,
  head,
  merged,
  parents,
  ready,
  report,
  standing,
  tested,
  withTrain,
} = mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1' });
  await addMembers();
});
afterAll(() => harness?.close());

const { developer, maintainer } = people;

const repositoryOf = (project: TestProject) => openRepository(join(harness.data, 'repositories'), project.id);

/** Train refs of a project and what they point at. */
async function trainRefs(project: TestProject): Promise<Record<string, string>> {
  const { path } = repositoryOf(project);
  const listed = await harness.git(path, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/merge-requests');
  const lines = listed.split('\n').filter((line) => line.includes('/train '));
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
}

/** A train with room for one pipeline: the first is tested by itself, and `count` behind it wait. */
async function waiting(count: number, settings = {}): Promise<{ project: TestProject; first: Body }> {
  const project = await withTrain(1, { merge_train_parallel_cars: 1, ...settings });
  const { 1: first } = await tested(project, [1]);
  for (let iid = 2; iid <= count + 1; iid += 1) await ready(project, iid);
  for (let iid = 2; iid <= count + 1; iid += 1) expect((await board(project, iid)).status).toBe(201);
  await standing(project, (entries) => {
    for (let iid = 2; iid <= count + 1; iid += 1) {
      expect(entries[iid]).toMatchObject({ pipeline: null, batch: null, waiting_for: { reason: 'place' } });
    }
  });
  return { project, first };
}

/** The entries of a batch of these merge requests, which waits for its pipeline. */
const together = (project: TestProject, iids: readonly number[]): Promise<Record<number, Body>> =>
  standing(project, (entries, inOrder) => {
    expect(inOrder.slice(0, iids.length)).toEqual(iids);
    const tip = entries[iids.at(-1) as number];
    for (const iid of iids) {
      expect(entries[iid]).toMatchObject({
        status: 'fresh',
        failing: false,
        pipeline: { id: tip.pipeline?.id, status: 'pending', ref: `refs/merge-requests/${iids.at(-1)}/train` },
        tested_sha: tip.sha,
        batch: { id: entries[iids[0] as number].id, size: iids.length, merge_request_iids: iids },
        waiting_for: { reason: 'statuses', statuses: [] },
      });
    }
  });

test('those who wait for the window are tested once, at their tip, and land by one move of the branch (D8)', async () => {
  const { project, first } = await waiting(3);
  await report(project, first, 'success');
  await merged(project, 1);
  const before = await head(project, 'main');
  const entries = await together(project, [2, 3, 4]);
  const shas = [2, 3, 4].map((iid) => entries[iid].sha);
  expect(new Set(shas).size).toBe(3);
  expect(await Promise.all(shas.map(async (sha) => (await parents(project, sha))[0]))).toEqual([
    before,
    ...shas.slice(0, 2),
  ]);
  const opened = await api(developer, 'GET', at(project, '/pipelines?source=merge_request_event&status=pending'));
  expect(opened.body.map(({ sha }: Body) => sha)).toEqual([shas[2]]);
  expect(await trainRefs(project)).toEqual(
    Object.fromEntries([2, 3, 4].map((iid) => [`refs/merge-requests/${iid}/train`, entries[iid].sha])),
  );

  const { path } = repositoryOf(project);
  await harness.git(path, 'config', 'core.logAllRefUpdates', 'always');
  const reflog = () => {
    try {
      return readFileSync(join(path, 'logs/refs/heads/main'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  };
  const known = reflog().filter((line) => line !== '').length;
  await report(project, entries[4], 'success');
  for (const iid of [2, 3, 4]) expect((await merged(project, iid)).merge_commit_sha).toBe(entries[iid].sha);
  expect(await head(project, 'main')).toBe(shas[2]);
  const moves = reflog()
    .slice(known)
    .map((line) => line.split(' ').slice(0, 2));
  expect(moves).toEqual([[before, shas[2]]]);

  for (const iid of [2, 3, 4]) {
    const { body } = await api(developer, 'GET', car(project, iid, '/receipt'));
    expect(body).toMatchObject({
      landed: { sha: entries[iid].sha },
      tested: { sha: shas[2] },
      pipeline: { id: entries[4].pipeline.id, status: 'success' },
      batch: { merge_request_iids: [2, 3, 4] },
    });
  }
  const verifier = landingVerifier({
    receipts: landingReceiptStore(harness.db),
    repositoryOf: async (id) => openRepository(join(harness.data, 'repositories'), id),
    clock: () => new Date(),
  });
  const verified: [number, readonly string[], readonly string[]][] = [];
  for await (const { receipt, differences, findings } of verifier.verify('unverified')) {
    verified.push([receipt.mergeRequestIid, differences, findings]);
  }
  expect(verified).toEqual([1, 2, 3, 4].map((iid) => [iid, [], []]));
  await standing(project, (left) => expect(left).toEqual({}));
});

test('a batch that failed is taken apart: prefixes at the same time, and one alone leaves (D8)', async () => {
  const { project, first } = await waiting(3, { merge_train_retries: 1 });
  await report(project, first, 'success');
  const batch = await together(project, [2, 3, 4]);
  await configure(project, { merge_train_parallel_cars: 3 });
  await report(project, batch[4], 'failed');
  const apart = await standing(project, (entries, inOrder) => {
    expect(inOrder).toEqual([2, 3, 4]);
    const pipelines = new Set<number>();
    for (const iid of [2, 3, 4]) {
      const entry = entries[iid];
      // The chain stays: what each is tested by are the members up to it.
      expect(entry).toMatchObject({
        sha: batch[iid].sha,
        batch: null,
        pipeline: { status: 'pending', sha: entry.sha },
      });
      expect(entry.tested_sha).toBe(entry.sha);
      pipelines.add(entry.pipeline.id);
    }
    expect(pipelines.size).toBe(3);
    expect(pipelines).not.toContain(batch[4].pipeline.id);
  });
  expect(await facts(project, 'mergeTrainEntryRemoved')).toEqual([]);
  await report(project, apart[3], 'failed');
  await report(project, apart[2], 'success');
  await merged(project, 2);
  // Tested again, by itself, on what has landed.
  const again = await standing(project, (entries, inOrder) => {
    expect(inOrder).toEqual([3, 4]);
    expect(entries[3]).toMatchObject({ sha: batch[3].sha, failing: true, pipeline: { status: 'pending' } });
    expect(entries[3].pipeline.id).not.toBe(apart[3].pipeline.id);
    expect(entries[4]).toMatchObject({ failing: false, pipeline: { status: 'pending' } });
    expect(entries[4].sha).not.toBe(batch[4].sha);
  });
  await report(project, again[3], 'failed');
  await standing(project, (_, inOrder) => expect(inOrder).toEqual([4]));
  await report(project, again[4], 'success');
  await merged(project, 4);
  expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid, { evidence }]) => [iid, evidence])).toEqual([
    [3, expect.objectContaining({ testedSha: batch[3].sha, baseSha: batch[2].sha, reruns: 1 })],
  ]);
});

test('a batch is made up anew when one of it leaves, and is none where the project wants none (D8)', async () => {
  const { project, first } = await waiting(3);
  await report(project, first, 'success');
  const batch = await together(project, [2, 3, 4]);
  expect((await api(maintainer, 'DELETE', car(project, 3))).status).toBe(204);
  const left = await standing(project, (entries, inOrder) => {
    expect(inOrder).toEqual([2, 4]);
    expect(entries[4]).toMatchObject({ status: 'fresh', pipeline: { status: 'pending' } });
    expect(entries[4].pipeline.id).not.toBe(batch[4].pipeline.id);
  });
  expect((await parents(project, left[4].sha))[0]).toBe(left[2].sha);
  await configure(project, { merge_train_batch_size: 1 });
  for (const iid of [5, 6]) {
    await ready(project, iid);
    await board(project, iid);
  }
  for (let rest = [2, 4, 5, 6]; rest.length > 0; ) {
    const entries = await standing(project, (now) => expect(now[rest[0] as number]?.pipeline?.status).toBe('pending'));
    const iid = rest[0] as number;
    if (iid >= 5) expect(entries[iid].batch).toBeNull();
    await report(project, entries[iid], 'success');
    const size = entries[iid].batch?.size ?? 1;
    await merged(project, rest[size - 1] as number);
    rest = rest.slice(size);
  }
});

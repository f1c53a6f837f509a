import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const {
  api,
  addMembers,
  board,
  car,
  facts,
  head,
  merged,
  newProject,
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

const { maintainer, developer } = people;

/** The merge requests that were removed, with what shows that they failed, in the order of their leaving. */
const removed = async (project: TestProject): Promise<[number, string, Body][]> =>
  (await facts(project, 'mergeTrainEntryRemoved')).map(([iid, { reason, evidence }]) => [iid, reason, evidence]);

/** What was counted of a train today, by name. */
const counted = async (project: TestProject, measure: string): Promise<Record<string, number>> => {
  const rows = await harness.db.query<{ name: string; value: number }>(sql`
    select m.name, sum(m.value)::int as value from merge_train_measures m join merge_trains t on t.id = m.train_id
    where t.project_id = ${project.id} and m.measure = ${measure} group by m.name`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
};

const runs = (project: TestProject): Promise<Body[]> =>
  harness.db.query(sql`
    select r.sha, r.rerun, r.verdict from merge_train_runs r join merge_trains t on t.id = r.train_id
    where t.project_id = ${project.id} order by r.pipeline_id`);

describe('just blame (D8)', () => {
  test('the third failure is reported before the second: the second leaves with its evidence, and no innocent', async () => {
    const project = await withTrain(4);
    const base = await head(project, 'main');
    const first = await tested(project, [1, 2, 3, 4]);
    await report(project, first[3], 'failed');
    const waits = await standing(project, (entries) => {
      expect(entries[3]).toMatchObject({ failing: true, position: 3, waiting_for: { reason: 'cars_ahead' } });
      // What is behind it is built again at once, on the nearest car that is not failing.
      expect(entries[4]).toMatchObject({ failing: false, status: 'fresh', pipeline: { status: 'pending' } });
      expect(entries[4].pipeline.id).not.toBe(first[4].pipeline.id);
    });
    expect(waits[3].pipeline.id).toBe(first[3].pipeline.id);
    expect((await parents(project, waits[4].sha))[0]).toBe(first[2].sha);

    await report(project, first[2], 'failed', 'build', { target_url: 'https://ci.example.org/2' });
    // What was ahead of the third failed: it is built again, and gets its fresh chance.
    const again = await standing(project, (entries) => {
      expect(entries[2]).toMatchObject({ failing: true });
      for (const iid of [3, 4]) {
        expect(entries[iid]).toMatchObject({ failing: false, status: 'fresh', pipeline: { status: 'pending' } });
      }
      expect(entries[3].pipeline.id).not.toBe(first[3].pipeline.id);
    });
    expect((await parents(project, again[3].sha))[0]).toBe(first[1].sha);
    expect(await removed(project)).toEqual([]);

    await report(project, again[1], 'success');
    await merged(project, 1);
    await standing(project, (_, inOrder) => expect(inOrder).toEqual([3, 4]));
    for (const iid of [3, 4]) await report(project, again[iid], 'success');
    await merged(project, 4);
    expect(await removed(project)).toEqual([
      [
        2,
        'REASON_PIPELINE_FAILED',
        {
          testedSha: first[2].sha,
          baseSha: first[1].sha,
          pipelineId: first[2].pipeline.id,
          statuses: [{ name: 'build', targetUrl: 'https://ci.example.org/2' }],
        },
      ],
    ]);
    expect(first[1].sha).not.toBe(base);
    // It may board again.
    expect((await board(project, 2)).status).toBe(201);
  });

  test('what lies on a car that leaves is built again and may pass; what lies on one that lands leaves', async () => {
    const project = await withTrain(3);
    const first = await tested(project, [1, 2, 3]);
    await report(project, first[2], 'failed');
    await standing(project, (entries) => expect(entries[2].failing).toBe(true));
    expect((await api(maintainer, 'DELETE', car(project, 1))).status).toBe(204);
    const second = await tested(project, [2, 3]);
    expect((await parents(project, second[2].sha))[0]).toBe(await head(project, 'main'));
    await report(project, second[3], 'failed');
    await standing(project, (entries) => expect(entries[3].failing).toBe(true));
    await report(project, second[2], 'success');
    await merged(project, 2);
    await eventually(async () =>
      expect((await removed(project)).map(([iid, reason]) => [iid, reason])).toEqual([
        [1, 'REASON_CANCELED'],
        [3, 'REASON_PIPELINE_FAILED'],
      ]),
    );
  });

  test('a conflict between cars waits, and is judged on what has landed', async () => {
    const project = await newProject({ merge_trains_enabled: true, merge_train_settling_seconds: 0 });
    await ready(project, 1, { 'same.txt': 'one\n' });
    await ready(project, 2, { 'same.txt': 'two\n' });
    await ready(project, 3, { 'same.txt': 'three\n' });
    for (const iid of [1, 2, 3]) await board(project, iid);
    const both = (held: number[]) =>
      standing(project, (entries, inOrder) => {
        expect(inOrder.slice(1)).toEqual(held);
        expect(entries[inOrder[0] as number]).toMatchObject({ failing: false, pipeline: { status: 'pending' } });
        for (const iid of held) {
          expect(entries[iid]).toMatchObject({
            failing: true,
            pipeline: null,
            sha: null,
            waiting_for: { reason: 'cars_ahead' },
          });
        }
      });
    await both([2, 3]);
    expect((await api(maintainer, 'DELETE', car(project, 1))).status).toBe(204);
    const entries = await both([3]);
    await report(project, entries[2], 'success');
    const landed = await merged(project, 2);
    await eventually(async () =>
      expect((await removed(project)).at(-1)).toEqual([3, 'REASON_CONFLICT', { baseSha: landed.merge_commit_sha }]),
    );
    expect((await api(developer, 'GET', mr(project, 3))).body.state).toBe('opened');
  });

  test('a green car behind the head is judged by the newest report', async () => {
    const project = await withTrain(2);
    const entries = await tested(project, [1, 2]);
    await report(project, entries[2], 'success');
    await standing(project, ({ 2: second }) =>
      expect(second).toMatchObject({ failing: false, waiting_for: { reason: 'cars_ahead', statuses: [] } }),
    );
    await report(project, entries[2], 'failed');
    await standing(project, ({ 2: second }) => expect(second.failing).toBe(true));
    await report(project, entries[2], 'success');
    await standing(project, ({ 2: second }) => expect(second.failing).toBe(false));
    await report(project, entries[2], 'failed', 'late');
    await standing(project, ({ 2: second }) => expect(second.failing).toBe(true));
    await report(project, entries[1], 'success');
    await merged(project, 1);
    await eventually(async () =>
      expect(await removed(project)).toEqual([
        [2, 'REASON_PIPELINE_FAILED', expect.objectContaining({ statuses: [{ name: 'late' }] })],
      ]),
    );
  });

  test('the pipeline of a green car that is deleted is opened again on its commit', async () => {
    const project = await withTrain(2);
    const entries = await tested(project, [1, 2]);
    await report(project, entries[2], 'success');
    await standing(project, ({ 2: second }) => expect(second.waiting_for.reason).toBe('cars_ahead'));
    const path = at(project, `/pipelines/${entries[2].pipeline.id}`);
    expect((await api(people.owner, 'DELETE', path)).status).toBe(204);
    const again = await tested(project, [1, 2]);
    expect(again[2].sha).toBe(entries[2].sha);
    expect(again[1].pipeline.id).toBe(entries[1].pipeline.id);
    await report(project, again[1], 'success');
    await merged(project, 1);
    expect((await standing(project))[2]).toMatchObject({ failing: false, pipeline: { id: again[2].pipeline.id } });
  });
});

describe('a failure is tested again before it is blamed (D8)', () => {
  test('in a new pipeline on the same commit; a pass lands it, and is a flake of its name', async () => {
    const project = await withTrain(2, { merge_train_retries: 1 });
    const first = await tested(project, [1, 2]);
    await report(project, first[1], 'failed', 'unit');
    const again = await standing(project, (entries) => {
      expect(entries[1]).toMatchObject({
        failing: true,
        waiting_for: { reason: 'rerun' },
        pipeline: { status: 'pending' },
      });
      expect(entries[1].pipeline.id).not.toBe(first[1].pipeline.id);
      // Built beside it, as long as it counts as failing.
      expect(entries[2]).toMatchObject({ failing: false, pipeline: { status: 'pending' } });
      expect(entries[2].sha).not.toBe(first[2].sha);
    });
    expect(again[1].pipeline.sha).toBe(first[1].pipeline.sha);
    // The old pipeline decides nothing any more.
    await report(project, first[1], 'success', 'unit');
    expect((await standing(project))[1]).toMatchObject({ failing: true });
    await report(project, again[1], 'success', 'unit');
    expect((await merged(project, 1)).merge_commit_sha).toBe(first[1].sha);
    expect(await counted(project, 'flakes')).toEqual({ unit: 1 });
    expect((await runs(project)).filter(({ sha }) => sha === first[1].sha)).toMatchObject([
      { rerun: false, verdict: 'failed' },
      { rerun: true, verdict: 'green' },
    ]);
    const { body } = await api(developer, 'GET', at(project, '/merge_trains/main/statistics'));
    expect(body).toMatchObject({ landings: 1, flakes: [{ name: 'unit', count: 1 }] });
    expect((await api(developer, 'GET', car(project, 1, '/receipt'))).body).toMatchObject({
      pipeline: { id: again[1].pipeline.id },
      landed: { sha: first[1].sha },
    });
    await tested(project, [2]);
  });

  test('three times where the project says so, and then it leaves; not at all behind what has not landed', async () => {
    const project = await withTrain(2, { merge_train_retries: 3 });
    let entries = await tested(project, [1, 2]);
    await report(project, entries[2], 'failed');
    await standing(project, ({ 2: second }) => expect(second.failing).toBe(true));
    const { sha } = entries[1];
    const tried = new Set<number>([entries[1].pipeline.id]);
    for (const _ of [1, 2, 3]) {
      await report(project, entries[1], 'failed');
      entries = await standing(project, ({ 1: one }) => {
        expect(one).toMatchObject({ failing: true, sha, pipeline: { status: 'pending' } });
        expect(tried).not.toContain(one.pipeline.id);
      });
      tried.add(entries[1].pipeline.id);
    }
    expect(await removed(project)).toEqual([]);
    await report(project, entries[1], 'failed');
    await standing(project, (_, inOrder) => expect(inOrder).toEqual([2]));
    expect(await removed(project)).toEqual([
      [
        1,
        'REASON_PIPELINE_FAILED',
        expect.objectContaining({ testedSha: sha, pipelineId: entries[1].pipeline.id, reruns: 3 }),
      ],
    ]);
    expect((await runs(project)).filter((run) => run.sha === sha).map(({ rerun }) => rerun)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(await counted(project, 'flakes')).toEqual({});
    // The second was never tested twice on a car that had not landed.
    expect((await runs(project)).filter((run) => run.sha !== sha).some(({ rerun }) => rerun)).toBe(false);
  });
});

import { sql } from '@switchyard/database/sql';
import { at, type Body } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, car, configure, facts, head, merged, parents, report, standing, sweep, tested, withTrain } =
  mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1' });
  await addMembers();
});
afterAll(() => harness?.close());

const { developer } = people;

/** Waits until a merge request waits for a reason. */
const waitsFor = (project: TestProject, iid: number, reason: string, statuses: readonly string[] = []) =>
  standing(project, (entries) => expect(entries[iid]?.waiting_for).toEqual({ reason, statuses }));

describe('what a pipeline counts as green by (D8)', () => {
  test('no name came for a time: a first green name lands nothing that a second one holds up', async () => {
    const project = await withTrain(2, { merge_train_settling_seconds: 600 });
    const entries = await tested(project, [1, 2]);
    await waitsFor(project, 1, 'statuses');
    await report(project, entries[1], 'success', 'first');
    await waitsFor(project, 1, 'settling');
    await report(project, entries[1], 'running', 'second');
    await waitsFor(project, 1, 'statuses', ['second']);
    await configure(project, { merge_train_settling_seconds: 0 });
    await sweep(project);
    await waitsFor(project, 1, 'statuses', ['second']);
    await report(project, entries[1], 'failed', 'second');
    await standing(project, (_, inOrder) => expect(inOrder).toEqual([2]));
    expect(
      (await facts(project, 'mergeTrainEntryRemoved')).map(([iid, { evidence }]) => [iid, evidence.statuses]),
    ).toEqual([[1, [{ name: 'second' }]]]);
  });

  test('for two seconds by default: then it lands by itself', async () => {
    const project = await withTrain(1, {}, { settling_seconds: 'default' });
    const entries = await tested(project, [1]);
    await report(project, entries[1], 'success');
    await merged(project, 1);
    const rows = await harness.db.query<{ waited: number }>(sql`
      select extract(epoch from c.merged_at - s.created_at)::float8 as waited
      from merge_train_cars c join commit_statuses s on s.pipeline_id = c.pipeline_id where c.project_id = ${project.id}`);
    expect(rows[0]!.waited).toBeGreaterThanOrEqual(2);
  });

  test('as many names as the project says there must be', async () => {
    const project = await withTrain(1, { merge_train_required_status_count: 3 });
    const entries = await tested(project, [1]);
    await report(project, entries[1], 'success', 'one');
    await waitsFor(project, 1, 'statuses');
    await report(project, entries[1], 'running', 'two');
    await waitsFor(project, 1, 'statuses', ['two']);
    await report(project, entries[1], 'success', 'two');
    await waitsFor(project, 1, 'statuses');
    await report(project, entries[1], 'success', 'three');
    await merged(project, 1);
  });
});

describe('settings that change while cars are in the train (D8)', () => {
  test('the names: what is green behind the head waits for a new one, what waits for one that is not asked lands', async () => {
    const project = await withTrain(2, { merge_train_required_statuses: ['ci', 'lint'] });
    const entries = await tested(project, [1, 2]);
    for (const name of ['ci', 'lint']) await report(project, entries[2], 'success', name);
    await waitsFor(project, 2, 'cars_ahead');
    await report(project, entries[1], 'success', 'ci');
    await waitsFor(project, 1, 'statuses', ['lint']);
    await configure(project, { merge_train_required_statuses: ['ci', 'lint', 'docs'] });
    await waitsFor(project, 2, 'statuses', ['docs']);
    await configure(project, { merge_train_required_statuses: ['ci'] });
    await merged(project, 1);
    expect((await merged(project, 2)).merge_commit_sha).toBe(entries[2].sha);
  });

  test('the merge method and squashing: all are built again, and land as the project wants it now', async () => {
    const project = await withTrain(2);
    const first = await tested(project, [1, 2]);
    await configure(project, { merge_method: 'ff', squash_option: 'always' });
    const second = await standing(project, (entries, inOrder) => {
      expect(inOrder).toEqual([1, 2]);
      for (const iid of [1, 2]) {
        expect(entries[iid]).toMatchObject({ status: 'fresh', failing: false, pipeline: { status: 'pending' } });
        expect(entries[iid].pipeline.id).not.toBe(first[iid].pipeline.id);
      }
      expect(entries[2].sha).not.toBe(first[2].sha);
    });
    for (const iid of [1, 2]) {
      expect((await api(developer, 'GET', at(project, `/pipelines/${first[iid].pipeline.id}`))).body.status).toBe(
        'canceled',
      );
    }
    expect(await parents(project, second[1].sha)).toEqual([await head(project, 'main')]);
    await report(project, second[1], 'success');
    await merged(project, 1);
    const { body } = await api(developer, 'GET', car(project, 1, '/receipt'));
    expect(body).toMatchObject({ method: 'ff', squash: true, landed: { sha: second[1].sha }, merge_commit_sha: null });

    await configure(project, { merge_method: 'merge', squash_option: 'never' });
    const third = await standing(project, (entries) => {
      expect(entries[2]).toMatchObject({ status: 'fresh', pipeline: { status: 'pending' } });
      expect(entries[2].pipeline.id).not.toBe(second[2].pipeline.id);
    });
    expect((await parents(project, third[2].sha)).length).toBe(2);
    await report(project, third[2], 'success');
    await merged(project, 2);
    expect((await api(developer, 'GET', car(project, 2, '/receipt'))).body).toMatchObject({
      method: 'merge',
      squash: false,
    });
    expect(await facts(project, 'mergeTrainEntryRemoved')).toEqual([] as Body[]);
  });

  test('the window and the tries: they hold for the cars in the train', async () => {
    const project = await withTrain(2, { merge_train_parallel_cars: 1, merge_train_batch_size: 1 });
    const one = await standing(project, (entries) => {
      expect(entries[1]?.pipeline?.status).toBe('pending');
      expect(entries[2]?.waiting_for.reason).toBe('place');
    });
    await configure(project, { merge_train_parallel_cars: 2, merge_train_retries: 1 });
    const two = await tested(project, [1, 2]);
    expect(two[1].pipeline.id).toBe(one[1].pipeline.id);
    await report(project, two[1], 'failed');
    await standing(project, (entries) => {
      expect(entries[1]).toMatchObject({ failing: true, sha: two[1].sha, pipeline: { status: 'pending' } });
      expect(entries[1].pipeline.id).not.toBe(two[1].pipeline.id);
    });
  });
});

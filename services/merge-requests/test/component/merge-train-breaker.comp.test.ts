import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { at, type Body } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, commit, control, facts, head, merged, report, standing, status, tested, withTrain } =
  mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1' });
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer, owner } = people;

const repositoryOf = (project: TestProject) => openRepository(join(harness.data, 'repositories'), project.id);

/** A train of five that has stopped itself: two have left for `ci`, and the third would be next. */
async function stopped(): Promise<{ project: TestProject; probe: Body }> {
  const project = await withTrain(5);
  for (const iid of [1, 2]) {
    const entries = await tested(project, [1, 2, 3, 4, 5].slice(iid - 1));
    await report(project, entries[iid], 'failed');
  }
  const entries = await tested(project, [3, 4, 5]);
  await report(project, entries[3], 'failed');
  const probe = await eventually(async () => {
    const { body } = await control(project);
    expect(body).toMatchObject({ state: 'paused', reason: 'target_failing', until: null, updated_by: null });
    expect(body.probe).toMatchObject({ status: 'pending', sha: await head(project, 'main') });
    return body.probe;
  });
  return { project, probe };
}

const inOrder = (project: TestProject) =>
  standing(project).then((entries) =>
    Object.values(entries)
      .sort((one, other) => one.position - other.position)
      .map((entry) => entry.merge_request.iid),
  );

const version = async (project: TestProject): Promise<number> =>
  (await harness.db.one<{ version: number }>(sql`select version from merge_trains where project_id = ${project.id}`))!
    .version;

/** Looks of the train, one after another, that change nothing of it. */
async function settled(project: TestProject): Promise<void> {
  let last = -1;
  await eventually(
    async () => {
      const now = await version(project);
      const before = last;
      last = now;
      expect(now).toBe(before);
    },
    { every: 300 },
  );
}

test('three merge requests in a row that fail for one name stop the train; a probe that passes lets it go on (D8)', async () => {
  const { project, probe } = await stopped();
  expect(await inOrder(project)).toEqual([3, 4, 5]);
  for (const entry of Object.values(await standing(project))) expect(entry.waiting_for.reason).toBe('train');
  expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid]) => iid)).toEqual([1, 2]);

  // An outside CI finds the probe as it finds a car; only who may merge reports on it.
  const pending = await api(developer, 'GET', at(project, '/pipelines?source=merge_request_event&status=pending'));
  expect(pending.body.map(({ id }: Body) => id)).toContain(probe.id);
  const told = (by: typeof developer, state: string) =>
    status(project, probe.sha, { state, name: 'ci', pipeline_id: probe.id }, by);
  expect((await told(developer, 'success')).status).toBe(403);
  expect((await api(developer, 'POST', at(project, `/pipelines/${probe.id}/cancel`))).status).toBe(403);

  // It fails: the train stays as it is, and goes to no trouble until the next probe is due.
  expect((await told(maintainer, 'failed')).status).toBe(201);
  await settled(project);
  expect((await control(project)).body).toMatchObject({ state: 'paused', probe: { id: probe.id, status: 'failed' } });
  expect(await inOrder(project)).toEqual([3, 4, 5]);

  // Its branch was mended: the new tip is tested.
  await commit(project, 'main', { 'mended.txt': 'mended\n' });
  const next = await eventually(async () => {
    const { body } = await control(project);
    expect(body.probe).toMatchObject({ status: 'pending', sha: await head(project, 'main') });
    expect(body.probe.id).not.toBe(probe.id);
    return body.probe;
  });
  // What the outside CI fetches is what it is asked to test.
  expect((await harness.git(repositoryOf(project).path, 'rev-parse', next.ref)).trim()).toBe(next.sha);
  const passes = await status(project, next.sha, { state: 'success', name: 'ci', pipeline_id: next.id }, maintainer);
  expect(passes.status).toBe(201);
  const again = await tested(project, [3, 4, 5]);
  expect((await control(project)).body).toMatchObject({
    state: 'running',
    reason: null,
    updated_by: null,
    probe: null,
  });
  await report(project, again[3], 'success');
  await merged(project, 3);

  const changed = await eventually(async () => {
    const found = await facts(project, 'mergeTrainStateChanged');
    expect(found).toHaveLength(6);
    return found;
  });
  const stops = changed.filter(([, { targetFailing }]) => targetFailing);
  expect(stops.map(([iid]) => iid).sort()).toEqual([3, 4, 5]);
  for (const [, fact] of stops) expect(fact).toMatchObject({ state: 'STATE_PAUSED', statusNames: ['ci'] });
  expect(stops.filter(([, { firstCar }]) => firstCar).map(([iid]) => iid)).toEqual([3]);
});

test('a Maintainer lets a train go on that has stopped itself: what failed gets a fresh chance (D8)', async () => {
  const { project, probe } = await stopped();
  expect((await control(project, { state: 'running' }, developer)).status).toBe(403);
  // A probe that is deleted is made again.
  expect((await api(owner, 'DELETE', at(project, `/pipelines/${probe.id}`))).status).toBe(204);
  const next = await eventually(async () => {
    const { body } = await control(project);
    expect(body.probe?.status).toBe('pending');
    expect(body.probe.id).not.toBe(probe.id);
    return body.probe;
  });
  await settled(project);
  const going = await control(project, { state: 'running' });
  expect([going.status, going.body]).toMatchObject([200, { state: 'running', updated_by: { id: maintainer.id } }]);
  const entries = await tested(project, [3, 4, 5]);
  expect((await api(developer, 'GET', at(project, `/pipelines/${next.id}`))).body.status).toBe('canceled');
  // The row has begun anew: one failure more does not stop it.
  await report(project, entries[3], 'failed');
  await tested(project, [4, 5]);
  expect((await control(project)).body).toMatchObject({ state: 'running' });
});

test('a landing between them, or another name, ends the row (D8)', async () => {
  const project = await withTrain(5);
  const one = async (iid: number, state: string, name = 'ci') => {
    const entries = await tested(project, [1, 2, 3, 4, 5].slice(iid - 1));
    await report(project, entries[iid], state, name);
  };
  await one(1, 'failed');
  await one(2, 'failed');
  await one(3, 'success');
  await one(4, 'failed');
  await one(5, 'failed', 'lint');
  await standing(project, (entries) => expect(entries).toEqual({}));
  expect((await control(project)).body).toMatchObject({ state: 'running', changes: [] });
  expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid]) => iid)).toEqual([1, 2, 4, 5]);
});

test('what a maintainer had decided outlives a stop of the train (D8)', async () => {
  const project = await withTrain(3);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const wanted = { state: 'draining', reason: 'Release', until };
  expect((await api(maintainer, 'PUT', at(project, '/merge_trains/main/control'), wanted)).status).toBe(200);
  for (const iid of [1, 2]) {
    const entries = await tested(project, [1, 2, 3].slice(iid - 1));
    await report(project, entries[iid], 'failed');
  }
  await report(project, (await tested(project, [3]))[3], 'failed');
  const probe = await eventually(async () => {
    const { body } = await control(project);
    expect(body).toMatchObject({ state: 'paused', reason: 'target_failing', until: null });
    return body.probe;
  });
  await status(project, probe.sha, { state: 'success', name: 'ci', pipeline_id: probe.id }, maintainer);
  await eventually(async () => expect((await control(project)).body).toMatchObject(wanted));
});

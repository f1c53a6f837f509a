import { at, mergeRequestSteps } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer, reporter } = people;

const control = (project: TestProject, branch = 'main'): string =>
  at(project, `/merge_trains/${encodeURIComponent(branch)}/control`);

/** A project with one merge request on the train of `main`. */
async function withTrain(): Promise<TestProject> {
  const project = await newProject({ merge_trains_enabled: true });
  const sha = await commit(project, 'b1', { 'b1.txt': 'b1\n' }, { start: 'main' });
  await status(project, sha, { state: 'success', ref: 'b1' });
  await open(project, 'b1');
  await checked(project, 1);
  const added = await api(maintainer, 'POST', at(project, '/merge_trains/merge_requests/1'));
  expect([added.status, added.body]).toMatchObject([201, [{ target_branch: 'main' }]]);
  return project;
}

test('a Maintainer pauses a train and lets it go on; who sees the train sees who did it (D8)', async () => {
  const project = await withTrain();
  const before = await api(developer, 'GET', control(project));
  expect([before.status, before.body]).toMatchObject([
    200,
    { target_branch: 'main', state: 'running', updated_by: null, probe: null, changes: [] },
  ]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const paused = await api(maintainer, 'PUT', control(project), { state: 'paused', reason: ' the release ', until });
  expect([paused.status, paused.body]).toMatchObject([
    200,
    { state: 'paused', reason: 'the release', until, updated_by: { id: maintainer.id } },
  ]);
  expect((await api(developer, 'GET', control(project))).body).toEqual(paused.body);
  const running = await api(maintainer, 'PUT', control(project), { state: 'running' });
  expect(running.body).toMatchObject({ state: 'running', reason: null, until: null });
  expect(running.body.changes.map(({ state }: { state: string }) => state)).toEqual(['running', 'paused']);
});

test('what is wrong, and who may not, leaves the train as it is', async () => {
  const project = await withTrain();
  const before = (await api(developer, 'GET', control(project))).body;
  const refusals = await Promise.all([
    api(developer, 'PUT', control(project), { state: 'paused' }),
    api(reporter, 'GET', control(project)),
    api(maintainer, 'PUT', control(project), { state: 'stopped' }),
    api(maintainer, 'PUT', control(project), { state: 'paused', until: new Date(Date.now() - 1_000).toISOString() }),
    api(maintainer, 'PUT', control(project), { state: 'paused', reason: 'x'.repeat(1_000_000) }),
    api(maintainer, 'PUT', control(project), { state: 'paused', reason: 'a\u202eb' }),
    api(maintainer, 'PUT', control(project, 'next'), { state: 'paused' }),
    api(developer, 'GET', control(project, 'next')),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 400, 400, 400, 400, 404, 404]);
  expect(refusals[5]?.body).toEqual({ error: 'reason is invalid' });
  expect(refusals[6]?.body).toEqual({ message: '404 Merge Train Not Found' });
  expect((await api(developer, 'GET', control(project))).body).toEqual(before);
});

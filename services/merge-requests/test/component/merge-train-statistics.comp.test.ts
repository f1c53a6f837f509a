import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { startWatchingTrains } from '../../src/merge-trains/compose-watchdog';
import { at, type Body, mergeRequestSteps, mr, type ProjectSettings } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer, reporter } = people;

const trains = (project: TestProject, path: string): string => at(project, `/merge_trains/${path}`);

const withTrains = (settings: ProjectSettings = {}): Promise<TestProject> =>
  newProject({ merge_trains_enabled: true, merge_train_required_statuses: ['ci'], ...settings });

/** A merge request on the train of `main`. */
async function add(project: TestProject, iid: number): Promise<void> {
  const branch = `b${iid}`;
  const sha = await commit(project, branch, { [`${branch}.txt`]: `${branch}\n` }, { start: 'main' });
  await status(project, sha, { state: 'success', ref: branch });
  await open(project, branch);
  await checked(project, iid);
  const reply = await api(maintainer, 'POST', trains(project, `merge_requests/${iid}`));
  expect(reply.status).toBe(201);
}

/** The pipeline of an entry, another one than `before`. */
const pipelineOf = (project: TestProject, iid: number, before?: number): Promise<Body> =>
  eventually(async () => {
    const { body } = await api(developer, 'GET', trains(project, `merge_requests/${iid}`));
    expect(body.pipeline?.id ?? before).not.toBe(before);
    expect(body).toMatchObject({ status: 'fresh', pipeline: { status: 'pending' } });
    return body.pipeline;
  });

const report = async (project: TestProject, pipeline: Body, state: string) =>
  expect(
    (await status(project, pipeline.sha, { state, name: 'ci', pipeline_id: pipeline.id }, maintainer)).status,
  ).toBe(201);

const merged = (project: TestProject, iid: number) =>
  eventually(async () => expect((await api(developer, 'GET', mr(project, iid))).body.state).toBe('merged'));

const gone = (project: TestProject, iid: number) =>
  eventually(async () =>
    expect((await api(developer, 'GET', trains(project, `merge_requests/${iid}`))).status).toBe(404),
  );

test('a landing, a flake, a failure and a pause are in the statistics, and departures are kept (3, 7)', async () => {
  const project = await withTrains({ merge_train_retries: 1 });
  await add(project, 1);
  const first = await pipelineOf(project, 1);
  await report(project, first, 'failed');
  await report(project, await pipelineOf(project, 1, first.id), 'success');
  await merged(project, 1);
  await add(project, 2);
  const second = await pipelineOf(project, 2);
  await report(project, second, 'failed');
  const again = await pipelineOf(project, 2, second.id);
  await report(project, again, 'failed');
  await gone(project, 2);
  const control = (state: string) => api(maintainer, 'PUT', trains(project, 'main/control'), { state });
  expect([(await control('paused')).status, (await control('running')).status]).toEqual([200, 200]);

  const reply = await api(developer, 'GET', trains(project, 'main/statistics'));
  expect(reply).toMatchObject({
    status: 200,
    body: {
      target_branch: 'main',
      landings: 1,
      turnaround: { p50: expect.any(Number), p95: expect.any(Number) },
      removals: [{ reason: 'pipeline_failed', count: 1 }],
      builds: 4,
      builds_per_landing: 4,
      flakes: [{ name: 'ci', count: 1 }],
      failures: [{ name: 'ci', count: 3 }],
    },
  });
  expect(reply.body.paused_share).toBeGreaterThan(0);
  expect(reply.body.days).toHaveLength(28);
  expect(reply.body.days.at(-1)).toMatchObject({ landings: 1, builds: 4, removals: 1 });

  const left = await harness.db.query(sql`
    select merge_request_iid as iid, title, reason, evidence from merge_train_departures
    where train_id = (select id from merge_trains where project_id = ${project.id}) order by id`);
  expect(left).toEqual([
    { iid: 1, title: 'Merge b1', reason: 'merged', evidence: null },
    {
      iid: 2,
      title: 'Merge b2',
      reason: 'pipeline_failed',
      evidence: expect.objectContaining({ pipelineId: again.id, reruns: 1, statuses: [{ name: 'ci' }] }),
    },
  ]);
});

test('who may not see the train, no train, and days that are refused', async () => {
  const project = await withTrains();
  await add(project, 1);
  const get = (query: string, person = developer) => api(person, 'GET', trains(project, query));
  const replies = await Promise.all([
    get('main/statistics?after=2026-01-01&before=2026-01-31'),
    get('main/statistics', reporter),
    get('next/statistics'),
    get('main/statistics?after=2024-01-01&before=2025-01-01'),
    get('main/statistics?after=2026-02-01&before=2026-01-31'),
    get('main/statistics?before=2026-02-30'),
  ]);
  expect(replies.map(({ status: code }) => code)).toEqual([200, 403, 404, 400, 400, 400]);
  expect(replies[0]?.body).toMatchObject({ landings: 0, builds_per_landing: null, paused_share: 0, failures: [] });
  expect(replies[0]?.body.days).toHaveLength(31);
  expect(replies[2]?.body).toEqual({ message: '404 Merge Train Not Found' });
});

test('a green car whose wake-up was lost lands once the watchdog has looked at its train (11)', async () => {
  const project = await withTrains();
  await add(project, 1);
  const pipeline = await pipelineOf(project, 1);
  // What is reported wakes no one.
  await harness.db.query(sql`
    insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id, finished_at)
    values (${pipeline.id}, ${project.id}, ${pipeline.sha}, ${pipeline.ref}, 'ci', 'success', 2, now())`);
  await harness.db.query(sql`update pipelines set status = 'success', finished_at = now() where id = ${pipeline.id}`);
  const watch = async (minutes: number) => {
    const clock = () => new Date(Date.now() + minutes * 60_000);
    await startWatchingTrains({ db: harness.db, clock }).close();
    return harness.db.query<{ stuck: boolean }>(sql`
      select stuck_since is not null as stuck from merge_trains where project_id = ${project.id}`);
  };
  expect(await watch(59)).toEqual([{ stuck: false }]);
  expect((await api(developer, 'GET', mr(project, 1))).body.state).toBe('opened');
  await watch(61);
  await merged(project, 1);
  expect(await watch(62)).toEqual([{ stuck: false }]);
});

import { eventually } from '@switchyard/testkit';
import { forker, forkOf } from './fork-steps';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, events, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

/** Merge requests on each other: !1 from one into main, !2 from two into one, !3 from three into two. */
async function stack(): Promise<TestProject> {
  const project = await newProject();
  let below = 'main';
  for (const name of ['one', 'two', 'three']) {
    await commit(project, name, { [`${name}.txt`]: `${name}\n` }, { start: below });
    await open(project, name, { target_branch: below });
    below = name;
  }
  return project;
}

const read = async (project: TestProject, iid: number): Promise<Body> =>
  (await api(people.developer, 'GET', mr(project, iid))).body;
async function merge(project: TestProject, iid: number, removes: boolean): Promise<void> {
  await checked(project, iid);
  const reply = await api(people.maintainer, 'PUT', mr(project, iid, '/merge'), {
    should_remove_source_branch: removes,
  });
  expect(reply.status).toBe(200);
}
const removed = (project: TestProject, branch: string) =>
  api(people.maintainer, 'DELETE', at(project, `/repository/branches/${branch}`));

test('those into a branch that lands and goes are pointed at where it landed, one after another', async () => {
  const project = await stack();
  const second = await read(project, 2);
  await merge(project, 1, true);
  await eventually(async () => expect((await read(project, 2)).target_branch).toBe('main'));
  const moved = await checked(project, 2);
  expect(moved).toMatchObject({ state: 'opened', changes_count: '1', detailed_merge_status: 'mergeable' });
  expect((await api(people.developer, 'GET', mr(project, 2, '/diffs'))).body).toMatchObject([{ new_path: 'two.txt' }]);
  expect((await read(project, 3)).target_branch).toBe('two');
  expect(await events(second.id)).toEqual(['created', 'updated']);

  await merge(project, 2, true);
  await eventually(async () => expect((await read(project, 3)).target_branch).toBe('main'));
  await merge(project, 3, true);
  expect((await read(project, 3)).state).toBe('merged');
});

test('a branch that stays keeps them, and takes them along when it is removed later', async () => {
  const project = await stack();
  await merge(project, 1, false);
  expect((await read(project, 2)).target_branch).toBe('one');
  expect((await removed(project, 'one')).status).toBe(204);
  await eventually(async () => expect((await read(project, 2)).target_branch).toBe('main'));
});

test('a branch that never landed, or has moved on since, takes none along', async () => {
  const project = await stack();
  await removed(project, 'one');
  expect((await read(project, 2)).target_branch).toBe('one');

  const other = await stack();
  await merge(other, 1, false);
  await commit(other, 'one', { 'later.txt': 'later\n' });
  await removed(other, 'one');
  expect((await read(other, 2)).target_branch).toBe('one');
});

test('those of forks are pointed at where their target landed, too', async () => {
  const project = await harness.project({ visibility: 'public' });
  await commit(project, 'main', { 'README.md': 'base\n' });
  await commit(project, 'one', { 'one.txt': 'one\n' }, { start: 'main' });
  await open(project, 'one', { target_branch: 'main' });
  const fork = await forkOf(harness, project);
  await commit(fork, 'main', { 'fork.txt': 'fork\n' }, { by: forker });
  // Its branch has the name of the branch that it is pointed at, which is another one.
  const made = await api(forker, 'POST', at(fork, '/merge_requests'), {
    ...{ source_branch: 'main', target_branch: 'one', title: 'On it', target_project_id: project.id },
  });
  expect(made.status).toBe(201);
  await merge(project, 1, true);
  await eventually(async () => expect((await read(project, 2)).target_branch).toBe('main'));
  expect(await checked(project, 2)).toMatchObject({ state: 'opened', changes_count: '1' });
  await merge(project, 2, false);
  expect((await read(project, 2)).state).toBe('merged');
});

test('one that is there already stays the only one', async () => {
  const project = await stack();
  await open(project, 'two', { target_branch: 'main' });
  await merge(project, 1, true);
  await eventually(async () => expect((await read(project, 1)).state).toBe('merged'));
  expect((await read(project, 2)).target_branch).toBe('one');
  expect((await read(project, 4)).target_branch).toBe('main');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, commit, configure, newProject, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const address = (project: TestProject, iid: number) => `http://switchyard.test/${project.path}/-/merge_requests/${iid}`;

/** A project and a clone of it on the branch `topic`, which has one commit of its own. */
async function cloned(settings = {}) {
  const project = await newProject(settings);
  const folder = harness.folder();
  await harness.git(folder, 'clone', '--quiet', harness.remote(people.developer, project.path), '.');
  await harness.git(folder, 'checkout', '--quiet', '-b', 'topic');
  let made = 0;
  const change = async (message: string): Promise<void> => {
    made += 1;
    writeFileSync(join(folder, `file${made}.txt`), `${message}\n`);
    await harness.git(folder, 'add', '.');
    await harness.git(folder, 'commit', '--quiet', '-m', message);
  };
  const args = (options: readonly string[], refs: readonly string[], by: Person) => [
    'push',
    ...options.flatMap((option) => ['-o', option]),
    harness.remote(by, project.path),
    ...refs,
  ];
  const push = (options: readonly string[], refs: readonly string[] = ['topic'], by: Person = people.developer) =>
    harness.git(folder, ...args(options, refs, by));
  const fails = (options: readonly string[], refs: readonly string[] = ['topic']) =>
    harness.gitFails(folder, ...args(options, refs, people.developer));
  const all = async (): Promise<Body[]> =>
    (await api(people.developer, 'GET', at(project, '/merge_requests?order_by=created_at&sort=asc'))).body;
  await change('Fix the login\n\nIt was broken.');
  return { project, folder, change, push, fails, all };
}

test('a push opens a merge request with what its options say, and prints its address', async () => {
  const { project, push, all } = await cloned();
  await commit(project, 'release', { 'r.txt': 'r\n' }, { start: 'main' });
  await harness.db.query(sql`
    insert into directory.milestones (id, project_id, iid, title, state)
    values (${project.id * 100}, ${project.id}, 1, '1.0', 'active')`);
  const said = await push([
    'merge_request.create',
    'merge_request.target=release',
    'merge_request.title=A title',
    'merge_request.description=One\\nTwo',
    'merge_request.label=bug',
    'merge_request.label=urgent',
    'merge_request.assign=user2',
    'merge_request.milestone=1.0',
    'merge_request.draft',
    'merge_request.remove_source_branch',
    'merge_request.squash',
  ]);
  expect(said).toContain('remote: View merge request for topic:');
  expect(said).toMatch(new RegExp(`remote:   ${address(project, 1)}\\s`));
  expect(said).not.toContain('Switchyard:');
  expect(await all()).toMatchObject([
    {
      iid: 1,
      source_branch: 'topic',
      target_branch: 'release',
      title: 'Draft: A title',
      draft: true,
      description: 'One\nTwo',
      labels: ['bug', 'urgent'],
      assignees: [{ id: 2 }],
      milestone: { title: '1.0' },
      force_remove_source_branch: true,
      squash: true,
      author: { id: 3 },
    },
  ]);
});

test('without them it has the words of its only commit, or of its branch; the default branch is its target', async () => {
  const { project, push, change, all } = await cloned();
  await push(['merge_request.create']);
  await change('Another');
  await push(['merge_request.create'], ['topic:refs/heads/two-commits']);
  expect(await all()).toMatchObject([
    { title: 'Fix the login', description: 'It was broken.', target_branch: 'main' },
    { title: 'Two commits', description: null, target_branch: 'main', source_branch: 'two-commits' },
  ]);
  expect((await api(people.developer, 'GET', mr(project, 1))).body.sha).toMatch(/^[0-9a-f]{40}$/);
});

test('options change the open merge request of a branch, also when they ask for a new one', async () => {
  const { project, push, change, all } = await cloned();
  await push(['mr.create', 'mr.label=old', 'mr.assign=2']);
  await change('More');
  const said = await push(['mr.create', 'mr.title=Newer', 'mr.unlabel=old', 'mr.label=new', 'mr.unassign=@USER2']);
  expect(said).toMatch(new RegExp(`remote:   ${address(project, 1)}\\s`));
  await change('Even more');
  await push(['mr.draft']);
  const found = await all();
  expect(found).toHaveLength(1);
  expect(found).toMatchObject([{ title: 'Draft: Newer', labels: ['new'], assignees: [], draft: true }]);
});

test('what is not possible is told, and the push stands', async () => {
  const { push, change, all, project, folder } = await cloned();
  expect(await push(['mr.title=x'])).toContain(
    'remote: Switchyard: The push option merge_request.create is required to open a merge request for topic.',
  );
  await change('Two');
  expect(await push(['mr.create', 'mr.target=nowhere'])).toMatch(
    /Switchyard: What the push options ask for topic was refused: target_branch does not exist/,
  );
  await change('Three');
  const said = await push(['mr.create', 'mr.assign=nobody', 'mr.milestone=9', 'other=1']);
  expect(said).toContain("Switchyard: There is no user 'nobody'.");
  expect(said).toContain("Switchyard: There is no milestone '9'.");
  expect(said).toContain("Switchyard: The push option 'other=1' is unknown and has no effect.");
  expect(await all()).toMatchObject([{ assignees: [], milestone: null }]);
  await harness.git(folder, 'tag', 'v1');
  expect(await push(['mr.create'], ['v1'])).toContain('have no effect: no branch was pushed.');
  expect(
    await push(
      ['mr.create'],
      Array.from({ length: 11 }, (_, one) => `topic:refs/heads/b${one}`),
    ),
  ).toContain('have no effect: 11 branches were pushed (maximum is 10).');
  expect(await all()).toHaveLength(1);
  await configure(project, {});
});

test('options that cannot be understood refuse the push, all at once', async () => {
  const { fails, all, project } = await cloned();
  const said = await fails(['mr.create', 'mr.title', 'ci.input=a']);
  expect(said).toContain("remote: Switchyard: 'merge_request.title' needs a value.");
  expect(said).toContain("remote: Switchyard: The push option 'ci.input=a' has no effect here");
  expect(said).toMatch(/! \[remote rejected\] topic -> topic \(its push options were refused\)/);
  expect((await api(people.developer, 'GET', at(project, '/repository/branches/topic'))).status).toBe(404);
  expect(await all()).toEqual([]);
});

test('a megabyte of options is refused in a clear sentence, as are too many', async () => {
  const { fails, project } = await cloned();
  const long = Array.from({ length: 20 }, (_, one) => `x${one}=${'y'.repeat(60_000)}`);
  expect(await fails(long)).toContain('the push options are too long (maximum is 65536 bytes together)');
  expect(await fails(Array.from({ length: 101 }, (_, one) => `x${one}`))).toContain(
    'too many push options (maximum is 100)',
  );
  expect((await api(people.developer, 'GET', at(project, '/repository/branches/topic'))).status).toBe(404);
});

test('a merge request merges by itself: at once, or when its pipeline has succeeded', async () => {
  const { project, push, change, all } = await cloned();
  await push(['mr.create'], ['topic'], people.maintainer);
  const merging = ['mr.create', 'mr.merge_when_pipeline_succeeds'];
  const said = await push(merging, ['topic:refs/heads/soon'], people.maintainer);
  expect(said).toContain(`remote:   ${address(project, 2)}`);
  await eventually(async () => {
    const [first, second] = await all();
    // They have the same commits: who merges one has merged both.
    expect([first.state, second.state]).toEqual(['merged', 'merged']);
  });
  await change('Later');
  await configure(project, { only_allow_merge_if_pipeline_succeeds: true });
  await push(['mr.create'], ['topic:refs/heads/later'], people.maintainer);
  const [, , third] = await all();
  await status(project, third.sha, { state: 'running', name: 'ci', ref: 'later' });
  await change('Even later');
  await push(['mr.auto_merge'], ['topic:refs/heads/later'], people.maintainer);
  const { body } = await api(people.developer, 'GET', mr(project, third.iid));
  expect(body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
  await status(project, body.sha, { state: 'success', name: 'ci', ref: 'later' });
  await eventually(async () =>
    expect((await api(people.developer, 'GET', mr(project, third.iid))).body.state).toBe('merged'),
  );
});

test('auto-merge of a user who may not merge is refused, and the merge request stays open', async () => {
  const { project, push, all } = await cloned();
  await api(people.maintainer, 'POST', at(project, '/protected_branches'), { name: 'main', merge_access_level: 40 });
  expect(await push(['mr.create', 'mr.auto_merge'])).toContain('was refused: 401 Unauthorized');
  expect(await all()).toMatchObject([{ state: 'opened', merge_when_pipeline_succeeds: false }]);
});

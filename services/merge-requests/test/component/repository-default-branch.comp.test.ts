import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { gitSteps } from './git-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { commit, events, pushed, repositoryWith } = gitSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.close());

test('pushes of the default branch say which issues their commits close, others nothing', async () => {
  const { project, folder } = await pushed();
  const closes = async () =>
    (await events(project.id)).map(({ body }) => (body.closes ?? []).map(({ path = '', iid }) => `${path}#${iid}`));
  await commit(folder, { 'one.txt': 'one\n' }, 'Repair\n\nFixes #4, other#5 and `#6`. See #7.');
  await commit(folder, { 'two.txt': 'two\n' }, 'Closes #4 and group/other#8');
  await harness.git(folder, 'push', '--quiet', 'origin', 'main', 'main:refs/heads/copy');
  await commit(folder, { 'three.txt': 'three\n' }, 'Closes #9');
  await harness.git(folder, 'push', '--quiet', 'origin', 'main:refs/heads/copy');
  const [first, ...later] = await closes();
  expect(first).toEqual([]);
  expect(later.filter((found) => found.length > 0)).toEqual([['#4', 'other#5', 'group/other#8']]);
  const [named] = (await events(project.id)).filter(({ body }) => body.closes !== undefined);
  expect(named?.body).toMatchObject({ refName: 'main', action: 'pushed' });
}, 60_000);

test('messages that are too large together close nothing, and the push arrives', async () => {
  const { project, folder } = await pushed();
  const file = join(harness.folder(), 'message');
  for (const name of ['one', 'two']) {
    writeFileSync(file, `Closes #1\n\n${`${'x'.repeat(99)}\n`.repeat(360_000)}`);
    writeFileSync(join(folder, name), name);
    await harness.git(folder, 'add', '.');
    await harness.git(folder, 'commit', '--quiet', '-F', file);
  }
  await harness.git(folder, 'push', '--quiet', 'origin', 'main');
  const found = (await events(project.id)).at(-1)?.body;
  expect(found).toMatchObject({ action: 'pushed', commitCount: 2, commitTitle: 'Closes #1' });
  expect(found?.closes ?? []).toEqual([]);
}, 120_000);

test('pushes of the default branch say which README it has, others nothing', async () => {
  const { project, folder } = await pushed();
  await harness.git(folder, 'checkout', '--quiet', '-b', 'topic');
  await commit(folder, { 'readme.txt': 'plain\n' }, 'Another');
  await harness.git(folder, 'push', '--quiet', 'origin', 'topic', 'topic:refs/tags/v1');
  await harness.git(folder, 'checkout', '--quiet', 'main');
  await harness.git(folder, 'mv', 'README.md', 'Readme.rst');
  await commit(folder, {}, 'Renamed');
  await harness.git(folder, 'push', '--quiet', 'origin', 'main');
  await harness.git(folder, 'rm', '--quiet', 'Readme.rst');
  await commit(folder, { 'guide.md': 'x\n' }, 'Gone');
  await harness.git(folder, 'push', '--quiet', 'origin', 'main');
  const found = await events(project.id);
  expect(found.map(({ body }) => `${body.refName} ${body.readmePath ?? ''}`)).toEqual([
    'main README.md',
    expect.stringMatching(/^(topic|v1) $/),
    expect.stringMatching(/^(topic|v1) $/),
    'main Readme.rst',
    'main ',
  ]);
});

test('the first push makes the default branch, protects it, and reports it to groups-admin when it is another one', async () => {
  const project = await harness.project();
  const folder = await repositoryWith({ a: 'a' });
  await harness.git(folder, 'branch', '-m', 'trunk');
  await harness.git(folder, 'push', '--quiet', harness.remote(people.developer, project.path), 'trunk');
  const { body } = await harness.api(people.maintainer, 'GET', `/projects/${project.id}/repository/branches`);
  expect(body).toMatchObject([{ name: 'trunk', default: true, protected: true, can_push: true }]);
  expect(harness.announced).toContainEqual([project.id, 'trunk']);
  const clone = harness.folder();
  await harness.git(clone, 'clone', '--quiet', harness.remote(people.developer, project.path), '.');
  expect((await harness.git(clone, 'branch', '--show-current')).trim()).toBe('trunk');
});

test('the first branch is pushed and protected as the group of the project says (G-4.15-5)', async () => {
  const protect = (protection: object | null) =>
    harness.db.query(
      sql`update directory.namespaces set default_branch_protection = ${
        protection === null ? null : JSON.stringify(protection)
      }::jsonb`,
    );
  const full = { pushAccessLevel: 40, mergeAccessLevel: 40, allowForcePush: false, developerCanInitialPush: false };
  const rules = (project: TestProject) =>
    harness.db.query(sql`select name, push_access_level as push, merge_access_level as merge, allow_force_push as force
      from protected_branches where project_id = ${project.id}`);
  const folder = await repositoryWith({ 'README.md': '# Hello\n' });
  const push = (person: Person, project: TestProject) =>
    harness.git(folder, 'push', '--quiet', harness.remote(person, project.path), 'main');
  try {
    await protect(full);
    const closed = await harness.project();
    const refusal = await harness.gitFails(folder, 'push', harness.remote(people.developer, closed.path), 'main');
    expect(refusal).toContain('not allowed to push the first branch');
    const commit = {
      branch: 'main',
      commit_message: 'm',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    };
    const at = `/projects/${closed.id}/repository`;
    expect((await harness.api(people.developer, 'POST', `${at}/commits`, commit)).status).toBe(403);
    const branch = { branch: 'other', ref: 'main' };
    expect((await harness.api(people.developer, 'POST', `${at}/branches`, branch)).status).toBe(403);
    await push(people.maintainer, closed);
    expect(await rules(closed)).toEqual([{ name: 'main', push: 40, merge: 40, force: false }]);

    await protect({ ...full, mergeAccessLevel: 30, allowForcePush: true, developerCanInitialPush: true });
    const once = await harness.project();
    await push(people.developer, once);
    expect(await rules(once)).toEqual([{ name: 'main', push: 40, merge: 30, force: true }]);
    const readme = await harness.project({ readme: true });
    await harness.api(people.maintainer, 'GET', `/projects/${readme.id}/repository/branches`);
    expect(await rules(readme)).toEqual([{ name: 'main', push: 40, merge: 30, force: true }]);

    await protect({ ...full, pushAccessLevel: 30, mergeAccessLevel: 30, allowForcePush: true });
    const open = await harness.project();
    await push(people.developer, open);
    expect(await rules(open)).toEqual([]);
  } finally {
    await protect(null);
  }
});

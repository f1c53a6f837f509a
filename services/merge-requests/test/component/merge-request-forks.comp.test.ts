import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { catchUpWithSource } from '../../src/merge-requests/application/follow-ref-changes';
import { forker, forkOf, relate } from './fork-steps';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

/** Merge requests whose source branch lies in a fork (ADR 39). */

let harness: Harness;
const steps = mergeRequestSteps(() => harness);
const { api, addMembers, commit, configure, checked, status } = steps;

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(async () => {
  await harness?.close();
});

/** A public project and a fork of it with a branch that is one commit ahead. */
async function forked(branch = 'fix'): Promise<{ target: TestProject; fork: TestProject; head: string }> {
  const target = await harness.project({ visibility: 'public' });
  await commit(target, 'main', { 'README.md': 'base\n' });
  const fork = await forkOf(harness, target);
  const head = await commit(fork, branch, { [`${branch}.txt`]: 'fix\n' }, { start: 'main', by: forker });
  return { target, fork, head };
}

const request = (target: TestProject, fork: TestProject, more: object = {}, by: Person = forker) =>
  api(by, 'POST', at(fork, '/merge_requests'), {
    source_branch: 'fix',
    target_branch: 'main',
    title: 'Fix it',
    target_project_id: target.id,
    ...more,
  });

async function open(target: TestProject, fork: TestProject, more: object = {}, by: Person = forker): Promise<Body> {
  const reply = await request(target, fork, more, by);
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body;
}

const read = async (target: TestProject, iid: number, by: Person = people.developer): Promise<Body> =>
  (await api(by, 'GET', mr(target, iid))).body;

/** Commit of a branch of a fork; undefined without one. */
async function headOf(project: TestProject, branch: string): Promise<string | undefined> {
  const reply = await api(forker, 'GET', at(project, `/repository/branches/${branch}`));
  return reply.status === 200 ? reply.body.commit.id : undefined;
}

test('opened on the source project it belongs to the target, and shows its commits and diff there (G-4.2-3)', async () => {
  const { target, fork, head } = await forked();
  const made = await open(target, fork);
  expect(made).toMatchObject({
    iid: 1,
    project_id: target.id,
    target_project_id: target.id,
    source_project_id: fork.id,
    sha: head,
    references: { short: '!1', full: `${target.path}!1` },
    allow_collaboration: false,
    allow_maintainer_to_push: false,
    changes_count: '1',
    user: { can_merge: false },
  });
  expect(made.web_url).toContain(`/${target.path}/-/merge_requests/1`);
  const commits = await api(people.reporter, 'GET', mr(target, 1, '/commits'));
  expect(commits.body.map(({ id }: Body) => id)).toEqual([head]);
  const diffs = await api(undefined, 'GET', mr(target, 1, '/diffs'));
  expect(diffs.body.map(({ new_path }: Body) => new_path)).toEqual(['fix.txt']);
  await checked(target, 1);
  expect((await api(forker, 'GET', at(fork, '/merge_requests'))).body).toEqual([]);
  const listed = await api(people.reporter, 'GET', `/merge_requests?scope=all&source_project_id=${fork.id}`);
  expect(listed.body.map(({ id }: Body) => id)).toEqual([made.id]);
  const folder = harness.folder();
  await harness.git(folder, 'init', '--quiet');
  await harness.git(folder, 'fetch', '--quiet', harness.remote(undefined, target.path), 'refs/merge-requests/1/head');
  expect((await harness.git(folder, 'rev-parse', 'FETCH_HEAD')).trim()).toBe(head);
});

test('refusals of G-4.2-4, each for what it is', async () => {
  const { target, fork } = await forked();
  const stranger = await harness.project({ visibility: 'public' });
  const hidden = await harness.project({ levels: { 2: 40 } });
  await configure(stranger, {});
  expect(await request(stranger, fork)).toMatchObject({
    status: 422,
    body: { message: ['Source project is not a fork of the target project'] },
  });
  expect(await request(hidden, fork)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
  expect(await request({ id: 987_654, path: '' }, fork)).toMatchObject({
    status: 404,
    body: { message: '404 Project Not Found' },
  });
  expect(await request(target, fork, { source_branch: 'none' })).toMatchObject({
    status: 400,
    body: { message: { source_branch: ['does not exist'] } },
  });
  expect(await request(target, fork, {}, people.developer)).toMatchObject({ status: 403 });
  await open(target, fork);
  expect(await request(target, fork)).toMatchObject({
    status: 409,
    body: { message: ['Another open merge request already exists for this source branch: !1'] },
  });
  // The same name on both sides is no refusal across projects, and a fork takes changes from where it comes from.
  await commit(fork, 'main', { 'main.txt': 'x\n' }, { by: forker });
  expect((await request(target, fork, { source_branch: 'main' })).status).toBe(201);
  await harness.db.query(sql`update directory.projects set merge_requests_enabled = false where id = ${target.id}`);
  expect(await request(target, fork, { title: 'Again' })).toMatchObject({
    status: 422,
    body: { message: ['Target project has disabled merge requests'] },
  });
});

test('a push to the fork moves it, a rewritten one too; a deleted branch closes it', async () => {
  const { target, fork } = await forked();
  await open(target, fork);
  const folder = harness.folder();
  await harness.git(folder, 'clone', '--quiet', harness.remote(forker, fork.path), 'work');
  const work = `${folder}/work`;
  await harness.git(work, 'checkout', '--quiet', 'fix');
  await harness.git(work, 'commit', '--quiet', '--allow-empty', '-m', 'More');
  const said = await harness.git(work, 'push', 'origin', 'fix');
  expect(said).toContain(`/${target.path}/-/merge_requests/1`);
  const second = (await harness.git(work, 'rev-parse', 'HEAD')).trim();
  await eventually(async () => expect((await read(target, 1)).sha).toBe(second));
  await harness.git(work, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'Other');
  await harness.git(work, 'push', '--quiet', '--force', 'origin', 'fix');
  const third = (await harness.git(work, 'rev-parse', 'HEAD')).trim();
  await eventually(async () => expect((await read(target, 1)).sha).toBe(third));
  expect((await api(people.reporter, 'GET', mr(target, 1, '/versions'))).body).toHaveLength(3);
  await harness.git(work, 'push', '--quiet', 'origin', ':fix');
  await eventually(async () => expect((await read(target, 1)).state).toBe('closed'));
  expect(await api(people.maintainer, 'PUT', mr(target, 1), { state_event: 'reopen' })).toMatchObject({ status: 400 });
  expect((await api(people.reporter, 'GET', mr(target, 1, '/commits'))).body).toHaveLength(2);
});

test('it merges into the target; the branch of the fork goes only with who may remove it', async () => {
  const { target, fork, head } = await forked();
  await open(target, fork);
  await checked(target, 1);
  const merged = await api(people.maintainer, 'PUT', mr(target, 1, '/merge'), { should_remove_source_branch: true });
  expect(merged).toMatchObject({ status: 200, body: { state: 'merged', sha: head } });
  expect(await headOf(fork, 'fix')).toBe(head);
  const again = await commit(fork, 'more', { 'more.txt': 'x\n' }, { start: 'fix', by: forker });
  await open(target, fork, { source_branch: 'more', remove_source_branch: true, squash: true });
  await checked(target, 2);
  await api(people.maintainer, 'PUT', mr(target, 2, '/merge'));
  expect(await read(target, 2)).toMatchObject({ state: 'merged', sha: again });
  // The author asked for it, and may push there.
  await eventually(async () => expect(await headOf(fork, 'more')).toBeUndefined());
});

test('a push of its commits to the target merges it', async () => {
  const { target, fork, head } = await forked();
  await open(target, fork);
  const folder = harness.folder();
  await harness.git(folder, 'clone', '--quiet', harness.remote(people.maintainer, target.path), 'work');
  await harness.git(`${folder}/work`, 'fetch', '--quiet', 'origin', 'refs/merge-requests/1/head');
  await harness.git(`${folder}/work`, 'push', '--quiet', 'origin', 'FETCH_HEAD:main');
  await eventually(async () => expect(await read(target, 1)).toMatchObject({ state: 'merged', sha: head }));
});

test('a rebase writes to the fork, for who may push there', async () => {
  const { target, fork, head } = await forked();
  await open(target, fork);
  const base = await commit(target, 'main', { 'other.txt': 'x\n' });
  expect((await api(people.maintainer, 'PUT', mr(target, 1, '/rebase'))).status).toBe(403);
  expect((await api(forker, 'PUT', mr(target, 1, '/rebase'))).status).toBe(202);
  const rebased = await eventually(async () => {
    const body = await read(target, 1);
    expect(body.sha).not.toBe(head);
    return body;
  });
  expect(await headOf(fork, 'fix')).toBe(rebased.sha);
  expect((await api(forker, 'GET', mr(target, 1, '/pipelines'))).body).toEqual([]);
  const [only] = (await api(people.reporter, 'GET', mr(target, 1, '/commits'))).body;
  expect(only.parent_ids).toEqual([base]);
});

describe('allow_collaboration', () => {
  const write = (project: TestProject, branch: string, by: Person) =>
    api(by, 'POST', at(project, '/repository/commits'), {
      branch,
      commit_message: 'Help',
      actions: [{ action: 'create', file_path: `${by.id}-${branch}.txt`, content: 'x\n' }],
    });

  test('lets those push who may merge it, to that branch and while it is open', async () => {
    const { target, fork } = await forked();
    await commit(fork, 'other', { 'other.txt': 'x\n' }, { start: 'main', by: forker });
    await open(target, fork);
    expect((await write(fork, 'fix', people.maintainer)).status).toBe(403);
    expect((await api(people.maintainer, 'PUT', mr(target, 1), { allow_collaboration: true })).status).toBe(403);
    const allowed = await api(forker, 'PUT', mr(target, 1), { allow_maintainer_to_push: true });
    expect(allowed.body).toMatchObject({ allow_collaboration: true, allow_maintainer_to_push: true });
    const helped = await write(fork, 'fix', people.maintainer);
    expect(helped.status).toBe(201);
    await eventually(async () => expect((await read(target, 1)).sha).toBe(helped.body.id));
    expect((await write(fork, 'other', people.maintainer)).status).toBe(403);
    expect((await write(fork, 'fix', people.developer)).status).toBe(403);
    const folder = harness.folder();
    await harness.git(folder, 'clone', '--quiet', harness.remote(people.maintainer, fork.path), 'work');
    const work = `${folder}/work`;
    await harness.git(work, 'checkout', '--quiet', 'fix');
    await harness.git(work, 'commit', '--quiet', '--allow-empty', '-m', 'By git');
    await harness.git(work, 'push', '--quiet', 'origin', 'fix');
    for (const refspec of ['+fix:other', 'fix:new', ':fix', 'fix:refs/tags/v9']) {
      expect(await harness.gitFails(work, 'push', 'origin', refspec)).toContain('not allowed');
    }
    const head = (await harness.git(work, 'rev-parse', 'HEAD')).trim();
    expect((await api(people.maintainer, 'PUT', mr(target, 1, '/rebase'))).status).toBe(202);
    await eventually(async () => expect((await read(target, 1)).sha).toBe(head));
    await api(people.maintainer, 'PUT', mr(target, 1), { state_event: 'close' });
    expect((await write(fork, 'fix', people.maintainer)).status).toBe(403);
    expect(await harness.gitFails(work, 'push', 'origin', 'fix:fix')).toContain('not allowed');
  });

  test('opens no protected branch, and no private fork', async () => {
    const { target, fork } = await forked();
    await open(target, fork, { allow_collaboration: true });
    const shown = async () => (await read(target, 1)).allow_collaboration;
    const listed = async () => (await api(people.reporter, 'GET', at(target, '/merge_requests'))).body;
    await api(forker, 'POST', at(fork, '/protected_branches'), { name: 'f*x' });
    expect((await write(fork, 'fix', people.maintainer)).status).toBe(403);
    expect([await shown(), await listed()]).toMatchObject([false, [{ allow_maintainer_to_push: false }]]);
    await api(forker, 'DELETE', at(fork, '/protected_branches/f*x'));
    // A rule of another branch, whose name a pattern of SQL would take for this one.
    await api(forker, 'POST', at(fork, '/protected_branches'), { name: 'fi_' });
    expect([await shown(), await listed()]).toMatchObject([true, [{ allow_maintainer_to_push: true }]]);
    const branches = async () => [...(await harness.beside.repositories.collaboratesOn(fork.id, people.maintainer.id))];
    expect(await branches()).toEqual(['fix']);
    for (const closed of [sql`visibility = 'private'`, sql`visibility = 'public', fork_network_id = null`]) {
      await harness.db.query(sql`update directory.projects set ${closed} where id = ${fork.id}`);
      expect(await branches()).toEqual([]);
    }
  });

  test('is not set where it can take no effect: protected branch, private side, own project', async () => {
    const { target, fork } = await forked();
    const allow = { allow_collaboration: true };
    const put = async (project: TestProject, by: Person) => (await api(by, 'PUT', mr(project, 1), allow)).status;
    const stored = async (project: TestProject) => {
      const rows = await harness.db.query<{ allowed: boolean }>(sql`
        select allow_collaboration as allowed from merge_requests where project_id = ${project.id}`);
      return rows.map(({ allowed }) => allowed);
    };
    await api(forker, 'POST', at(fork, '/protected_branches'), { name: 'fix' });
    expect(await open(target, fork, allow)).toMatchObject({ allow_collaboration: false });
    expect([await put(target, forker), await stored(target)]).toEqual([200, [false]]);
    await api(forker, 'DELETE', at(fork, '/protected_branches/fix'));
    for (const { id } of [fork, target]) {
      await harness.db.query(sql`update directory.projects set visibility = 'private' where id = ${id}`);
      expect(await put(target, id === target.id ? people.owner : forker)).toBeLessThan(404);
      expect(await stored(target)).toEqual([false]);
      await harness.db.query(sql`update directory.projects set visibility = 'public' where id = ${id}`);
    }
    expect([await put(target, forker), await stored(target)]).toEqual([200, [true]]);

    const own = await harness.project();
    await commit(own, 'main', { 'README.md': 'base\n' });
    await commit(own, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main' });
    await open(own, own, allow, people.developer);
    expect([await put(own, people.developer), await stored(own)]).toEqual([200, [false]]);
  });
});

test('pipelines of a private fork are shown to those who read its code', async () => {
  const { target, fork, head } = await forked();
  await open(target, fork);
  await status(fork, head, { state: 'success', ref: 'fix', name: 'build' }, forker);
  await harness.db.query(sql`update directory.projects set visibility = 'private' where id = ${fork.id}`);
  const own = await read(target, 1, forker);
  expect(own.head_pipeline).toMatchObject({ project_id: fork.id, status: 'success' });
  expect(own.head_pipeline.web_url).toContain(`/${fork.path}/`);
  const other = await api(people.developer, 'GET', mr(target, 1));
  expect(other.body).toMatchObject({ head_pipeline: null, pipeline: null, source_project_id: fork.id });
  expect(other.text).not.toContain(fork.path);
  expect((await api(people.developer, 'GET', mr(target, 1, '/pipelines'))).body).toEqual([]);
  const [shown] = (await api(forker, 'GET', mr(target, 1, '/pipelines'))).body;
  expect(shown.web_url).toContain(`/${fork.path}/`);
});

test('approvals: who committed in the fork may not approve, and a push there takes them back', async () => {
  const { target, fork } = await forked();
  await configure(target, { merge_requests_disable_committers_approval: true, reset_approvals_on_push: true });
  await open(target, fork, { allow_collaboration: true });
  await api(people.developer, 'POST', mr(target, 1, '/approve'));
  const by = { by: people.maintainer };
  const pushed = await commit(fork, 'fix', { 'dev.txt': 'x\n' }, by);
  await eventually(async () => expect((await read(target, 1)).sha).toBe(pushed));
  expect((await api(people.developer, 'GET', mr(target, 1, '/approvals'))).body.approved_by).toEqual([]);
  expect((await api(people.maintainer, 'POST', mr(target, 1, '/approve'))).status).toBe(401);
  expect((await api(people.owner, 'POST', mr(target, 1, '/approve'))).status).toBe(201);
});

test('a train takes it: tested in the target, landed, with its receipt', async () => {
  const { target, fork, head } = await forked();
  await configure(target, { merge_trains_enabled: true });
  await open(target, fork);
  await checked(target, 1);
  await status(fork, head, { state: 'success', ref: 'fix', name: 'build' }, forker);
  const boarded = await api(people.maintainer, 'POST', at(target, '/merge_trains/merge_requests/1'), {});
  expect(boarded.status).toBe(201);
  const pending = await eventually(async () => {
    const found = await api(
      people.maintainer,
      'GET',
      at(target, '/pipelines?source=merge_request_event&status=pending'),
    );
    expect(found.body).toHaveLength(1);
    return found.body[0];
  });
  expect(pending.ref).toBe('refs/merge-requests/1/train');
  await status(target, pending.sha, { state: 'success', name: 'build', pipeline_id: pending.id }, people.maintainer);
  await eventually(async () => expect((await read(target, 1)).state).toBe('merged'));
  expect(await steps.head(target, 'main')).toBe(pending.sha);
});

test('a push that came while it was being opened is taken up', async () => {
  const { target, fork, head } = await forked();
  const made = await open(target, fork);
  await checked(target, 1);
  await harness.db.query(sql`
    update merge_requests set source_sha = target_sha where project_id = ${target.id}`);
  await catchUpWithSource(harness.beside.mergeRequests.edges)(made.id, forker.id);
  expect((await read(target, 1)).sha).toBe(head);
});

test('archived: a fork still merges and takes no rebase, a target takes no new one', async () => {
  const { target, fork } = await forked();
  await open(target, fork);
  await checked(target, 1);
  const archive = (project: TestProject, archived: boolean) =>
    harness.db.query(sql`update directory.projects set archived = ${archived} where id = ${project.id}`);
  await archive(fork, true);
  expect((await api(forker, 'PUT', mr(target, 1, '/rebase'))).status).toBe(403);
  const merged = await api(people.maintainer, 'PUT', mr(target, 1, '/merge'), { should_remove_source_branch: true });
  expect(merged.body.state).toBe('merged');
  expect(await headOf(fork, 'fix')).toBeDefined();
  const { target: other, fork: theirs } = await forked();
  await archive(other, true);
  expect((await request(other, theirs)).status).toBe(403);
});

test('what was pushed while the target was marked for deletion is taken up once it is there again', async () => {
  const { target, fork, head } = await forked();
  await open(target, fork);
  const mark = (deleting: boolean) =>
    harness.db.query(sql`update directory.projects set deleting = ${deleting} where id = ${target.id}`);
  await mark(true);
  const later = await commit(fork, 'fix', { 'later.txt': 'x\n' }, { by: forker });
  await mark(false);
  expect((await read(target, 1)).sha).toBe(head);
  await harness.beside.jobs.requests.enqueue([{ kind: 'follow_sources', projectId: target.id, after: 0 }]);
  await eventually(async () => expect((await read(target, 1)).sha).toBe(later));
});

describe('a fork that goes', () => {
  const closeNow = () => harness.beside.mergeRequests.closeWithoutFork();

  test('unlinked: open ones are closed, and cannot be opened again', async () => {
    const { target, fork } = await forked();
    await open(target, fork);
    await harness.db.query(sql`
      update directory.projects set fork_network_id = null, forked_from_project_id = null where id = ${fork.id}`);
    await closeNow();
    expect(await read(target, 1)).toMatchObject({ state: 'closed', source_project_id: fork.id });
    expect(await api(people.maintainer, 'PUT', mr(target, 1), { state_event: 'reopen' })).toMatchObject({
      status: 422,
      body: { message: ['Source project is not a fork of the target project'] },
    });
    await relate(harness, target, fork);
    expect((await api(people.maintainer, 'PUT', mr(target, 1), { state_event: 'reopen' })).body.state).toBe('opened');
  });

  test('deleted: it is closed, can still be read, and is neither rebased nor opened again', async () => {
    const { target, fork, head } = await forked();
    await open(target, fork);
    await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${fork.id}`);
    await closeNow();
    await closeNow();
    expect(await read(target, 1)).toMatchObject({ state: 'closed', source_project_id: null, sha: head });
    expect((await api(people.reporter, 'GET', mr(target, 1, '/commits'))).body).toHaveLength(1);
    expect((await api(people.reporter, 'GET', mr(target, 1, '/diffs'))).body).toHaveLength(1);
    expect((await api(people.maintainer, 'PUT', mr(target, 1), { state_event: 'reopen' })).status).toBe(400);
    expect((await api(people.maintainer, 'PUT', mr(target, 1, '/rebase'))).status).toBe(403);
    expect((await api(people.maintainer, 'PUT', mr(target, 1, '/merge'))).status).toBe(405);
  });

  test('deleted: its car leaves the train', async () => {
    const { target, fork, head } = await forked();
    await configure(target, { merge_trains_enabled: true });
    const made = await open(target, fork);
    await checked(target, 1);
    await status(fork, head, { state: 'success', ref: 'fix', name: 'build' }, forker);
    await api(people.maintainer, 'POST', at(target, '/merge_trains/merge_requests/1'), {});
    await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${fork.id}`);
    await closeNow();
    expect((await read(target, 1)).state).toBe('closed');
    expect((await api(people.maintainer, 'GET', at(target, '/merge_trains?scope=active'))).body).toEqual([]);
    expect(await steps.events(made.id)).toContain('closed');
  });
});

test('nothing of the hidden refs of the target can be read in the fork', async () => {
  const { target, fork } = await forked();
  const secret = await commit(target, 'secret', { 'secret.txt': 'x\n' }, { start: 'main' });
  await api(people.developer, 'POST', at(target, '/merge_requests'), {
    source_branch: 'secret',
    target_branch: 'main',
    title: 'Secret',
  });
  await open(target, fork);
  expect((await api(forker, 'GET', at(fork, `/repository/commits/${secret}`))).status).toBe(404);
});

describe('push options from a fork', () => {
  async function push(fork: TestProject, branch: string, ...options: string[]): Promise<string> {
    const folder = harness.folder();
    await harness.git(folder, 'clone', '--quiet', harness.remote(forker, fork.path), 'work');
    const work = `${folder}/work`;
    await harness.git(work, 'checkout', '--quiet', '-b', branch);
    await harness.git(work, 'commit', '--quiet', '--allow-empty', '-m', `On ${branch}`);
    const given = ['merge_request.create', ...options].flatMap((option) => ['-o', option]);
    return harness.git(work, 'push', ...given, 'origin', branch);
  }

  test('open it in the project that was forked, or in the one that they name', async () => {
    const { target, fork } = await forked();
    expect(await push(fork, 'first')).toContain(`/${target.path}/-/merge_requests/1`);
    expect(await read(target, 1)).toMatchObject({ title: 'On first', source_project_id: fork.id });
    expect(await push(fork, 'second', `merge_request.target_project=${fork.path}`)).toContain(
      `/${fork.path}/-/merge_requests/1`,
    );
    await push(fork, 'third', `merge_request.target_project=${target.path}`, 'merge_request.title=Named');
    expect(await read(target, 2)).toMatchObject({ title: 'Named', source_branch: 'third' });
  });

  test('open it in the fork itself where that is its target', async () => {
    const { target, fork } = await forked();
    await harness.db.query(sql`update directory.projects set mr_default_target_self = true where id = ${fork.id}`);
    expect(await push(fork, 'first')).toContain(`/${fork.path}/-/merge_requests/1`);
    expect((await api(people.reporter, 'GET', at(target, '/merge_requests'))).body).toEqual([]);
  });

  test('tell why not, without a word about projects that the sender does not see', async () => {
    const { fork } = await forked();
    const hidden = await harness.project({ levels: { 2: 40 } });
    for (const path of ['no/such', `apart${hidden.id}/project${hidden.id}`]) {
      expect(await push(fork, `to-${path.length}`, `merge_request.target_project=${path}`)).toContain(
        'was refused: 404 Project Not Found',
      );
    }
    const stranger = await harness.project({ visibility: 'public' });
    expect(await push(fork, 'astray', `merge_request.target_project=${stranger.path}`)).toContain(
      'Source project is not a fork of the target project',
    );
  });
});

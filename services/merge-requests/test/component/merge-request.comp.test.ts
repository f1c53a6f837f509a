import { execFileSync } from 'node:child_process';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { gitEnvironment, type Harness, type Person, people, startHarness } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, events, head, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

describe('a merge request', () => {
  test('is opened with people, labels and a diff, found, changed, closed, reopened and deleted', async () => {
    const project = await newProject();
    const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main', message: 'One' });
    const opened = await open(project, 'feature', {
      title: 'Draft: A feature',
      description: '@user2 see this\n\n- [x] one\n- [ ] two\n\n`@user4`',
      assignee_ids: [people.maintainer.id],
      reviewer_ids: [people.owner.id, people.outsider.id],
      labels: 'bug,urgent',
      remove_source_branch: true,
    });
    expect(opened).toMatchObject({
      iid: 1,
      title: 'Draft: A feature',
      draft: true,
      state: 'opened',
      author: { id: 3, username: 'user3' },
      assignees: [{ id: 2 }],
      assignee: { id: 2 },
      reviewers: [{ id: 1 }],
      labels: ['bug', 'urgent'],
      sha,
      changes_count: '1',
      task_completion_status: { count: 2, completed_count: 1 },
      references: { short: '!1', relative: '!1', full: `${project.path}!1` },
      force_remove_source_branch: true,
      subscribed: true,
      user: { can_merge: false },
      diff_refs: { head_sha: sha },
    });
    const draft = await checked(project, 1);
    expect(draft.detailed_merge_status).toBe('draft_status');

    const updated = await api(people.developer, 'PUT', mr(project, 1), {
      title: 'A feature',
      add_labels: 'new',
      remove_labels: 'bug',
      assignee_ids: [people.owner.id],
    });
    expect(updated.body).toMatchObject({
      title: 'A feature',
      draft: false,
      labels: ['new', 'urgent'],
      assignee: { id: 1 },
    });
    expect((await api(people.outsider, 'PUT', mr(project, 1), { title: 'x' })).status).toBe(404);
    expect((await api(people.reporter, 'PUT', mr(project, 1), { title: 'x' })).status).toBe(403);
    expect((await api(people.developer, 'PUT', mr(project, 1), {})).body.error).toMatch(/at least one parameter/);
    expect(await api(people.developer, 'PUT', mr(project, 1), { title: 'x'.repeat(256) })).toMatchObject({
      status: 400,
      body: { message: { title: ['is too long (maximum is 255 characters)'] } },
    });

    for (const [path, check] of [
      ['/commits', (rows: Body) => expect(rows).toMatchObject([{ id: sha, title: 'One' }])],
      ['/diffs', (rows: Body) => expect(rows).toMatchObject([{ new_path: 'one.txt', new_file: true }])],
      ['/participants', (rows: Body) => expect(rows.map((row: Body) => row.id).sort()).toEqual([1, 2, 3])],
      ['/reviewers', (rows: Body) => expect(rows).toMatchObject([{ user: { id: 1 }, state: 'unreviewed' }])],
      ['/versions', (rows: Body) => expect(rows).toMatchObject([{ head_commit_sha: sha, real_size: '1' }])],
    ] as const) {
      const reply = await api(people.reporter, 'GET', mr(project, 1, path));
      expect(reply.status).toBe(200);
      check(reply.body);
    }
    const versions = await api(people.reporter, 'GET', mr(project, 1, '/versions'));
    expect((await api(people.reporter, 'GET', mr(project, 1, `/versions/${versions.body[0].id}`))).body).toMatchObject({
      commits: [{ id: sha }],
      diffs: [{ new_path: 'one.txt' }],
    });
    expect((await api(people.reporter, 'GET', mr(project, 1, '/changes'))).body).toMatchObject({
      changes: [{ new_path: 'one.txt' }],
      overflow: false,
    });

    const subscribe = (verb: string) => api(people.reporter, 'POST', mr(project, 1, `/${verb}`));
    expect((await subscribe('unsubscribe')).status).toBe(304);
    expect(await subscribe('subscribe')).toMatchObject({ status: 201, body: { subscribed: true } });
    expect((await subscribe('subscribe')).status).toBe(304);
    expect(await subscribe('unsubscribe')).toMatchObject({ status: 201, body: { subscribed: false } });

    const closed = await api(people.developer, 'PUT', mr(project, 1), { state_event: 'close' });
    expect(closed.body).toMatchObject({ state: 'closed', closed_by: { id: 3 }, detailed_merge_status: 'not_open' });
    const again = await open(project, 'feature');
    expect(again.iid).toBe(2);
    expect(await api(people.developer, 'PUT', mr(project, 1), { state_event: 'reopen' })).toMatchObject({
      status: 409,
      body: { message: ['Another open merge request already exists for this source branch: !2'] },
    });
    expect((await api(people.developer, 'DELETE', mr(project, 2))).status).toBe(403);
    expect((await api(people.owner, 'DELETE', mr(project, 2))).status).toBe(204);
    expect((await api(people.owner, 'GET', mr(project, 2))).status).toBe(404);
    expect((await api(people.developer, 'PUT', mr(project, 1), { state_event: 'reopen' })).body.state).toBe('opened');
    expect(await events(opened.id)).toEqual(['created', 'updated', 'closed', 'reopened']);
  });

  test('is refused as the API says', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const create = (body: object, by: Person = people.developer) =>
      api(by, 'POST', at(project, '/merge_requests'), body);
    const whole = { source_branch: 'feature', target_branch: 'main', title: 'A' };
    expect(await create({})).toMatchObject({
      status: 400,
      body: { error: 'source_branch is missing, target_branch is missing, title is missing' },
    });
    expect(await create({ ...whole, source_branch: 'main' })).toMatchObject({
      status: 422,
      body: { message: ["You can't use same project/branch for source and target"] },
    });
    expect((await create({ ...whole, source_branch: 'nowhere' })).status).toBe(400);
    expect((await create(whole, people.reporter)).status).toBe(403);
    const replies = await Promise.all([create(whole), create(whole)]);
    expect(replies.map(({ status: code }) => code).sort()).toEqual([201, 409]);
    expect(replies.find((reply) => reply.status === 409)?.body).toEqual({
      message: ['Another open merge request already exists for this source branch: !1'],
    });
    expect(await create({ ...whole, target_project_id: project.id + 1000 })).toMatchObject({ status: 404 });
  });

  test('has its time estimated and spent, by users who may edit it', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const opened = await open(project, 'feature');
    const none = { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null };
    expect(opened.time_stats).toEqual(none);
    const track = (path: string, duration?: string, by: Person = people.developer) =>
      api(by, 'POST', mr(project, 1, `/${path}`), { duration });
    const stats = async () => (await api(people.reporter, 'GET', mr(project, 1, '/time_stats'))).body;

    expect(await track('time_estimate', '3h30m')).toMatchObject({
      status: 200,
      body: { ...none, time_estimate: 12_600, human_time_estimate: '3h 30m' },
    });
    const spent = await Promise.all([track('add_spent_time', '1h'), track('add_spent_time', '30m')]);
    expect(spent.map((reply) => reply.status)).toEqual([201, 201]);
    expect(await track('add_spent_time', '-15m', people.maintainer)).toMatchObject({
      status: 201,
      body: { total_time_spent: 4_500, human_total_time_spent: '1h 15m' },
    });
    for (const [path, duration, message] of [
      ['time_estimate', 'soon', { time_estimate: ['must have a valid format and be greater than or equal to zero.'] }],
      ['time_estimate', '-1h', { time_estimate: ['must have a valid format and be greater than or equal to zero.'] }],
      ['add_spent_time', 'soon', { time_spent: ["can't be blank"] }],
      ['add_spent_time', '-2h', { base: ['Time to subtract exceeds the total time spent'] }],
      ['add_spent_time', '2147483647s', { base: ['Total time spent exceeds the maximum'] }],
    ] as const) {
      expect(await track(path, duration)).toMatchObject({ status: 400, body: { message } });
    }
    expect((await track('time_estimate', '1h', people.reporter)).status).toBe(403);
    expect((await track('time_estimate', '1h', people.outsider)).status).toBe(404);
    expect((await api(people.developer, 'POST', mr(project, 9, '/reset_spent_time'))).status).toBe(404);
    const found = await stats();
    expect((await api(people.developer, 'GET', mr(project, 1))).body.time_stats).toEqual(found);
    expect((await api(people.developer, 'GET', at(project, '/merge_requests'))).body[0].time_stats).toEqual(found);
    expect(await track('reset_time_estimate')).toMatchObject({ status: 200, body: { time_estimate: 0 } });
    expect(await track('reset_spent_time')).toMatchObject({ status: 200, body: none });
    expect((await track('reset_spent_time')).status).toBe(200);
    expect(await stats()).toEqual(none);
    const [last] = await harness.db.query<{ body: Body }>(
      sql`select body from events.outbox where type = 'merge_request.changed' order by id desc limit 1`,
    );
    expect(last?.body.updated).toMatchObject({
      changedFields: ['time_spent'],
      timeChanges: [{ field: 'time_spent', old: 4_500 }],
    });
    expect(await events(opened.id)).toEqual(['created', ...Array(6).fill('updated')]);
  });

  test('lists the time spent by entries, which leave it when they are deleted (G-4.2-1)', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { id } = await open(project, 'feature');
    const spend = (duration: string, summary?: string, by: Person = people.developer) =>
      api(by, 'POST', mr(project, 1, '/add_spent_time'), { duration, summary });
    const list = async () => (await api(people.reporter, 'GET', mr(project, 1, '/timelogs'))).body;
    const remove = async (timelog: number, by: Person) =>
      (await api(by, 'DELETE', mr(project, 1, `/timelogs/${timelog}`))).status;
    const total = async () => (await api(people.reporter, 'GET', mr(project, 1, '/time_stats'))).body.total_time_spent;
    await spend('1h', 'Review');
    await spend('30m', undefined, people.maintainer);
    await api(people.developer, 'PUT', mr(project, 1), { description: 'Text\n/spend 15m 2026-01-03' });
    const logs = await list();
    expect(logs).toMatchObject([
      { time_spent: 1_800, summary: null },
      { time_spent: 3_600, summary: 'Review' },
      { time_spent: 900, summary: null, spent_at: '2026-01-03T00:00:00.000Z' },
    ]);
    expect(await spend('1h', 'x'.repeat(256))).toMatchObject({
      status: 400,
      body: { message: { summary: ['is too long (maximum is 255 characters)'] } },
    });
    expect(await remove(logs[0].id, people.developer)).toBe(403);
    expect(await remove(logs[0].id, people.outsider)).toBe(404);
    expect((await Promise.all([1, 2].map(() => remove(logs[1].id, people.developer)))).sort()).toEqual([204, 404]);
    expect(await total()).toBe(2_700);
    expect(await remove(logs[2].id, people.maintainer)).toBe(204);
    await api(people.developer, 'POST', mr(project, 1, '/reset_spent_time'));
    expect((await list()).map((log: Body) => log.time_spent)).toEqual([-1_800, 1_800]);
    expect(await remove(logs[0].id, people.maintainer)).toBe(400);
    const [sum] = await harness.db.query<{ right: boolean }>(sql`
      select mr.total_time_spent = sum(t.time_spent) as right from merge_requests mr join timelogs t on t.merge_request_id = mr.id
      where mr.id = ${id} group by mr.id`);
    expect(sum).toEqual({ right: true });
  });
});

describe('merging', () => {
  test('by merge commit, removing the source branch; others are rechecked', async () => {
    const project = await newProject();
    const before = await head(project, 'main');
    const source = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    await commit(project, 'clash', { 'one.txt': 'another\n' }, { start: 'main' });
    const opened = await open(project, 'feature');
    const clash = await open(project, 'clash');
    await checked(project, 1);
    await checked(project, 2);
    expect((await api(people.developer, 'PUT', mr(project, 1, '/merge'))).status).toBe(401);
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'), { sha: '0'.repeat(40) })).body.message).toBe(
      `SHA does not match HEAD of source branch: ${source}`,
    );
    const merged = await api(people.maintainer, 'PUT', mr(project, 1, '/merge'), { should_remove_source_branch: true });
    expect(merged).toMatchObject({
      status: 200,
      body: {
        state: 'merged',
        merge_user: { id: 2 },
        merged_by: { id: 2 },
        merge_error: null,
        squash_commit_sha: null,
      },
    });
    expect(merged.body.merge_commit_sha).toBe(await head(project, 'main'));
    expect(await head(project, 'feature')).toBeUndefined();
    const { body } = await api(
      people.reporter,
      'GET',
      at(project, `/repository/commits/${merged.body.merge_commit_sha}`),
    );
    expect(body.parent_ids).toEqual([before, source]);
    expect(body.message).toBe(
      `Merge branch 'feature' into 'main'\n\nMerge feature\n\nSee merge request ${project.path}!1\n`,
    );
    expect(await events(opened.id)).toEqual(['created', 'merged']);
    const conflict = await checked(project, 2, 'cannot_be_merged');
    expect(conflict).toMatchObject({ has_conflicts: true, detailed_merge_status: 'conflict' });
    expect(await events(clash.id)).toEqual(['created', 'becameUnmergeable']);
    expect(await api(people.maintainer, 'PUT', mr(project, 2, '/merge'))).toMatchObject({
      status: 422,
      body: { message: 'Branch cannot be merged' },
    });
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'))).status).toBe(405);
  });

  test('fast-forward needs a rebase, and squashes on request', async () => {
    const project = await newProject({ merge_method: 'ff' });
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main', message: 'One' });
    await commit(project, 'feature', { 'two.txt': 'two\n' }, { message: 'Two' });
    await commit(project, 'main', { 'main.txt': 'main\n' });
    await open(project, 'feature');
    expect((await checked(project, 1)).detailed_merge_status).toBe('need_rebase');
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'))).status).toBe(422);
    const skipping = { skip_ci: true };
    expect(await api(people.developer, 'PUT', mr(project, 1, '/rebase'), skipping)).toMatchObject({
      status: 202,
      body: { rebase_in_progress: true },
    });
    await eventually(async () => {
      const { body } = await api(people.developer, 'GET', `${mr(project, 1)}?include_rebase_in_progress=true`);
      expect(body).toMatchObject({ rebase_in_progress: false, detailed_merge_status: 'mergeable', merge_error: null });
      expect(body.head_pipeline).toMatchObject({ status: 'skipped', source: 'push', sha: body.sha });
    });
    const target = await head(project, 'main');
    const merged = await api(people.maintainer, 'PUT', mr(project, 1, '/merge'), {
      squash: true,
      squash_commit_message: 'Both',
    });
    const shown = { state: 'merged', merge_commit_sha: null, squash: true, squash_on_merge: true };
    expect(merged).toMatchObject({ status: 200, body: shown });
    expect((await api(people.reporter, 'GET', mr(project, 1))).body).toMatchObject(shown);
    const now = await head(project, 'main');
    expect(merged.body.squash_commit_sha).toBe(now);
    const { body } = await api(people.reporter, 'GET', at(project, `/repository/commits/${now}`));
    expect(body).toMatchObject({
      parent_ids: [target],
      message: 'Both\n',
      author_name: 'User 3',
      committer_name: 'User 2',
    });
  });

  test('rebase_merge makes a merge commit on a source that holds the target', async () => {
    const project = await newProject({ merge_method: 'rebase_merge', squash_option: 'always' });
    const base = await head(project, 'main');
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main', message: 'One' });
    await commit(project, 'feature', { 'two.txt': 'two\n' }, { message: 'Two' });
    await open(project, 'feature');
    await checked(project, 1);
    const merged = await api(people.maintainer, 'PUT', mr(project, 1, '/merge'));
    expect(merged).toMatchObject({ status: 200, body: { state: 'merged', squash_on_merge: true } });
    const { body } = await api(
      people.reporter,
      'GET',
      at(project, `/repository/commits/${await head(project, 'main')}`),
    );
    expect(body.parent_ids).toEqual([base, merged.body.squash_commit_sha]);
  });

  test('five merges into one branch at once all land', async () => {
    const project = await newProject();
    const iids = [1, 2, 3, 4, 5];
    for (const iid of iids) {
      await commit(project, `b${iid}`, { [`${iid}.txt`]: 'x' }, { start: 'main' });
      await open(project, `b${iid}`);
    }
    const replies = await Promise.all(iids.map((iid) => api(people.maintainer, 'PUT', mr(project, iid, '/merge'))));
    expect(replies.map(({ status: code, body }) => [code, body.state])).toEqual(iids.map(() => [200, 'merged']));
    const tree = await api(people.reporter, 'GET', at(project, '/repository/tree?ref=main'));
    expect(tree.body.map((entry: Body) => entry.name)).toEqual([
      '1.txt',
      '2.txt',
      '3.txt',
      '4.txt',
      '5.txt',
      'README.md',
    ]);
    const merges = await api(
      people.reporter,
      'GET',
      at(project, '/repository/commits?ref_name=main&first_parent=true'),
    );
    expect(merges.body).toHaveLength(6);
  });

  test('the same merge asked for twice at once happens once', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const opened = await open(project, 'feature');
    const replies = await Promise.all([1, 2, 3].map(() => api(people.maintainer, 'PUT', mr(project, 1, '/merge'))));
    const codes = replies.map(({ status: code }) => code);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code !== 200).every((code) => code === 405 || code === 422)).toBe(true);
    expect((await events(opened.id)).filter((fact) => fact === 'merged')).toHaveLength(1);
  });

  test('the target of one that is being merged, or is, stays', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    await api(people.maintainer, 'POST', at(project, '/repository/branches?branch=other&ref=main'));
    const { id } = await open(project, 'feature');
    const retarget = () => api(people.developer, 'PUT', mr(project, 1), { target_branch: 'other', title: 'Renamed' });
    await harness.db.query(sql`update merge_requests set state = 'locked' where id = ${id}`);
    expect((await retarget()).status).toBe(409);
    await harness.db.query(sql`update merge_requests set state = 'opened' where id = ${id}`);
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'))).status).toBe(200);
    expect((await retarget()).body).toMatchObject({ state: 'merged', target_branch: 'main', title: 'Renamed' });
  });

  test('a right to merge into one branch is none to merge into another one retargeted to in the meantime', async () => {
    const project = await newProject();
    await api(people.maintainer, 'POST', at(project, '/repository/branches?branch=dev&ref=main'));
    for (const iid of [1, 2, 3, 4]) {
      await commit(project, `b${iid}`, { [`${iid}.txt`]: 'x' }, { start: 'main', by: people.developer });
      await open(project, `b${iid}`, { target_branch: 'dev' });
      await Promise.all([
        api(people.developer, 'PUT', mr(project, iid, '/merge')),
        api(people.developer, 'PUT', mr(project, iid), { target_branch: 'main' }),
      ]);
    }
    const { body } = await api(people.developer, 'GET', at(project, '/repository/tree?ref=main'));
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['README.md']);
  });

  test('a rebase that conflicts says so', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    await commit(project, 'main', { 'one.txt': 'another\n' });
    await open(project, 'feature');
    await api(people.developer, 'PUT', mr(project, 1, '/rebase'));
    await eventually(async () => {
      const { body } = await api(people.developer, 'GET', `${mr(project, 1)}?include_rebase_in_progress=true`);
      expect(body).toMatchObject({
        rebase_in_progress: false,
        merge_error: 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.',
      });
    });
  });
});

describe('pushes', () => {
  test('move the head, reset mergeability, take auto-merge back; a landed branch is merged, a removed one closes', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const opened = await open(project, 'feature');
    const second = await commit(project, 'feature', { 'two.txt': 'two\n' });
    expect(await checked(project, 1)).toMatchObject({ sha: second, changes_count: '2' });
    const folder = harness.folder();
    await harness.git(folder, 'clone', '-q', harness.remote(people.maintainer, project.path), 'work');
    const work = `${folder}/work`;
    await harness.git(work, 'merge', '-q', '--no-ff', '-m', 'By hand', 'origin/feature');
    await harness.git(work, 'push', '-q', 'origin', 'main');
    const { body } = await api(people.developer, 'GET', mr(project, 1));
    expect(body).toMatchObject({ state: 'merged', merge_user: { id: 2 } });
    expect(await events(opened.id)).toEqual(['created', 'acted', 'merged']);
    const [found] = await harness.db.query<{ push: unknown }>(
      sql`select body -> 'acted' -> 'push' as push from events.outbox where event_id like ${`merge_request.acted:${opened.id}:pushed%`}`,
    );
    expect(found?.push).toEqual({ oldSha: opened.sha, newSha: second, commits: 1 });

    await commit(project, 'gone', { 'gone.txt': 'gone\n' }, { start: 'main' });
    await open(project, 'gone');
    await api(people.developer, 'DELETE', at(project, '/repository/branches/gone'));
    expect((await api(people.developer, 'GET', mr(project, 2))).body).toMatchObject({ state: 'closed' });
  });

  test('200 open merge requests are rechecked within a second of a push', async () => {
    const project = await newProject();
    const folder = harness.folder();
    await harness.git(folder, 'clone', '-q', harness.remote(people.maintainer, project.path), 'work');
    const work = `${folder}/work`;
    const sha = await head(project, 'main');
    const branches = Array.from({ length: 200 }, (_, at) => {
      const name = `branch-${at}`;
      return `commit refs/heads/${name}\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata ${name.length}\n${name}\nfrom ${sha}\n\n`;
    });
    execFileSync('git', ['fast-import', '--quiet'], { cwd: work, env: gitEnvironment, input: branches.join('') });
    await harness.git(work, 'push', '-q', 'origin', '--all');
    const made = await harness.git(
      work,
      'for-each-ref',
      '--format=%(refname:short) %(objectname)',
      'refs/heads/branch-*',
    );
    const refs = made
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    await harness.db.query(sql`
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, source_sha, target_sha)
      select row_number() over (), ${project.id}, ${project.id}, name, 'main', 3, name, sha, ${sha ?? null}
      from unnest(${refs.map(([name]) => name)}::text[], ${refs.map(([, commit]) => commit)}::text[]) as given (name, sha)`);
    const pushed = await commit(project, 'main', { 'new.txt': 'new\n' });
    const started = Date.now();
    await eventually(
      async () => {
        const [row] = await harness.db.query<{ count: number }>(sql`
          select count(*) as count from merge_requests where project_id = ${project.id} and merge_status = 'can_be_merged'
            and target_sha = ${pushed} and needs_rebase`);
        expect(row?.count).toBe(200);
      },
      { within: 5_000 },
    );
    expect(Date.now() - started).toBeLessThan(process.env.CI ? 5_000 : 2_500);
  });
});

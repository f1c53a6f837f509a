import { sql } from '@switchyard/database/sql';
import { TimeTracking_Kind } from '@switchyard/protos/rpc/v1/time_tracking';
import { type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness } from './repository-harness';

let harness: Harness;
const { addMembers, api, checked, commit, events, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

describe('a merge request', () => {
  test('carries out the commands in its description, as part of the request that writes it', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    await commit(project, 'other', { 'two.txt': 'two\n' }, { start: 'main' });
    const before = await open(project, 'other', { labels: 'bug,urgent,late' });
    await harness.db.query(sql`
      insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
      values (71, 1, ${project.id}, 'next one', 'active', now(), now())`);
    const commands =
      '/draft\n/milestone %"next one"\n/label ~bug ~urgent\n/unlabel ~late\n/assign @user2 me\n/lock\n/estimate 2h\n/spend 1h';
    const opened = await open(project, 'feature', {
      labels: 'late',
      description: `What it does\n${commands}\n/close\n/todo\n\`\`\`\n/ready\n\`\`\``,
    });
    expect(opened).toMatchObject({
      title: 'Draft: Merge feature',
      draft: true,
      state: 'opened',
      description: 'What it does\n/close\n/todo\n```\n/ready\n```',
      labels: ['bug', 'urgent'],
      assignees: [{ id: 2 }, { id: 3 }],
      discussion_locked: true,
      milestone: { id: 71 },
      time_stats: { time_estimate: 7_200, total_time_spent: 3_600 },
    });
    const { body: edited } = await api(people.developer, 'PUT', mr(project, opened.iid), {
      description:
        'Less\n/ready\n/title Better\n/relabel ~late\n/unassign @user2\n/unlock\n/remove_estimate\n/remove_milestone\n/spend 30m\n/due today',
    });
    expect(edited).toMatchObject({
      title: 'Better',
      draft: false,
      description: 'Less\n/due today',
      labels: ['late'],
      assignees: [{ id: 3 }],
      discussion_locked: false,
      milestone: null,
      time_stats: { time_estimate: 0, total_time_spent: 5_400 },
    });
    expect((await api(people.developer, 'PUT', mr(project, opened.iid), { description: '/close' })).body).toMatchObject(
      {
        description: null,
        state: 'closed',
      },
    );
    expect(await events(opened.id)).toEqual(['created', 'updated', 'updated', 'closed']);
    expect((await api(people.reporter, 'PUT', mr(project, before.iid), { description: '/close' })).status).toBe(403);
  });

  test('adds people while others are added at the same time', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { iid } = await open(project, 'feature', { description: '/assign @user6\n/unassign @user6' });
    const members = [people.owner, people.maintainer, people.developer];
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        members.map(async (person) => {
          const reply = await api(person, 'PUT', mr(project, iid), { description: '/assign me' });
          expect(reply.status).toBe(200);
        }),
      );
      const { body } = await api(people.reporter, 'GET', mr(project, iid));
      expect(body.assignees.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2, 3]);
      const emptied = await api(people.developer, 'PUT', mr(project, iid), { description: '/unassign' });
      expect(emptied.body.assignees).toEqual([]);
    }
    const key = { projectId: project.id, iid };
    await harness.command(people.developer, { ...key, addAssigneeIds: [people.reporter.id, people.owner.id] });
    await harness.command(people.developer, { ...key, removeAssigneeIds: [people.reporter.id] });
    expect((await api(people.reporter, 'GET', mr(project, iid))).body.assignees).toMatchObject([{ id: 1 }]);
    await expect(
      harness.command(people.developer, { ...key, addAssigneeIds: [people.outsider.id] }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('says what became of its state, labels and milestone', async () => {
    const project = await newProject();
    await harness.db.query(sql`
      insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
      values (901, 1, ${project.id}, 'First', 'active', now(), now())`);
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { iid, id } = await open(project, 'feature', { labels: 'come,stay', milestone_id: 901 });
    await api(people.maintainer, 'PUT', mr(project, iid), { labels: 'stay,late', milestone_id: 0 });
    await api(people.maintainer, 'PUT', mr(project, iid), { title: 'Renamed', labels: 'stay,late' });
    for (const state_event of ['close', 'reopen'])
      await api(people.developer, 'PUT', mr(project, iid), { state_event });
    await checked(project, iid);
    await api(people.maintainer, 'PUT', mr(project, iid, '/merge'));
    const list = async (kind: string) =>
      (await api(people.reporter, 'GET', mr(project, iid, `/resource_${kind}_events`))).body;
    const of = (found: Body[]) =>
      found.map((one) => [one.user?.id, one.action ?? one.state, one.label?.name ?? one.milestone?.title ?? '']);
    const states = await list('state');
    expect(states[0]).toMatchObject({ resource_type: 'MergeRequest', resource_id: id });
    expect(of(states)).toEqual([
      [people.developer.id, 'closed', ''],
      [people.developer.id, 'reopened', ''],
      [people.maintainer.id, 'merged', ''],
    ]);
    const labels = await list('label');
    expect(of(labels)).toEqual(
      expect.arrayContaining([
        [people.developer.id, 'add', 'come'],
        [people.developer.id, 'add', 'stay'],
        [people.maintainer.id, 'add', 'late'],
        [people.maintainer.id, 'remove', 'come'],
      ]),
    );
    expect(labels).toHaveLength(4);
    const milestones = await list('milestone');
    expect(of(milestones)).toEqual([
      [people.developer.id, 'add', 'First'],
      [people.maintainer.id, 'remove', 'First'],
    ]);
    const one = mr(project, iid, `/resource_label_events/${labels[0].id}`);
    expect((await api(people.reporter, 'GET', one)).body).toEqual(labels[0]);
    const wrong = mr(project, iid, `/resource_state_events/${labels[0].id}`);
    expect((await api(people.reporter, 'GET', wrong)).status).toBe(404);
    expect((await api(people.reporter, 'GET', mr(project, 99, '/resource_label_events'))).status).toBe(404);
    await harness.db.query(sql`update directory.milestones set deleted_at = now() where id = 901`);
    expect((await list('milestone'))[0]).toMatchObject({ milestone: null });
  });

  test('takes the list of assignees where a single one is sent as well', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const both = { assignee_id: people.owner.id, assignee_ids: [people.maintainer.id] };
    const { iid, assignees } = await open(project, 'feature', both);
    expect(assignees).toMatchObject([{ id: people.maintainer.id }]);
    const changed = await api(people.developer, 'PUT', mr(project, iid), { ...both, assignee_ids: [] });
    expect([changed.status, changed.body.assignees]).toEqual([200, []]);
  });

  test('refuses commands that cannot come true, where the same wish of an edit is passed over', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { iid } = await open(project, 'feature');
    const key = { projectId: project.id, iid };
    const outsiders = { ids: [people.outsider.id, people.owner.id] };
    await expect(harness.command(people.developer, { ...key, assigneeIds: outsiders })).rejects.toMatchObject({
      kind: 'forbidden',
    });
    const edited = await api(people.developer, 'PUT', mr(project, iid), { assignee_ids: outsiders.ids });
    expect(edited.body).toMatchObject({ assignees: [{ id: people.owner.id }] });
    await harness.command(people.developer, { ...key, stateEvent: 'close' });
    await harness.command(people.developer, { ...key, stateEvent: 'close' });
    await harness.command(people.developer, { ...key, stateEvent: 'reopen' });
    await checked(project, iid);
    expect((await api(people.maintainer, 'PUT', mr(project, iid, '/merge'))).status).toBe(200);
    for (const stateEvent of ['close', 'reopen']) {
      await expect(harness.command(people.maintainer, { ...key, stateEvent })).rejects.toMatchObject({
        kind: 'conflict',
      });
      const edit = { title: 'Another', state_event: stateEvent };
      expect(await api(people.maintainer, 'PUT', mr(project, iid), edit)).toMatchObject({
        status: 409,
        body: { message: '409 Conflict: the merge request has been merged' },
      });
      const described = { description: `After\n/${stateEvent}` };
      expect((await api(people.maintainer, 'PUT', mr(project, iid), described)).body).toMatchObject({
        state: 'merged',
        title: 'Merge feature',
        description: 'After',
      });
    }
  });
});

test('a command that tracks time is done once for its cause, and its entry names the note', async () => {
  const project = await newProject();
  await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
  const { iid } = await open(project, 'feature');
  const spend = (cause: string, duration = '1h') =>
    harness.track(people.developer, {
      projectId: project.id,
      iid,
      cause,
      tracking: { kind: TimeTracking_Kind.KIND_SPEND, duration, noteId: 7 },
    });
  await Promise.all([spend('draft:1'), spend('draft:1'), spend('draft:1')]);
  await expect(spend('draft:2', 'soon')).rejects.toMatchObject({ kind: 'invalid' });
  await spend('draft:2');
  await Promise.all([spend(''), spend('')]);
  const logs = (await api(people.reporter, 'GET', mr(project, iid, '/timelogs'))).body;
  expect(logs.map((log: Body) => [log.time_spent, log.note_id])).toEqual(Array(4).fill([3_600, 7]));
  const stats = (await api(people.reporter, 'GET', mr(project, iid, '/time_stats'))).body;
  expect(stats.total_time_spent).toBe(4 * 3_600);
});

import { sql } from '@switchyard/database/sql';
import {
  alertEventId,
  alertEvents,
  issueEvents,
  membershipEvents,
  noteEvents,
  repositoryPushed,
} from '@switchyard/events';
import { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { MemberRemoved_Reason, MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { MergeRequestActed_Kind } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import { eventually } from '@switchyard/testkit';
import { rebuildActivity } from '../../src/activity/rebuild-activity';
import { commands } from '../../src/commands';
import { rebuildTodos } from '../../src/todos/rebuild-todos';
import {
  created,
  type Installation,
  mentions,
  type StoredTarget,
  startInstallation,
  updated,
} from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let project: DirectoryProject;

/** Everything but ids. */
const feed = () =>
  here.db.query(sql`
    select cause, project_id, author_id, action, target_type, target_id, target_iid, target_title, subject_type, subject_id,
      push_data::text as push_data, imported, created_at from activity_events order by created_at, cause`);
const todos = () =>
  here.db.query(sql`
    select user_id, author_id, action, project_id, target_type, target_id, target_iid, note_id, cause, body, state, created_at
    from todos order by created_at, user_id, action, cause`);
const ids = async (table: 'activity_events' | 'todos') =>
  (
    await here.db.query<{ id: number }>(
      table === 'todos' ? sql`select id from todos` : sql`select id from activity_events`,
    )
  )
    .map(({ id }) => id)
    .sort((a, b) => a - b);

let timestamp = Date.now() - 100_000;
const next = (): Date => {
  timestamp += 1_000;
  return new Date(timestamp);
};

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  directory.user({ username: 'alert-bot', bot: true, kind: 'alert_bot' });
  const group = directory.namespace();
  project = directory.project(group.id);
  ada = directory.user({ username: 'ada' });
  bob = directory.user({ username: 'bob' });
  directory.member(ada.id, { namespaceId: group.id }, 40);
  directory.member(bob.id, { namespaceId: group.id }, 30);
  await here.startHere();

  // Notes and issues exist before their events, as in production.
  const [issue] = await here.db.query<{ id: number }>(sql`
    insert into issues (iid, project_id, author_id, title) values (3, ${project.id}, ${ada.id}, 'Broken') returning id`);
  const [noteable] = await here.db.query<{ id: number }>(sql`
    insert into noteables (kind, project_id, target_id) values ('Issue', ${project.id}, ${issue?.id}) returning id`);
  const noteIds = (
    await here.db.query<{ id: number }>(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
      select ${noteable?.id}, ${project.id}, decode(md5(n::text) || '00000000', 'hex'), true, ${ada.id}, '@bob ' || n
      from generate_series(1, 3) n returning id`)
  ).map(({ id }) => id);

  const mergeRequest = (id: number): StoredTarget => ({ id, iid: id, projectId: project.id, title: `Change ${id}` });
  const sequence = { directorySequence: directory.changes.length };
  for (let id = 1; id <= 5; id += 1) {
    const by = () => ({ actorId: ada.id, occurredAt: next(), ...sequence });
    await here.publish(mergeRequest(id), created([bob.id], [], mentions(['bob'])), by());
    if (id === 2)
      await here.publish(
        mergeRequest(2),
        { $case: 'merged', value: { mergeCommitSha: '', targetBranch: '' } },
        { ...by(), actorId: bob.id, cause: 2 },
      );
    if (id === 3) {
      const renamed = updated([ada.id]);
      if (renamed.$case === 'updated') renamed.value.changedFields = ['title'];
      await here.publish({ ...mergeRequest(3), title: 'Renamed' }, renamed, { ...by(), cause: 2 });
    }
    if (id === 4) await here.publish(mergeRequest(4), { $case: 'deleted', value: {} }, by());
    if (id === 5)
      await here.publish(
        mergeRequest(5),
        {
          $case: 'acted',
          value: {
            kind: MergeRequestActed_Kind.KIND_APPROVED,
            push: undefined,
            approved: undefined,
            lostApprovalUserIds: [],
          },
        },
        { ...by(), actorId: bob.id, cause: 'a' },
      );
  }
  const push = RepositoryPushedEvent.fromPartial({
    projectId: project.id,
    authorId: ada.id,
    refName: 'main',
    refType: 'branch',
    action: 'pushed',
    occurredAt: next(),
  });
  await here.publishEvent(repositoryPushed, push, 'repository.pushed:1');
  const published = { id: issue?.id ?? 0, iid: 3, projectId: project.id, authorId: ada.id, title: 'Broken' };
  const opened = IssueEvent.fromPartial({
    issue: published,
    actorId: ada.id,
    occurredAt: next(),
    ...sequence,
    fact: { $case: 'created', value: { assigneeIds: [bob.id], mentions: mentions() } } as never,
  });
  await here.publishEvent(issueEvents, opened, 'issue.created:1:1');
  const imported = { ...opened, issue: { ...published, id: 999, iid: 9 }, imported: true, occurredAt: next() };
  await here.publishEvent(issueEvents, imported as IssueEvent, 'issue.created:9:1');
  const comment = (fact: 'created' | 'deleted', id: number, actorId = ada.id) =>
    here.publishEvent(
      noteEvents,
      NoteEvent.fromPartial({
        noteable: { kind: 'Issue', ...published },
        actorId,
        occurredAt: next(),
        ...sequence,
        fact: { $case: fact, value: { note: { id, authorId: actorId }, mentions: mentions(['bob']) } } as never,
      }),
      `note.${fact}:1:${id}`,
    );
  const [first = 0, second = 0, third = 0] = noteIds;
  await comment('created', first);
  await comment('created', second, bob.id);
  await comment('created', third);
  await comment('deleted', first);
  const assigned = AlertEvent.fromPartial({
    alert: { id: 7, iid: 7, projectId: project.id, title: 'Disk full', status: 'triggered', version: 2 },
    actorId: ada.id,
    occurredAt: next(),
    ...sequence,
    fact: { $case: 'assigned', value: { addedAssigneeIds: [bob.id] } } as never,
  });
  await here.publishEvent(alertEvents, assigned, alertEventId('assigned', 7, 2));
  await eventually(async () => {
    const groups = await here.db.query<{ consumer_group: string; received: number }>(sql`
      select consumer_group, count(*)::int as received from events.inbox group by 1 order by 1`);
    expect(Object.fromEntries(groups.map((one) => [one.consumer_group, one.received]))).toMatchObject({
      collaboration: 9,
      'collaboration.activity': 16,
      'collaboration.alerts': 1,
      // Imported history does not concern it.
      'collaboration.todos': 5,
    });
  });
});

afterAll(() => here.close());

const everything = new Date(0);

describe('a rebuild from the events of the log', () => {
  it('of the feed changes nothing where nothing is wrong', async () => {
    const before = [await feed(), await ids('activity_events')];
    expect(before[0]).toHaveLength(11);
    const rebuilt = await rebuildActivity({ db: here.db, bus: here.bus, certain: everything });
    expect(rebuilt).toEqual({ events: 16, added: 0, changed: 0, removed: 0 });
    expect([await feed(), await ids('activity_events')]).toEqual(before);
  });

  it('of the feed brings back what was lost, puts right what is wrong, and removes what never was', async () => {
    const before = await feed();
    await here.db.query(sql`delete from activity_events where target_type = 'note' or action = 'pushed'`);
    await here.db.query(sql`update activity_events set target_title = 'Forged', author_id = 999 where target_id = 3`);
    await here.db.query(sql`
      insert into activity_events (cause, project_id, author_id, action, subject_type, subject_id, created_at)
      values ('never', ${project.id}, ${ada.id}, 'joined', 'project', 0, now())`);
    const rebuilt = await rebuildActivity({ db: here.db, bus: here.bus, certain: everything });
    expect(rebuilt).toEqual({ events: 16, added: 3, changed: 1, removed: 1 });
    expect(await feed()).toEqual(before);
  });

  it('of the feed leaves who took the place of a placeholder (ADR 67)', async () => {
    await here.db.query(sql`update activity_events set author_id = ${bob.id} where imported`);
    const before = await feed();
    expect(await rebuildActivity({ db: here.db, bus: here.bus, certain: everything })).toMatchObject({ changed: 0 });
    expect(await feed()).toEqual(before);
  });

  it('of the feed leaves alone what is older than the log', async () => {
    await here.db.query(sql`
      insert into activity_events (cause, project_id, author_id, action, subject_type, subject_id, created_at)
      values ('long ago', ${project.id}, ${ada.id}, 'joined', 'project', 0, now() - interval '1 year')`);
    expect(await rebuildActivity({ db: here.db, bus: here.bus })).toMatchObject({ added: 0, removed: 0 });
    expect((await feed())[0]).toMatchObject({ cause: 'long ago' });
  });

  it('of to-dos changes nothing where nothing is wrong, what users did by hand included', async () => {
    await here.db.query(
      sql`update todos set state = 'done' where target_type = 'MergeRequest' and target_id = 1 and action = 'assigned'`,
    );
    await here.db.query(sql`
      insert into todos (user_id, author_id, action, project_id, target_type, target_id, target_iid)
      values (${bob.id}, ${bob.id}, 'marked', ${project.id}, 'MergeRequest', 3, 3),
        (${bob.id}, ${ada.id}, 'member_access_requested', ${project.id}, 'Project', ${project.id}, 0)`);
    const before = [await todos(), await ids('todos')];
    expect(before[0]?.length).toBeGreaterThan(8);
    expect(await rebuildTodos({ db: here.db, bus: here.bus, certain: everything })).toMatchObject({
      added: 0,
      changed: 0,
      removed: 0,
    });
    expect([await todos(), await ids('todos')]).toEqual(before);
  });

  it('of to-dos does not bring back what went with a membership, also when its user has come back', async () => {
    const { directory } = here;
    const eve = directory.user({ username: 'eve' });
    const first = directory.member(eve.id, { projectId: project.id }, 30);
    const common = { directorySequence: directory.changes.length, actorId: ada.id };
    await here.publish({ id: 9, iid: 9, projectId: project.id, title: 'Nine' }, created([eve.id]), {
      ...common,
      occurredAt: next(),
    });
    const ofEve = () => here.db.query(sql`select 1 from todos where user_id = ${eve.id}`);
    await eventually(async () => expect(await ofEve()).toHaveLength(1));
    directory.removeMembership(first.id);
    const left = MembershipEvent.fromPartial({
      membershipId: first.id,
      userId: eve.id,
      projectId: project.id,
      occurredAt: next(),
      fact: {
        $case: 'removed',
        value: { reason: MemberRemoved_Reason.REASON_REMOVED, directorySequence: directory.changes.length },
      },
    });
    await here.publishEvent(membershipEvents, left, 'membership.removed:1');
    await eventually(async () => expect(await ofEve()).toEqual([]));
    directory.member(eve.id, { projectId: project.id }, 30);
    await eventually(async () =>
      expect(
        await here.db.query(sql`
          select 1 from directory.memberships where user_id = ${eve.id} and deleted_at is null`),
      ).toHaveLength(1),
    );
    expect(await rebuildTodos({ db: here.db, bus: here.bus, certain: everything })).toMatchObject({ added: 0 });
  });

  it('of to-dos brings back what was lost, settles what was settled, and removes what never was', async () => {
    const acts = () => here.db.query(sql`select * from todo_acts order by target_type, target_id, user_id, acted_at`);
    const before = [await todos(), await acts()];
    expect(before[1]?.length).toBeGreaterThan(2);
    await here.db.query(sql`delete from todo_acts`);
    const lost = await here.db.query(
      sql`delete from todos where target_type in ('Issue', 'AlertManagement::Alert') or target_id = 3 and action <> 'marked' returning 1`,
    );
    await here.db.query(
      sql`update todos set state = 'pending' where target_type = 'MergeRequest' and target_id = 2 and state = 'done'`,
    );
    await here.db.query(sql`
      insert into todos (user_id, author_id, action, project_id, target_type, target_id, target_iid)
      values (${ada.id}, ${bob.id}, 'assigned', ${project.id}, 'MergeRequest', 1, 1)`);
    const rebuilt = await rebuildTodos({ db: here.db, bus: here.bus, certain: everything });
    expect(rebuilt).toMatchObject({ added: lost.length, changed: 2, removed: 1 });
    expect([await todos(), await acts()]).toEqual(before);
  });
});

describe('events of different streams', () => {
  /** Every order of so many things. */
  const orders = (count: number): number[][] =>
    count === 0
      ? [[]]
      : orders(count - 1).flatMap((order) =>
          Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
        );

  it('leave the same to-dos whichever comes first, as a rebuild makes them', async () => {
    const sequence = { directorySequence: here.directory.changes.length };
    const [asked, answered, closed, askedAgain] = [next(), next(), next(), next()];
    const note = (noteable: object) =>
      NoteEvent.fromPartial({
        noteable,
        actorId: bob.id,
        occurredAt: answered,
        ...sequence,
        fact: { $case: 'created', value: { note: { id: 0, authorId: bob.id }, mentions: mentions() } } as never,
      });
    const stepsOf = {
      MergeRequest: (id: number) => {
        const target = { id, iid: id, projectId: project.id, title: `Change ${id}` };
        const by = (actorId: number, occurredAt: Date, cause: number) => ({ actorId, occurredAt, cause, ...sequence });
        return [
          () => here.publish(target, created([bob.id]), by(ada.id, asked, 1)),
          () =>
            here.publishEvent(
              noteEvents,
              note({ kind: 'MergeRequest', ...target }),
              `note.created:merge_request:${id}`,
            ),
          () => here.publish(target, { $case: 'closed', value: {} } as never, by(bob.id, closed, 3)),
          () => here.publish(target, updated([bob.id]), by(ada.id, askedAgain, 4)),
        ];
      },
      Issue: (id: number) => {
        const published = { id, iid: id, projectId: project.id, authorId: ada.id, title: 'Broken' };
        const publish = (actorId: number, occurredAt: Date, cause: number, fact: object) =>
          here.publishEvent(
            issueEvents,
            IssueEvent.fromPartial({ issue: published, actorId, occurredAt, ...sequence, fact: fact as never }),
            `issue:${id}:${cause}`,
          );
        return [
          () => publish(ada.id, asked, 1, { $case: 'created', value: { assigneeIds: [bob.id], mentions: mentions() } }),
          () => here.publishEvent(noteEvents, note({ kind: 'Issue', ...published }), `note.created:issue:${id}`),
          () => publish(bob.id, closed, 3, { $case: 'closed', value: {} }),
          () =>
            publish(ada.id, askedAgain, 4, {
              $case: 'updated',
              value: { addedAssigneeIds: [bob.id], mentions: mentions() },
            }),
        ];
      },
    };
    const received = async () => {
      const [row] = await here.db.query<{ count: number }>(sql`
        select count(*)::int as count from events.inbox where consumer_group in ('collaboration', 'collaboration.todos')`);
      return row?.count ?? 0;
    };
    const every = orders(4);
    await here.db.query(sql`
      insert into issues (id, iid, project_id, author_id, title) overriding system value
      select n, n, ${project.id}, ${ada.id}, 'Broken' from generate_series(1001, ${1_000 + every.length}) n`);
    const lines = every.flatMap((order, at) =>
      [stepsOf.MergeRequest(1_001 + at), stepsOf.Issue(1_001 + at)].map((steps) => order.map((step) => steps[step])),
    );
    for (let step = 0; step < 4; step += 1) {
      const before = await received();
      for (const line of lines) await line[step]?.();
      await eventually(async () => expect(await received()).toBe(before + lines.length), { within: 20_000 });
    }

    const outcomes = await here.db.query(sql`
      select target_type, count(*)::int as targets, rows from (
        select target_type, json_agg(json_build_array(user_id, action, state, created_at, updated_at) order by created_at)::text as rows
        from todos where target_id > 1000 group by target_type, target_id) one
      group by target_type, rows order by target_type`);
    expect(outcomes.map(({ target_type, targets }) => [target_type, targets])).toEqual([
      ['Issue', every.length],
      ['MergeRequest', every.length],
    ]);
    const standing = await here.db.query(sql`
      select action, state, created_at, updated_at from todos where target_type = 'Issue' and target_id = 1001 order by created_at`);
    expect(standing).toEqual([
      { action: 'assigned', state: 'done', created_at: asked, updated_at: answered },
      { action: 'assigned', state: 'pending', created_at: askedAgain, updated_at: askedAgain },
    ]);
    expect(await rebuildTodos({ db: here.db, bus: here.bus, certain: everything })).toMatchObject({
      added: 0,
      changed: 0,
      removed: 0,
    });
  });
});

it('a rebuild raises nothing for users who could not read it then, and removes nothing from users who may not read it now', async () => {
  const { directory, db, bus } = here;
  const guest = directory.user({ username: 'gil' });
  const [first, raised] = [
    directory.member(guest.id, { projectId: project.id }, 10),
    directory.user({ username: 'rae' }),
  ];
  const lower = directory.member(raised.id, { projectId: project.id }, 30);
  await eventually(async () =>
    expect(
      await db.query(sql`select 1 from directory.memberships where id in (${first.id}, ${lower.id})`),
    ).toHaveLength(2),
  );
  const sequence = { directorySequence: directory.changes.length };
  const opened = async (id: number, confidential: boolean, { usernames }: { usernames: string[] }) => {
    await db.query(sql`
      insert into issues (id, iid, project_id, author_id, title) overriding system value
      values (${id}, ${id}, ${project.id}, ${ada.id}, 'Broken')`);
    const event = IssueEvent.fromPartial({
      issue: { id, iid: id, projectId: project.id, authorId: ada.id, title: 'Broken', confidential },
      actorId: ada.id,
      occurredAt: next(),
      ...sequence,
      fact: { $case: 'created', value: { assigneeIds: [], mentions: { usernames } } } as never,
    });
    await here.publishEvent(issueEvents, event, `issue.created:${id}:1`);
  };
  const todosOf = async (...ids: number[]) => {
    const rows = await db.query<{ name: string; target: number }>(sql`
      select u.username as name, t.target_id as target from todos t join directory.users u on u.id = t.user_id
      where t.target_id = any(${ids}::bigint[]) and u.username in ('bob', 'gil', 'rae', 'lee') order by 2, 1`);
    return rows.map(({ name, target }) => `${name} ${target}`);
  };
  const asMember = (membership: { id: number; userId: number }, fact: object) =>
    here.publishEvent(
      membershipEvents,
      MembershipEvent.fromPartial({
        membershipId: membership.id,
        userId: membership.userId,
        projectId: project.id,
        occurredAt: next(),
        fact: fact as never,
      }),
      `membership:${membership.id}:${Object.values(fact)[0]}`,
    );
  await opened(2_001, false, { usernames: ['all'] });
  await eventually(async () => expect(await todosOf(2_001)).toEqual(['bob 2001', 'gil 2001', 'rae 2001']));
  await opened(2_002, true, { usernames: ['bob', 'gil', 'rae'] });
  await eventually(async () => expect(await todosOf(2_002)).toHaveLength(3));
  // Events report the past: to-dos of users who could not read the target then had never been made.
  await db.query(sql`delete from todos where target_id = 2002`);
  await asMember(lower, { $case: 'changed', value: { accessLevel: 30, oldAccessLevel: 10 } });
  const late = directory.member(directory.user({ username: 'lee' }).id, { projectId: project.id }, 30);
  await asMember(late, { $case: 'added', value: { accessLevel: 30 } });
  await eventually(async () =>
    expect(await db.query(sql`select 1 from directory.memberships where id = ${late.id}`)).toHaveLength(1),
  );
  await db.query(sql`update issues set confidential = true where id = 2001`);
  const rebuilt = await rebuildTodos({ db, bus, certain: everything });
  expect(rebuilt).toMatchObject({ added: 1, changed: 0, removed: 0 });
  expect(await todosOf(2_001, 2_002)).toEqual(['bob 2001', 'gil 2001', 'rae 2001', 'bob 2002']);
});

it('runs as a sub-command that says what it changed; another publishes the present states', async () => {
  const lines: string[] = [];
  const given = { db: here.db, bus: () => here.bus, write: (line: string) => lines.push(line) };
  for (const name of ['rebuild-activity', 'rebuild-todos', 'publish-states'])
    expect(await commands[name]?.run(given, [], {})).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^activity: \d+ events read; \d+ added, \d+ changed, \d+ removed$/),
    expect.stringMatching(/^todos: \d+ events read; \d+ added, \d+ changed, \d+ removed$/),
    expect.stringMatching(/^\d+ issues published$/),
    expect.stringMatching(/^\d+ notes published$/),
  ]);
});

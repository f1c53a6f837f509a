import { sql } from '@switchyard/database/sql';
import { issueEvents, membershipEvents, noteEvents } from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { MemberRemoved_Reason, MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import { created, type Installation, startInstallation } from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let guest: DirectoryUser;
let project: DirectoryProject;
let issueId: number;
let noteableId: number;
let events = 0;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const team = directory.namespace({ fullPath: 'team', fullName: 'Team', path: 'team' });
  const core = directory.namespace({ parentId: team.id, fullPath: 'team/core', fullName: 'Team / Core', path: 'core' });
  project = directory.project(team.id, { name: 'Rails', path: 'rails' });
  ada = directory.user({ username: 'ada' });
  bob = directory.user({ username: 'bob' });
  eve = directory.user({ username: 'eve' });
  guest = directory.user({ username: 'gus' });
  directory.member(ada.id, { namespaceId: team.id }, 40);
  directory.member(bob.id, { namespaceId: core.id }, 30);
  directory.member(bob.id, { projectId: project.id }, 30);
  directory.member(guest.id, { projectId: project.id }, 10);
  await here.startHere();
});

afterAll(() => here.close());

beforeEach(async () => {
  await here.db.query(sql`truncate todos, removed_targets, events.inbox, notes, noteables, issues cascade`);
  const [issue] = await here.db.query<{ id: number }>(sql`
    insert into issues (iid, project_id, author_id, title) values (3, ${project.id}, ${ada.id}, 'Broken') returning id`);
  issueId = issue?.id ?? 0;
  const [noteable] = await here.db.query<{ id: number }>(sql`
    insert into noteables (kind, project_id, target_id) values ('Issue', ${project.id}, ${issueId}) returning id`);
  noteableId = noteable?.id ?? 0;
});

const received = (id: string, group = 'collaboration.todos') =>
  eventually(async () => {
    const rows = await here.db.query(
      sql`select 1 from events.inbox where event_id = ${id} and consumer_group = ${group}`,
    );
    expect(rows).toHaveLength(1);
  });

const names = (usernames: string[] = [], directlyAddressedUsernames: string[] = []) => ({
  usernames,
  directlyAddressedUsernames,
});

async function issue(fact: Parameters<typeof IssueEvent.fromPartial>[0]['fact'], given: Partial<IssueEvent> = {}) {
  events += 1;
  const payload = IssueEvent.fromPartial({
    issue: { id: issueId, iid: 3, projectId: project.id, authorId: ada.id, title: 'Broken' },
    actorId: ada.id,
    occurredAt: new Date(),
    directorySequence: here.directory.changes.length,
    fact,
    ...given,
  });
  await received(await here.publishEvent(issueEvents, payload, `issue:${events}`));
}

const opened = (assigneeIds: number[], mentions = names()) =>
  issue({ $case: 'created', value: { assigneeIds, mentions } } as never);

async function note(
  body: string,
  mentions = names(),
  { internal = false, actorId = ada.id, at = new Date() }: { internal?: boolean; actorId?: number; at?: Date } = {},
) {
  const [row] = await here.db.query<{ id: number }>(sql`
    insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, internal)
    values (${noteableId}, ${project.id}, decode(md5(random()::text) || '00000000', 'hex'), true, ${actorId}, ${body}, ${internal})
    returning id`);
  const id = row?.id ?? 0;
  const publish = async (fact: 'created' | 'updated' | 'deleted', named = mentions) => {
    events += 1;
    const value = { note: { id, discussionId: '', type: '', authorId: actorId, internal }, mentions: named };
    const payload = NoteEvent.fromPartial({
      noteable: { kind: 'Issue', id: issueId, iid: 3, projectId: project.id, title: 'Broken' },
      actorId,
      occurredAt: at,
      directorySequence: here.directory.changes.length,
      fact: { $case: fact, value } as never,
    });
    await received(await here.publishEvent(noteEvents, payload, `note:${events}`));
  };
  await publish('created');
  return { id, publish };
}

const pending = async () => {
  const rows = await here.db.query<{ who: string }>(sql`
    select u.username || ' ' || t.action as who from todos t join directory.users u on u.id = t.user_id
    where t.state = 'pending' order by 1`);
  return rows.map(({ who }) => who);
};

const listed = async (user: DirectoryUser) => {
  const page = PageRequest.fromPartial({ page: 1, perPage: 20 });
  const reply = await here.todos.listTodos({ filter: undefined, page }, here.as(user));
  expect(reply.page?.total).toBe(JSON.parse(reply.json.toString()).length);
  return JSON.parse(reply.json.toString());
};

describe('to-dos from issues and comments', () => {
  it('come from assignment and mention on an issue, and are done once their user acts there', async () => {
    await opened([bob.id], names(['eve', 'gus'], ['bob']));
    expect(await pending()).toEqual(['bob assigned', 'bob directly_addressed', 'gus mentioned']);
    await issue({ $case: 'closed', value: { byMergeRequestId: 0 } } as never, { actorId: bob.id });
    expect(await pending()).toEqual(['gus mentioned']);
    await issue({ $case: 'deleted', value: {} } as never);
    expect(await here.db.query(sql`select 1 from todos`)).toEqual([]);
  });

  it('are not asked for twice where an issue stands for one that moved here', async () => {
    await issue({ $case: 'created', value: { assigneeIds: [bob.id], movedFromId: 99 } } as never);
    expect(await pending()).toEqual([]);
  });

  it('say what the comment says and where it stands, one for each comment, and go with it', async () => {
    const first = await note('@gus look', names([], ['gus']));
    const second = await note('see @gus', names(['gus']));
    expect(await pending()).toEqual(['gus directly_addressed', 'gus mentioned']);
    await here.db.query(sql`update notes set body = 'see here, @gus' where id = ${second.id}`);
    const [newest, oldest] = await listed(guest);
    expect(newest).toMatchObject({
      action_name: 'mentioned',
      target_type: 'Issue',
      target: { id: issueId, title: 'Broken' },
      body: 'see here, @gus',
      target_url: expect.stringMatching(new RegExp(`/-/issues/3#note_${second.id}$`)),
    });
    expect(oldest).toMatchObject({ action_name: 'directly_addressed', body: '@gus look' });
    await second.publish('updated', names(['bob']));
    expect(await pending()).toEqual(['bob mentioned', 'gus directly_addressed', 'gus mentioned']);
    await second.publish('deleted');
    expect(await pending()).toEqual(['gus directly_addressed']);
    await here.db.query(sql`delete from notes where id = ${first.id}`);
    expect(await listed(guest)).toEqual([]);
  });

  it('are done by a comment of their user, but for what was asked later than that', async () => {
    const before = new Date(Date.now() - 60_000);
    await opened([bob.id]);
    await note('Later', names(), { actorId: bob.id, at: before });
    expect(await pending()).toEqual(['bob assigned']);
    await note('Done', names(), { actorId: bob.id });
    expect(await pending()).toEqual([]);
  });

  it('call the members of a group the author can see, and with all those of the project, but not the author', async () => {
    await note('@team/core and @nobody/here', names(['Team/Core', 'nobody/here']));
    expect(await pending()).toEqual(['bob mentioned']);
    await note('@all', names(['all']));
    expect(await pending()).toEqual(['bob mentioned', 'bob mentioned', 'gus mentioned']);
    await here.db.query(sql`truncate todos`);
    await note('@team/core', names(['team/core']), { actorId: guest.id });
    expect(await pending()).toEqual([]);
  });

  it('of an internal comment are for Reporters and above, also when it became internal later', async () => {
    const inside = await note('@bob @gus', names(['bob', 'gus']), { internal: true });
    expect(await pending()).toEqual(['bob mentioned']);
    await here.db.query(sql`update notes set internal = false where id = ${inside.id}`);
    await inside.publish('updated', names(['gus']));
    expect(await listed(guest)).toHaveLength(1);
    await here.db.query(sql`update notes set internal = true where id = ${inside.id}`);
    expect(await listed(guest)).toEqual([]);
  });

  it('of a confidential issue are for those who see it', async () => {
    await here.db.query(sql`update issues set confidential = true`);
    await opened([bob.id], names(['gus']));
    expect(await pending()).toEqual(['bob assigned']);
    await here.db.query(sql`insert into issue_assignees (issue_id, user_id) values (${issueId}, ${guest.id})`);
    await note('@gus', names(['gus']));
    expect(await listed(guest)).toHaveLength(1);
    await here.db.query(sql`delete from issue_assignees`);
    expect(await listed(guest)).toEqual([]);
  });

  it('come from comments on a commit as well, for those who read the code, and by a command', async () => {
    const sha = 'c'.repeat(40);
    const noteable = { projectId: project.id, target: { $case: 'commit' as const, value: 'main' } };
    const comment = (user: DirectoryUser, body: string, level = 30) =>
      here.discussions.createCommitComment(
        { noteable, note: body, path: '', line: 0, lineType: '' },
        here.as(user, { id: project.id, level }),
      );
    await comment(ada, 'see @bob and @gus');
    await comment(ada, '@bob again');
    await eventually(async () => expect(await pending()).toEqual(['bob directly_addressed', 'bob mentioned']));
    here.targetCalls.length = 0;
    expect(await listed(bob)).toMatchObject([
      { action_name: 'directly_addressed', body: '@bob again' },
      {
        action_name: 'mentioned',
        target_type: 'Commit',
        target: { id: sha, title: 'Change' },
        body: 'see @bob and @gus',
        target_url: expect.stringMatching(new RegExp(`/-/commit/${sha}#note_\\d+$`)),
      },
    ]);
    expect(here.targetCalls).toEqual(['batchGet commits']);
    const [{ id }] = await listed(bob);
    const done = await here.todos.markTodoAsDone({ id }, here.as(bob));
    expect(JSON.parse(done.json.toString())).toMatchObject({ id, state: 'done', target_type: 'Commit' });
    expect((await comment(bob, '/done')).status).toBe(202);
    expect(await pending()).toEqual([]);
    expect((await comment(bob, '/todo')).status).toBe(202);
    await comment(bob, '/todo');
    expect(await pending()).toEqual(['bob marked']);
    await here.db.query(
      sql`update directory.projects set repository_access_level = 'disabled' where id = ${project.id}`,
    );
    expect(await listed(bob)).toEqual([]);
    await here.db.query(
      sql`update directory.projects set repository_access_level = 'enabled' where id = ${project.id}`,
    );
    await comment(bob, 'Looked at it');
    await eventually(async () => expect(await pending()).toEqual([]));
    // A comment settles what was asked before it, not what it asks itself.
    await comment(bob, 'Once more later\n/todo');
    await comment(ada, '@bob now');
    await eventually(async () => expect(await pending()).toEqual(['bob directly_addressed', 'bob marked']));
  });

  it('go when a membership ends and the target cannot be read any longer', async () => {
    const { directory } = here;
    const membership = directory.member(eve.id, { projectId: project.id }, 30);
    await opened([eve.id, bob.id]);
    const target = { id: 77, iid: 7, projectId: project.id, title: 'Change' };
    await received(await here.publish(target, created([eve.id]), { actorId: ada.id }), 'collaboration');
    expect(await pending()).toEqual(['bob assigned', 'eve assigned', 'eve assigned']);
    directory.removeMembership(membership.id);
    const left = MembershipEvent.fromPartial({
      membershipId: membership.id,
      userId: eve.id,
      projectId: project.id,
      fact: {
        $case: 'removed',
        value: { reason: MemberRemoved_Reason.REASON_REMOVED, directorySequence: directory.changes.length },
      },
    });
    await received(await here.publishEvent(membershipEvents, left, `member_removed:${membership.id}`));
    expect(await here.db.query(sql`select user_id from todos`)).toEqual([{ user_id: bob.id }]);
  });
});

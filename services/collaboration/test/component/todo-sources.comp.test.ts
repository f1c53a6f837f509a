import { sql } from '@switchyard/database/sql';
import { accessRequestEvents, issueEvents, membershipEvents, noteEvents, shareEvents } from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { TodoFilter } from '@switchyard/protos/collaboration/v1/todo';
import { AccessRequestEvent } from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import { MemberRemoved_Reason, MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { ShareEvent, ShareRemoved_Reason } from '@switchyard/protos/groups_admin/events/v1/share_event';
import type {
  DirectoryMembership,
  DirectoryNamespace,
  DirectoryProject,
  DirectoryUser,
} from '@switchyard/protos/groups_admin/v1/directory';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import { created, type Installation, startInstallation } from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let guest: DirectoryUser;
let core: DirectoryNamespace;
let project: DirectoryProject;
let issueId: number;
let noteableId: number;
let events = 0;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const team = directory.namespace({ fullPath: 'team', fullName: 'Team', path: 'team' });
  core = directory.namespace({ parentId: team.id, fullPath: 'team/core', fullName: 'Team / Core', path: 'core' });
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
  await eventually(() =>
    here.db.query(sql`truncate todos, removed_targets, events.inbox, notes, noteables, issues cascade`),
  );
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

  it('call no one through a group whose mentions are disabled, or through it and others together', async () => {
    here.directory.changeNamespace(core.id, { mentionsDisabled: true });
    await note('@team/core @gus', names(['team/core', 'gus']));
    expect(await pending()).toEqual(['gus mentioned']);
    here.directory.changeNamespace(core.id, { mentionsDisabled: false });
    await note('@team/core', names(['team/core']));
    expect(await pending()).toEqual(['bob mentioned', 'gus mentioned']);
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

  it('come by a share of the project, and go when it ends or the membership in the invited group does', async () => {
    const { directory } = here;
    const invited = directory.namespace();
    const below = directory.namespace({ parentId: invited.id });
    const membership = directory.member(eve.id, { namespaceId: invited.id }, 30);
    const share = directory.share(below.id, { projectId: project.id }, 20);
    const ofEve = async () => (await pending()).filter((one) => one.startsWith('eve'));
    await opened([eve.id, bob.id], names(['all']));
    expect(await ofEve()).toEqual(['eve assigned', 'eve mentioned']);
    directory.removeMembership(membership.id);
    const left = MembershipEvent.fromPartial({
      membershipId: membership.id,
      userId: eve.id,
      groupId: invited.id,
      fact: {
        $case: 'removed',
        value: { reason: MemberRemoved_Reason.REASON_REMOVED, directorySequence: directory.changes.length },
      },
    });
    await received(await here.publishEvent(membershipEvents, left, `member_removed:${membership.id}`));
    expect(await ofEve()).toEqual([]);
    directory.member(eve.id, { namespaceId: below.id }, 30);
    await note('@all again', names(['all']));
    expect(await ofEve()).toEqual(['eve mentioned']);
    directory.removeShare(share.id);
    const unshared = ShareEvent.fromPartial({
      shareId: share.id,
      projectId: project.id,
      groupId: below.id,
      fact: {
        $case: 'removed',
        value: { reason: ShareRemoved_Reason.REASON_EXPIRED, directorySequence: directory.changes.length },
      },
    });
    await received(await here.publishEvent(shareEvents, unshared, `share_removed:${share.id}`));
    expect(await ofEve()).toEqual([]);
    expect(await pending()).toContain('bob assigned');
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

describe('to-dos from access requests', () => {
  let owner: DirectoryUser;
  let asking: DirectoryUser;
  let club: DirectoryNamespace;
  let shed: DirectoryProject;
  let maintainer: DirectoryMembership;

  beforeAll(() => {
    const { directory } = here;
    club = directory.namespace({ name: 'Club', fullPath: 'club', fullName: 'Club', path: 'club' });
    const inner = directory.namespace({
      parentId: club.id,
      fullPath: 'club/inner',
      fullName: 'Club / Inner',
      path: 'inner',
    });
    shed = directory.project(inner.id, { name: 'Shed', path: 'shed' });
    owner = directory.user({ username: 'olga' });
    asking = directory.user({ username: 'asker' });
    directory.member(owner.id, { namespaceId: club.id }, 50);
    maintainer = directory.member(bob.id, { namespaceId: inner.id }, 40);
    directory.member(eve.id, { projectId: shed.id }, 30);
  });

  const request = async (requestId: number, fact: AccessRequestEvent['fact'], place: Partial<AccessRequestEvent>) => {
    events += 1;
    const payload = AccessRequestEvent.fromPartial({
      requestId,
      userId: asking.id,
      actorId: asking.id,
      occurredAt: new Date(),
      directorySequence: here.directory.changes.length,
      fact: fact as never,
      ...place,
    });
    const id = `access_request:${events}`;
    await received(await here.publishEvent(accessRequestEvents, payload, id));
    return { again: () => here.publishEvent(accessRequestEvents, payload, `${id}:again`) };
  };
  const requested = { $case: 'requested', value: {} } as const;
  const filtered = async (user: DirectoryUser, filter: object) => {
    const page = PageRequest.fromPartial({ page: 1, perPage: 20 });
    const reply = await here.todos.listTodos({ filter: TodoFilter.fromPartial(filter), page }, here.as(user));
    return JSON.parse(reply.json.toString()).map(({ target_type }: { target_type: string }) => target_type);
  };

  it('ask the Owners of a group, with the group and no project (G-2-23)', async () => {
    const place = { groupId: club.id };
    const sent = await request(1, requested, place);
    await received(await sent.again());
    expect(await pending()).toEqual(['olga member_access_requested']);
    const [todo, ...more] = await listed(owner);
    expect(more).toEqual([]);
    const group = {
      id: club.id,
      name: 'Club',
      path: 'club',
      kind: 'group',
      full_path: 'club',
      parent_id: null,
      avatar_url: null,
      web_url: expect.stringMatching(/\/groups\/club$/),
    };
    expect(todo).toMatchObject({
      group,
      author: { username: 'asker' },
      action_name: 'member_access_requested',
      target_type: 'Namespace',
      target: group,
      target_url: expect.stringMatching(/\/groups\/club\/-\/group_members\?tab=access_requests$/),
      body: 'club',
      state: 'pending',
    });
    expect(todo).not.toHaveProperty('project');
    await request(1, { $case: 'denied', value: {} }, place);
    expect(await pending()).toEqual([]);
    expect(await filtered(owner, { state: 'done' })).toEqual(['Namespace']);
  });

  it('ask the Owners and Maintainers of a project, each request for itself, until it ends', async () => {
    const place = { projectId: shed.id };
    await request(2, requested, place);
    await request(3, requested, { ...place, userId: guest.id });
    await request(4, requested, { groupId: club.id });
    expect(await filtered(owner, {})).toEqual(['Namespace', 'Project', 'Project']);
    expect(await filtered(owner, { action: 'member_access_requested', targetType: 'Project' })).toHaveLength(2);
    expect(await filtered(owner, { targetType: 'Namespace' })).toEqual(['Namespace']);
    expect(await filtered(owner, { groupId: club.id })).toHaveLength(3);
    expect(await filtered(owner, { projectId: shed.id, authorId: guest.id })).toEqual(['Project']);
    expect(await filtered(owner, { action: 'mentioned' })).toEqual([]);
    expect(await filtered(bob, {})).toEqual(['Project', 'Project']);
    expect(await filtered(eve, {})).toEqual([]);
    const [todo] = await listed(bob);
    expect(todo).toMatchObject({
      project: { id: shed.id, path_with_namespace: 'club/inner/shed' },
      target: { id: shed.id },
      target_url: expect.stringMatching(/\/club\/inner\/shed\/-\/project_members\?tab=access_requests$/),
      body: 'club/inner/shed',
    });
    expect(todo).not.toHaveProperty('group');
    await request(2, { $case: 'approved', value: { accessLevel: 30 } }, place);
    expect(await filtered(bob, {})).toEqual(['Project']);
    // Once no Maintainer any more, there is nothing to decide.
    here.directory.removeMembership(maintainer.id);
    await eventually(async () => expect(await filtered(bob, {})).toEqual([]));
  });

  it('raise nothing when the request is known to have ended', async () => {
    await request(5, { $case: 'withdrawn', value: {} }, { groupId: club.id });
    await request(5, requested, { groupId: club.id });
    expect(await pending()).toEqual([]);
  });

  it('are marked as done by hand', async () => {
    await request(6, requested, { groupId: club.id });
    const [{ id }] = await listed(owner);
    const done = JSON.parse((await here.todos.markTodoAsDone({ id }, here.as(owner))).json.toString());
    expect(done).toMatchObject({ state: 'done', target_type: 'Namespace', group: { id: club.id } });
    await request(7, requested, { groupId: club.id });
    await here.todos.markAllTodosAsDone({ filter: TodoFilter.fromPartial({ groupId: club.id }) }, here.as(owner));
    expect(await pending()).toEqual([]);
  });
});

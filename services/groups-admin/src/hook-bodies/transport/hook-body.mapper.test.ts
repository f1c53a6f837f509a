import { AccessRequestEvent } from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import { GroupEvent } from '@switchyard/protos/groups_admin/events/v1/group_event';
import { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import { SshKeyEvent } from '@switchyard/protos/groups_admin/events/v1/ssh_key_event';
import { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import type { HookFacts } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';
import type { HookEvent } from './hook-event';

const at = new Date('2026-01-02T03:04:05.678Z');
const dates = { created_at: at, updated_at: at };

const facts: HookFacts = {
  users: new Map([
    [
      2,
      {
        id: 2,
        username: 'bob',
        name: 'Bob',
        state: 'active',
        avatar_url: null,
        public_email: 'b@forge.example',
        ...dates,
      },
    ],
  ]),
  projects: new Map([
    [
      5,
      {
        id: 5,
        name: 'Code',
        path: 'code',
        namespace_id: 4,
        namespace_full_path: 'top/sub',
        namespace_full_name: 'Top / Sub',
        visibility: 'private',
        avatar_url: null,
        default_branch: 'main',
        owner_id: 2,
        ...dates,
      },
    ],
  ]),
  groups: new Map([[4, { id: 4, name: 'Sub', path: 'sub', full_path: 'top/sub', ...dates }]]),
  memberships: new Map([[30, { id: 30, expires_at: at, ...dates }]]),
  milestones: new Map([
    [
      8,
      {
        ...{ id: 8, iid: 1, title: 'Later title', description: 'D', state: 'closed', due_date: '2026-05-06' },
        ...{ start_date: null, group_id: null, project_id: 5, ...dates },
      },
    ],
  ]),
};

const bodies = (given: HookEvent, known: HookFacts = facts) =>
  presentHookBodies('event:1', given, known, 'https://forge.example').map((body) => ({
    ...body,
    json: JSON.parse(body.json.toString()),
  }));

const member = (place: object, fact: object): HookEvent => ({
  of: 'membership',
  event: MembershipEvent.fromPartial({
    membershipId: 30,
    userId: 2,
    actorId: 1,
    occurredAt: at,
    ...place,
    fact,
  } as never),
});

const memberTable: [string, object, object, string, object][] = [
  [
    'added to a group',
    { groupId: 4 },
    { $case: 'added', value: { accessLevel: 30 } },
    'user_add_to_group',
    { group_access: 'Developer' },
  ],
  [
    'changed in a group',
    { groupId: 4 },
    { $case: 'changed', value: { accessLevel: 50 } },
    'user_update_for_group',
    { group_access: 'Owner' },
  ],
  [
    'removed from a group',
    { groupId: 4 },
    { $case: 'removed', value: {} },
    'user_remove_from_group',
    { group_access: null },
  ],
  [
    'added to a project',
    { projectId: 5 },
    { $case: 'added', value: { accessLevel: 10 } },
    'user_add_to_team',
    { access_level: 'Guest' },
  ],
  [
    'changed in a project',
    { projectId: 5 },
    { $case: 'changed', value: { accessLevel: 15 } },
    'user_update_for_team',
    { access_level: 'Planner' },
  ],
  [
    'removed from a project',
    { projectId: 5 },
    { $case: 'removed', value: {} },
    'user_remove_from_team',
    { access_level: null },
  ],
];

test.each(memberTable)('a member %s (G-6-3)', (_, place, fact, eventName, part) => {
  const [body, ...others] = bodies(member(place, fact));
  expect(others).toEqual([]);
  expect(body).toMatchObject({ kind: 'member', objectKey: 'member:30', actorId: 1, leastLevel: 0, ...place });
  expect(body?.json).toMatchObject({
    event_name: eventName,
    user_id: 2,
    user_username: 'bob',
    user_email: 'b@forge.example',
    ...part,
    ...('groupId' in place
      ? { group_id: 4, group_name: 'Sub', group_path: 'sub', expires_at: at.toISOString() }
      : { project_id: 5, project_path_with_namespace: 'top/sub/code', project_visibility: 'private' }),
  });
});

const request = (fact: object): HookEvent => ({
  of: 'access_request',
  event: AccessRequestEvent.fromPartial({ requestId: 6, userId: 2, projectId: 5, occurredAt: at, fact } as never),
});

test.each([
  ['requested', 'request', 'user_access_request_to_project'],
  ['denied', 'revoke', 'user_access_request_revoked_for_project'],
  ['withdrawn', 'revoke', 'user_access_request_revoked_for_project'],
])('an access request that was %s is for Maintainers', (fact, action, eventName) => {
  const [body] = bodies(request({ $case: fact, value: {} }));
  expect(body).toMatchObject({ kind: 'member', action, objectKey: 'access_request:6', projectId: 5, leastLevel: 40 });
  expect(body?.json.event_name).toBe(eventName);
});

const ofProject = (fact: object): HookEvent => ({
  of: 'project',
  event: ProjectEvent.fromPartial({ projectId: 5, actorId: 2, occurredAt: at, fact } as never),
});

test.each([
  ['created', {}, 'create', 'project_create', undefined],
  ['renamed', { oldFullPath: 'top/sub/old' }, 'rename', 'project_rename', 'top/sub/old'],
  ['transferred', { oldFullPath: 'old/code' }, 'transfer', 'project_transfer', 'old/code'],
  ['updated', {}, 'update', 'project_update', undefined],
])('a project that was %s', (fact, value, action, eventName, old) => {
  const [body] = bodies(ofProject({ $case: fact, value }));
  expect(body).toMatchObject({ kind: 'project', action, projectId: 5, groupId: 0 });
  expect(body?.json).toMatchObject({ event_name: eventName, project_id: 5, owners: [{ name: 'Bob' }] });
  expect(body?.json.old_path_with_namespace).toBe(old);
});

test('a project that is gone is told of where it lay, from what its event says', () => {
  const project = {
    name: 'Code',
    path: 'code',
    fullPath: 'top/code',
    visibility: 'private',
    namespaceId: 4,
    inGroup: true,
  };
  const gone = { $case: 'deleted', value: { project: { ...project, creatorId: 2 } } };
  const [body] = bodies(ofProject(gone), { ...facts, projects: new Map() });
  expect(body).toMatchObject({ action: 'destroy', projectId: 0, groupId: 4, leastLevel: 10 });
  expect(body?.json).toMatchObject({ event_name: 'project_destroy', project_id: 5, path_with_namespace: 'top/code' });
});

const ofGroup = (fact: object, group: object = {}): HookEvent => ({
  of: 'group',
  event: GroupEvent.fromPartial({
    groupId: 4,
    occurredAt: at,
    group: { name: 'Sub', path: 'sub', fullPath: 'top/sub', visibility: 'public', parentId: 3, ...group },
    fact,
  } as never),
});

test.each([
  ['created', 'create'],
  ['deleted', 'destroy'],
])('a subgroup that was %s has a body for the instance and one for the group above', (fact, action) => {
  const [ofInstance, ofParent] = bodies(ofGroup({ $case: fact, value: {} }));
  expect(ofInstance).toMatchObject({ kind: 'group', action, projectId: 0, groupId: 0, eventId: 'event:1' });
  expect(ofInstance?.json.event_name).toBe(`group_${action}`);
  expect(ofParent).toMatchObject({ kind: 'subgroup', action, groupId: 3, leastLevel: 0, eventId: 'event:1#1' });
  expect(ofParent?.json).toMatchObject({ event_name: `subgroup_${action}`, group_id: 4, parent_group_id: 3 });
  const [, hidden] = bodies(ofGroup({ $case: fact, value: {} }, { visibility: 'private' }));
  expect(hidden).toMatchObject({ leastLevel: 10 });
  expect(bodies(ofGroup({ $case: fact, value: {} }, { parentId: 0 }))).toHaveLength(1);
});

test('a group that was renamed says its old path', () => {
  const fact = { $case: 'renamed', value: { oldName: 'Old', oldPath: 'old', oldFullPath: 'top/old' } };
  expect(bodies(ofGroup(fact))).toMatchObject([
    { kind: 'group', json: { event_name: 'group_rename', old_path: 'old', old_full_path: 'top/old' } },
  ]);
});

const ofMilestone = (fact: object, place: object = { projectId: 5 }): HookEvent => ({
  of: 'milestone',
  event: MilestoneEvent.fromPartial({
    ...{ milestoneId: 8, iid: 1, title: 'M', actorId: 2, occurredAt: at },
    ...place,
    fact,
  } as never),
});

test.each([
  ['created', 'create', 'active'],
  ['closed', 'close', 'closed'],
  ['activated', 'reopen', 'active'],
])('a milestone that was %s (G-6-3)', (fact, action, state) => {
  const [body, ...others] = bodies(ofMilestone({ $case: fact, value: {} }));
  expect(others).toEqual([]);
  expect(body).toMatchObject({ kind: 'milestone', action, objectKey: 'milestone:8', projectId: 5, leastLevel: 0 });
  expect(body?.json).toMatchObject({
    object_kind: 'milestone',
    user: { username: 'bob' },
    project: { path_with_namespace: 'top/sub/code', web_url: 'https://forge.example/top/sub/code' },
    // What the event says stands, whatever came after it.
    object_attributes: { id: 8, title: 'M', state, due_date: '2026-05-06', project_id: 5 },
    action,
  });
});

test('a milestone of a group is for the hooks of the group', () => {
  const [body] = bodies(ofMilestone({ $case: 'created', value: {} }, { groupId: 4 }));
  expect(body).toMatchObject({ projectId: 0, groupId: 4 });
  expect(body?.json).toMatchObject({ group: { group_id: 4, full_path: 'top/sub' } });
  expect(body?.json).not.toHaveProperty('project');
});

const ofUser = (fact: object): HookEvent => ({
  of: 'user',
  event: UserEvent.fromPartial({ userId: 2, occurredAt: at, fact } as never),
});

test.each([
  [
    { $case: 'created', value: {} },
    { event_name: 'user_create', username: 'bob', email: 'b@forge.example' },
  ],
  [
    { $case: 'renamed', value: { oldUsername: 'robert' } },
    { event_name: 'user_rename', old_username: 'robert' },
  ],
  [
    { $case: 'deleted', value: { username: 'bob', name: 'Bob' } },
    { event_name: 'user_destroy', username: 'bob', email: '[REDACTED]' },
  ],
])('a user: %j', (fact, expected) => {
  expect(bodies(ofUser(fact))).toMatchObject([{ kind: 'user', projectId: 0, groupId: 0, json: expected }]);
});

test.each([
  ['added', 'key_create'],
  ['removed', 'key_destroy'],
])('a key that was %s', (fact, eventName) => {
  const event = SshKeyEvent.fromPartial({
    keyId: 7,
    userId: 2,
    key: 'ssh-ed25519 AAAA',
    fact: { $case: fact, value: {} },
  } as never);
  expect(bodies({ of: 'key', event })).toMatchObject([
    {
      kind: 'key',
      objectKey: 'key:7',
      json: { event_name: eventName, username: 'bob', key: 'ssh-ed25519 AAAA', id: 7 },
    },
  ]);
});

const nobody: HookFacts = {
  users: new Map(),
  projects: new Map(),
  groups: new Map(),
  memberships: new Map(),
  milestones: new Map(),
};

test.each<[string, HookEvent, HookFacts]>([
  ['an approved request, which is an addition', request({ $case: 'approved', value: {} }), facts],
  ['a request that lapsed', request({ $case: 'lapsed', value: {} }), facts],
  ['a member of what is gone', member({ groupId: 4 }, { $case: 'removed', value: {} }), nobody],
  ['a milestone with another title', ofMilestone({ $case: 'renamed', value: {} }), facts],
  ['a milestone that is gone', ofMilestone({ $case: 'closed', value: {} }), nobody],
  ['a fork that is none any more', ofProject({ $case: 'forkUnlinked', value: {} }), facts],
  ['a project that is gone, of an earlier version', ofProject({ $case: 'deleted', value: {} }), facts],
  ['a user who was blocked', ofUser({ $case: 'blocked', value: {} }), facts],
  ['a user who is gone, of an earlier version', ofUser({ $case: 'deleted', value: {} }), nobody],
])('%s leads to no hook', (_, event, known) => {
  expect(bodies(event, known)).toEqual([]);
});

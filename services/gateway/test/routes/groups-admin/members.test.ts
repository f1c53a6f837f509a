import { conflict } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { groupLabel, member, milestone, projectLabel } from './samples';

let gateway: TestGateway;
let refused: Error | undefined;

const one = (value: unknown) => page([value], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
const nothing = json(Buffer.alloc(0), 204);
const labelFor = (request: { parent: { groupId: number } }) => (request.parent.groupId > 0 ? groupLabel : projectLabel);

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        access:
          target?.$case === 'group'
            ? { ...projectAccess({ level: 50 }), kind: Access_Kind.KIND_GROUP, id: 3 }
            : projectAccess({ id: 5, level: 50 }),
      }),
    fakes: {
      'MemberService/ListMembers': async () => one(member),
      'MemberService/GetMember': async () => entity(member),
      'MemberService/AddMembers': async () => {
        if (refused !== undefined) throw refused;
        return entity(member);
      },
      'MemberService/UpdateMember': async () => entity(member),
      'MemberService/RemoveMember': async () => nothing,
      'LabelService/ListLabels': async (request: never) => one(labelFor(request)),
      'LabelService/GetLabel': async (request: never) => entity(labelFor(request)),
      'LabelService/CreateLabel': async (request: never) => entity(labelFor(request)),
      'LabelService/UpdateLabel': async (request: never) => entity(labelFor(request)),
      'LabelService/DeleteLabel': async () => nothing,
      'MilestoneService/ListMilestones': async () => one(milestone),
      'MilestoneService/GetMilestone': async () => entity(milestone),
      'MilestoneService/CreateMilestone': async () => entity(milestone),
      'MilestoneService/UpdateMilestone': async () => entity(milestone),
      'MilestoneService/DeleteMilestone': async () => nothing,
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.findLast((call) => call.rpc === rpc)?.request;

describe.each([
  ['groups', { groupId: 3, projectId: 0 }],
  ['projects', { groupId: 0, projectId: 5 }],
])('members of %s', (kind, source) => {
  it('200: lists, with and without inherited ones', async () => {
    expect(
      (await gateway.send('GET', `/${kind}/5/members?query=bo&user_ids=1,2&skip_users=3`, newToken())).status,
    ).toBe(200);
    expect(asked('MemberService/ListMembers')).toMatchObject({
      source,
      query: 'bo',
      userIds: [1, 2],
      skipUserIds: [3],
      inherited: false,
    });
    gateway.calls.length = 0;
    expect((await gateway.send('GET', `/${kind}/5/members/all`, newToken())).status).toBe(200);
    expect(asked('MemberService/ListMembers')).toMatchObject({ source, inherited: true });
  });

  it('200: one of them', async () => {
    expect((await gateway.send('GET', `/${kind}/5/members/8`, newToken())).status).toBe(200);
    expect((await gateway.send('GET', `/${kind}/5/members/all/8`, newToken())).status).toBe(200);
    expect(gateway.calls.filter(({ rpc }) => rpc === 'MemberService/GetMember').map(({ request }) => request)).toEqual([
      { source, userId: 8, inherited: false },
      { source, userId: 8, inherited: true },
    ]);
  });

  it('201, 200, 204: add, change, remove', async () => {
    const body = { user_id: '8,9', access_level: 30, expires_at: '2027-01-01' };
    expect((await gateway.send('POST', `/${kind}/5/members`, { ...newToken(), body })).status).toBe(201);
    expect(asked('MemberService/AddMembers')).toEqual({
      source,
      userIds: [8, 9],
      usernames: [],
      accessLevel: 30,
      expiresAt: '2027-01-01',
    });
    const change = { access_level: 40, expires_at: '' };
    expect((await gateway.send('PUT', `/${kind}/5/members/8`, { ...newToken(), body: change })).status).toBe(200);
    expect(asked('MemberService/UpdateMember')).toEqual({ source, userId: 8, accessLevel: 40, expiresAt: '' });
    const removed = await gateway.send('DELETE', `/${kind}/5/members/8`, newToken());
    expect([removed.status, removed.text]).toEqual([204, '']);
  });

  it.each([
    ['expires_at', 'tomorrow', 'expires_at is invalid'],
    ['expires_at', '2026-02-30', 'expires_at is invalid'],
    ['expires_at', '0000-00-00', 'expires_at is invalid'],
    ['expires_at', '2027-01-01\n', undefined],
    ['expires_at', '999999-01-01', 'expires_at is invalid'],
    ['access_level', 60, 'access_level does not have a valid value'],
    ['access_level', 0, 'access_level does not have a valid value'],
    ['access_level', '30.5', 'access_level is invalid'],
    ['access_level', '9'.repeat(400), 'access_level is invalid'],
  ])('400: %s %j', async (name, value, error) => {
    const body = { user_id: 8, access_level: 30, [name]: value };
    const sent = await gateway.send('POST', `/${kind}/5/members`, { ...newToken(), body });
    expect([sent.status, sent.body]).toEqual(error === undefined ? [201, member] : [400, { error }]);
  });

  it('400: one way to name a user, and a known level', async () => {
    const sent = await gateway.send('POST', `/${kind}/5/members`, { ...newToken(), body: { access_level: 7 } });
    expect([sent.status, sent.body]).toEqual([
      400,
      {
        error:
          'access_level does not have a valid value, user_id, username are missing, exactly one parameter must be provided',
      },
    ]);
  });

  it('409: as the service refuses', async () => {
    refused = conflict('Member already exists');
    const body = { username: 'bob', access_level: 30 };
    const sent = await gateway.send('POST', `/${kind}/5/members`, { ...newToken(), body });
    expect([sent.status, sent.body]).toEqual([409, { message: 'Member already exists' }]);
  });
});

describe.each([
  ['groups', { groupId: 3, projectId: 0 }],
  ['projects', { groupId: 0, projectId: 5 }],
])('labels and milestones of %s', (kind, parent) => {
  it('labels: list, get by title, create, change, delete', async () => {
    expect(
      (await gateway.send('GET', `/${kind}/5/labels?search=b&include_ancestor_groups=false`, newToken())).status,
    ).toBe(200);
    expect(asked('LabelService/ListLabels')).toMatchObject({ parent, search: 'b', includeAncestorGroups: false });
    expect((await gateway.send('GET', `/${kind}/5/labels/a%2Fb%20c`, newToken())).status).toBe(200);
    expect(asked('LabelService/GetLabel')).toMatchObject({ parent, label: 'a/b c' });
    const body = { name: 'bug', color: '#f00', priority: 2 };
    expect((await gateway.send('POST', `/${kind}/5/labels`, { ...newToken(), body })).status).toBe(201);
    expect(asked('LabelService/CreateLabel')).toMatchObject({ parent, name: 'bug', color: '#f00', priority: 2 });
    const change = { new_name: 'x', priority: null };
    expect((await gateway.send('PUT', `/${kind}/5/labels/4`, { ...newToken(), body: change })).status).toBe(200);
    expect(asked('LabelService/UpdateLabel')).toMatchObject({ label: '4', newName: 'x', removePriority: true });
    expect((await gateway.send('DELETE', `/${kind}/5/labels/4`, newToken())).status).toBe(204);
    const empty = await gateway.send('PUT', `/${kind}/5/labels/4`, { ...newToken(), body: {} });
    expect([empty.status, empty.body]).toEqual([
      400,
      { error: 'new_name, color, description, priority are missing, at least one parameter must be provided' },
    ]);
  });

  it('labels: change and delete those that the parameters name', async () => {
    const at = `/${kind}/5/labels`;
    const body = { name: '4', new_name: 'x', color: '#f00' };
    expect((await gateway.send('PUT', at, { ...newToken(), body })).status).toBe(200);
    expect(asked('LabelService/UpdateLabel')).toMatchObject({ parent, label: '4', byTitle: true, newName: 'x' });
    expect((await gateway.send('PUT', at, { ...newToken(), body: { label_id: 4, color: '#f00' } })).status).toBe(200);
    expect(asked('LabelService/UpdateLabel')).toMatchObject({ parent, label: '4', byTitle: false, color: '#f00' });
    expect((await gateway.send('DELETE', `${at}?name=a%2Fb`, newToken())).status).toBe(204);
    expect(asked('LabelService/DeleteLabel')).toMatchObject({ parent, label: 'a/b', byTitle: true });
    expect((await gateway.send('DELETE', `${at}?label_id=4`, newToken())).status).toBe(204);
    expect(asked('LabelService/DeleteLabel')).toMatchObject({ parent, label: '4', byTitle: false });
    for (const [sent, error] of [
      [{ color: '#f00' }, 'label_id, name are missing, exactly one parameter must be provided'],
      [{ label_id: 4, name: 'l', color: '#f00' }, 'label_id, name are mutually exclusive'],
      [{ name: 'l' }, 'new_name, color, description, priority are missing, at least one parameter must be provided'],
      [{ name: ' ', color: '#f00' }, 'name is empty'],
    ])
      expect(await gateway.send('PUT', at, { ...newToken(), body: sent })).toMatchObject({
        status: 400,
        body: { error },
      });
    expect((await gateway.send('DELETE', at, newToken())).status).toBe(400);
  });

  it('milestones: list, create, change, delete', async () => {
    expect((await gateway.send('GET', `/${kind}/5/milestones?iids[]=1&iids[]=2&state=all`, newToken())).status).toBe(
      200,
    );
    expect(asked('MilestoneService/ListMilestones')).toMatchObject({ parent, iids: [1, 2], state: '' });
    if (kind === 'projects') {
      const body = { title: 'v1', due_date: '2026-02-28' };
      expect((await gateway.send('POST', '/projects/5/milestones', { ...newToken(), body })).status).toBe(201);
      const change = { state_event: 'close', due_date: null };
      expect((await gateway.send('PUT', '/projects/5/milestones/6', { ...newToken(), body: change })).status).toBe(200);
      expect(asked('MilestoneService/UpdateMilestone')).toMatchObject({
        milestoneId: 6,
        stateEvent: 'close',
        dueDate: '',
      });
    }
    expect((await gateway.send('DELETE', `/${kind}/5/milestones/6`, newToken())).status).toBe(204);
    const sent = await gateway.send('POST', `/${kind}/5/milestones`, {
      ...newToken(),
      body: { due_date: '2026-02-30' },
    });
    expect([sent.status, sent.body]).toEqual([400, { error: 'title is missing, due_date is invalid' }]);
    const never = await gateway.send('GET', `/${kind}/5/milestones?containing_date=0000-01-01`, newToken());
    expect([never.status, never.body]).toEqual([400, { error: 'containing_date is invalid' }]);
  });
});

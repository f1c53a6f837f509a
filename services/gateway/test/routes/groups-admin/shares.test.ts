import { conflict, notFound } from '@switchyard/errors';
import { GroupProjects } from '@switchyard/protos/groups_admin/v1/project';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { group, groupItem, project } from './samples';

let gateway: TestGateway;
let refused: Error | undefined;

const one = (value: unknown) => page([value], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
const share = { id: 9, project_id: 5, group_id: 8, group_access: 30, expires_at: null };

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
      'ShareService/CreateShare': async ({ source }: { source: { groupId: number } }) => {
        if (refused !== undefined) throw refused;
        return entity(source.groupId > 0 ? group : share);
      },
      'ShareService/DeleteShare': async () => json(Buffer.alloc(0), 204),
      'GroupService/ListGroups': async () => one(groupItem),
      'ProjectService/ListProjects': async () => one(project),
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
])('shares of %s', (kind, source) => {
  it('201, 204: are made and ended', async () => {
    const body = { group_id: 8, group_access: 30, expires_at: '2027-01-01' };
    expect((await gateway.send('POST', `/${kind}/5/share`, { ...newToken(), body })).status).toBe(201);
    const created = { source, groupId: 8, accessLevel: 30, expiresAt: '2027-01-01' };
    expect(asked('ShareService/CreateShare')).toEqual(created);
    expect((await gateway.send('DELETE', `/${kind}/5/share/8`, newToken())).status).toBe(204);
    expect(asked('ShareService/DeleteShare')).toMatchObject({ source, groupId: 8 });
  });

  it.each([
    ['', 'group_id is missing, group_access is missing'],
    ['group_id=8&group_access=5', 'group_access does not have a valid value'],
    ['group_id=8&group_access=45', 'group_access does not have a valid value'],
    ['group_id=x&group_access=30', 'group_id is invalid'],
    ['group_id=8&group_access=30&expires_at=tomorrow', 'expires_at is invalid'],
  ])('400: %p', async (query, error) => {
    const sent = await gateway.send('POST', `/${kind}/5/share?${query}`, newToken());
    expect([sent.status, sent.body]).toEqual([400, { error }]);
    expect(asked('ShareService/CreateShare')).toBeUndefined();
  });

  it('404, 409: as the service says', async () => {
    for (const [refusal, status] of [
      [notFound('Group'), 404],
      [conflict('Group already shared with this group'), 409],
    ] as const) {
      refused = refusal;
      const body = { group_id: 8, group_access: 30 };
      expect((await gateway.send('POST', `/${kind}/5/share`, { ...newToken(), body })).status).toBe(status);
    }
  });

  it('200: invited groups, by their relation', async () => {
    const ways = async (query: string) => {
      expect((await gateway.send('GET', `/${kind}/5/invited_groups?${query}`, newToken())).status).toBe(200);
      return asked('GroupService/ListGroups');
    };
    expect(await ways('search=a&min_access_level=30')).toMatchObject({
      search: 'a',
      minAccessLevel: 30,
      invitedTo: { source, direct: true, inherited: true },
    });
    expect(await ways('relation=direct')).toMatchObject({ invitedTo: { direct: true, inherited: false } });
    expect(await ways('relation[]=inherited')).toMatchObject({ invitedTo: { direct: false, inherited: true } });
    expect((await gateway.send('GET', `/${kind}/5/invited_groups?relation=near`, newToken())).status).toBe(400);
  });
});

it('200: what is shared with a group', async () => {
  await gateway.send('GET', '/groups/3/groups/shared?skip_groups=1&visibility=public&order_by=path', newToken());
  expect(asked('GroupService/ListGroups')).toMatchObject({
    sharedWithGroupId: 3,
    skipGroups: [1],
    visibility: 'public',
    page: { orderBy: 'path' },
  });
  await gateway.send('GET', '/groups/3/projects/shared?archived=false&starred=true', newToken());
  expect(asked('ProjectService/ListProjects')).toMatchObject({
    groupId: 3,
    groupProjects: GroupProjects.GROUP_PROJECTS_SHARED,
    archived: false,
    starred: true,
  });
  for (const [query, expected] of [
    ['', GroupProjects.GROUP_PROJECTS_WITH_SHARED],
    ['?with_shared=false', GroupProjects.GROUP_PROJECTS_UNSPECIFIED],
  ] as const) {
    expect((await gateway.send('GET', `/groups/3/projects${query}`, newToken())).status).toBe(200);
    expect(asked('ProjectService/ListProjects')).toMatchObject({ groupProjects: expected });
  }
});

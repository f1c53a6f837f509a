import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, nothing, page } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { group, groupItem } from './samples';

const attribute = { key: 'city', value: 'Lyon' };
const one = (value: unknown) => page([value], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
const none = page([], { keyset: false, page: 1, perPage: 20, total: 0, hasNext: false });

let gateway: TestGateway;
let admin = true;
let isThere = true;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ token, target }) =>
      resolved({
        actor: token === '' ? anonymous : actor({ admin }),
        access:
          target === undefined || !isThere
            ? undefined
            : projectAccess({
                id: target.$case === 'group' ? 3 : 5,
                kind: target.$case === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
                level: 50,
              }),
      }),
    fakes: {
      'CustomAttributeService/ListCustomAttributes': async () => one(attribute),
      'CustomAttributeService/GetCustomAttribute': async () => entity(attribute),
      'CustomAttributeService/SetCustomAttribute': async () => entity(attribute),
      'CustomAttributeService/DeleteCustomAttribute': async () => nothing(204),
      'GroupService/ListGroups': async () => one(groupItem),
      'GroupService/GetGroup': async () => entity(group),
      'ProjectService/ListProjects': async () => none,
      'UserService/ListUsers': async () => none,
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  admin = true;
  isThere = true;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;
const owners = [
  ['users/7', { userId: 7, groupId: 0, projectId: 0 }],
  ['groups/g', { userId: 0, groupId: 3, projectId: 0 }],
  ['projects/g%2Fp', { userId: 0, groupId: 0, projectId: 5 }],
] as const;

describe.each(owners)('custom attributes of /%s', (path, owner) => {
  const root = `/${path}/custom_attributes`;

  it('200, 204: names owner, key and value', async () => {
    expect((await gateway.send('GET', root, newToken())).body).toEqual([attribute]);
    expect(asked('CustomAttributeService/ListCustomAttributes')).toMatchObject({ owner });
    expect((await gateway.send('GET', `${root}/a%2Fb`, newToken())).body).toEqual(attribute);
    expect(asked('CustomAttributeService/GetCustomAttribute')).toEqual({ owner, key: 'a/b' });
    expect((await gateway.send('PUT', `${root}/city`, { ...newToken(), body: { value: 'Lyon' } })).status).toBe(200);
    expect(asked('CustomAttributeService/SetCustomAttribute')).toEqual({ owner, key: 'city', value: 'Lyon' });
    expect((await gateway.send('DELETE', `${root}/city`, newToken())).status).toBe(204);
  });

  it('400, 401, 403: without a value, without a token, and for ordinary users', async () => {
    expect((await gateway.send('PUT', `${root}/city`, newToken())).body).toEqual({ error: 'value is missing' });
    expect((await gateway.send('GET', root)).status).toBe(401);
    admin = false;
    expect((await gateway.send('GET', root, newToken())).body).toEqual({ message: '403 Forbidden' });
    expect((await gateway.send('PUT', `${root}/city`, { ...newToken(), body: { value: 'x' } })).status).toBe(403);
    isThere = false;
    expect((await gateway.send('GET', root, newToken())).status).toBe(403);
    expect(asked('CustomAttributeService/SetCustomAttribute')).toBeUndefined();
  });
});

describe('lists', () => {
  const query = 'with_custom_attributes=true&custom_attributes[city]=Lyon&custom_attributes[n]=1';
  const lists = [
    ['/users', 'UserService/ListUsers'],
    ['/groups', 'GroupService/ListGroups'],
    ['/groups/3/subgroups', 'GroupService/ListGroups'],
    ['/projects', 'ProjectService/ListProjects'],
    ['/groups/3/projects', 'ProjectService/ListProjects'],
  ] as const;

  it.each(lists)('%s filters by custom attributes and shows them, for administrators', async (path, rpc) => {
    expect((await gateway.send('GET', `${path}?${query}`, newToken())).status).toBe(200);
    expect(asked(rpc)).toMatchObject({
      withCustomAttributes: true,
      customAttributes: { values: { city: 'Lyon', n: '1' } },
    });
  });

  it.each(lists)('%s ignores them from others (G-4.15-11)', async (path, rpc) => {
    admin = false;
    expect((await gateway.send('GET', `${path}?${query}&custom_attributes[x][]=1`, newToken())).status).toBe(200);
    const request = asked(rpc) as { withCustomAttributes: unknown; customAttributes: unknown };
    expect([request.withCustomAttributes, request.customAttributes]).toEqual([undefined, undefined]);
  });

  const many = Array.from({ length: 21 }, (_, at) => `custom_attributes[k${at}]=v`).join('&');
  it.each(['custom_attributes=x', 'custom_attributes[a][b]=c', 'custom_attributes[]=c', many])(
    '400: %s',
    async (sent) => {
      expect((await gateway.send('GET', `/groups?${sent}`, newToken())).body).toEqual({
        error: 'custom_attributes is invalid',
      });
    },
  );

  it('statistics of groups are for administrators, of projects for those the service shows them to', async () => {
    const shownBy = async (path: string, rpc: string) => {
      gateway.calls.length = 0;
      await gateway.send('GET', `${path}?statistics=true`, newToken());
      return (asked(rpc) as { withStatistics: unknown }).withStatistics;
    };
    expect(await shownBy('/groups', 'GroupService/ListGroups')).toBe(true);
    expect(await shownBy('/groups/3', 'GroupService/GetGroup')).toBe(true);
    admin = false;
    expect(await shownBy('/groups', 'GroupService/ListGroups')).toBeUndefined();
    expect(await shownBy('/groups/3', 'GroupService/GetGroup')).toBeUndefined();
    expect(await shownBy('/projects', 'ProjectService/ListProjects')).toBe(true);
  });
});

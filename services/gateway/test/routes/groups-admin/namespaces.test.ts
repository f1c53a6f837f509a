import { entity, page } from '@switchyard/rpc';
import { resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const namespace = {
  id: 3,
  name: 'Sub',
  path: 'sub',
  kind: 'group',
  full_path: 'top/sub',
  parent_id: 1,
  avatar_url: null,
  web_url: 'https://forge.example/groups/top/sub',
  plan: 'ultimate',
  members_count_with_descendants: 2,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => resolved(),
    fakes: {
      'NamespaceService/ListNamespaces': async () =>
        page([namespace], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      'NamespaceService/GetNamespace': async () => entity(namespace),
      'NamespaceService/CheckNamespaceExists': async () => entity({ exists: true, suggests: ['sub1'] }),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.calls.length = 0;
});

const token = { token: 'a token of some user' };
const asked = () => gateway.calls.find((call) => call.rpc !== 'AccessService/Resolve')?.request;

describe('namespaces', () => {
  it('200: are listed, found by an encoded path, and checked below a parent', async () => {
    expect((await gateway.send('GET', '/namespaces?owned_only=1&search=s', token)).body).toEqual([namespace]);
    expect(asked()).toMatchObject({ search: 's', ownedOnly: true, topLevelOnly: false });
    gateway.calls.length = 0;
    expect((await gateway.send('GET', '/namespaces/top%2Fsub', token)).status).toBe(200);
    expect(asked()).toEqual({ namespace: 'top/sub' });
    gateway.calls.length = 0;
    expect((await gateway.send('GET', '/namespaces/sub/exists?parent_id=1', token)).body.exists).toBe(true);
    expect(asked()).toEqual({ path: 'sub', parentId: 1 });
  });

  it('400: a parent that is no number', async () => {
    expect((await gateway.send('GET', '/namespaces/sub/exists?parent_id=x', token)).body).toEqual({
      error: 'parent_id is invalid',
    });
  });
});

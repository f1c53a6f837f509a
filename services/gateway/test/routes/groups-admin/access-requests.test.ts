import { forbidden, invalid } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, nothing, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { member } from './samples';

const accessRequest = {
  id: 8,
  username: 'bob',
  public_email: '',
  name: 'Bob',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/bob',
  requested_at: '2026-01-31T08:39:14.883Z',
};
const membership = { source_id: 3, source_name: 'G', source_type: 'Namespace', access_level: 30 };
const info = { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false };

let gateway: TestGateway;
let refused: Error | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        actor: actor({ admin: true }),
        access:
          target?.$case === 'group'
            ? { ...projectAccess({ level: 50 }), kind: Access_Kind.KIND_GROUP, id: 3 }
            : projectAccess({ id: 5, level: 50 }),
      }),
    fakes: {
      'AccessRequestService/ListAccessRequests': async () => page([accessRequest], info),
      'AccessRequestService/CreateAccessRequest': async () => {
        if (refused !== undefined) throw refused;
        return entity(accessRequest);
      },
      'AccessRequestService/ApproveAccessRequest': async () => entity(member),
      'AccessRequestService/DeleteAccessRequest': async () => nothing(204),
      'MemberService/ListUserMemberships': async () => page([membership], info),
    },
  });
});
afterAll(() => gateway?.close());
beforeEach(() => {
  refused = undefined;
});

const token = { token: 'token of access requests' };
const lastRequest = () => gateway.calls.at(-1)?.request;

describe.each([
  ['groups', { groupId: 3, projectId: 0 }],
  ['projects', { groupId: 0, projectId: 5 }],
])('access requests of %s', (kind, source) => {
  const path = `/${kind}/5/access_requests`;

  it('200 and 201: list and request', async () => {
    expect(await gateway.send('GET', `${path}?per_page=1`, token)).toMatchObject({
      status: 200,
      body: [accessRequest],
    });
    expect(lastRequest()).toMatchObject({ source, page: { perPage: 1 } });
    expect(await gateway.send('GET', `${path}?pagination=keyset`, token)).toMatchObject({ status: 200 });
    expect(await gateway.send('POST', path, token)).toMatchObject({ status: 201, body: accessRequest });
    expect(lastRequest()).toEqual({ source });
  });

  it('201: approve, as a Developer by default', async () => {
    expect(await gateway.send('PUT', `${path}/8/approve`, token)).toMatchObject({ status: 201, body: member });
    expect(lastRequest()).toEqual({ source, userId: 8, accessLevel: 30 });
    const body = { access_level: '40' };
    expect(await gateway.send('PUT', `${path}/8/approve`, { ...token, body })).toMatchObject({ status: 201 });
    expect(lastRequest()).toEqual({ source, userId: 8, accessLevel: 40 });
  });

  it('204: deny or withdraw', async () => {
    expect(await gateway.send('DELETE', `${path}/8`, token)).toMatchObject({ status: 204, text: '' });
    expect(lastRequest()).toEqual({ source, userId: 8 });
  });

  it('400: a level that does not exist, and a user who is no number', async () => {
    const body = { access_level: 25 };
    expect(await gateway.send('PUT', `${path}/8/approve`, { ...token, body })).toMatchObject({
      status: 400,
      body: { error: 'access_level does not have a valid value' },
    });
    expect(await gateway.send('DELETE', `${path}/bob`, token)).toMatchObject({
      status: 400,
      body: { error: 'user_id is invalid' },
    });
  });

  it('400 and 403: as the service refuses', async () => {
    refused = invalid({ user_id: ['already exists in source'] });
    expect(await gateway.send('POST', path, token)).toMatchObject({
      status: 400,
      body: { message: { user_id: ['already exists in source'] } },
    });
    refused = forbidden();
    expect(await gateway.send('POST', path, token)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
  });
});

it('memberships of a user', async () => {
  expect(await gateway.send('GET', '/users/8/memberships', token)).toMatchObject({ status: 200, body: [membership] });
  expect(lastRequest()).toMatchObject({ userId: 8, type: 'SOURCE_TYPE_UNSPECIFIED' });
  expect(await gateway.send('GET', '/users/8/memberships?type=Project&pagination=keyset', token)).toMatchObject({
    status: 200,
  });
  expect(lastRequest()).toMatchObject({ userId: 8, type: 'SOURCE_TYPE_PROJECT', page: { keyset: true } });
  expect(await gateway.send('GET', '/users/8/memberships?type=Group', token)).toMatchObject({
    status: 400,
    body: { error: 'type does not have a valid value' },
  });
});

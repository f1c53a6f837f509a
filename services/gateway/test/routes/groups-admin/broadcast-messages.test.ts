import { invalid } from '@switchyard/errors';
import { anonymous, entity, nothing, page } from '@switchyard/rpc';
import { actor, newToken, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const message = {
  id: 1,
  message: 'Maintenance',
  starts_at: '2026-01-01T00:00:00.000Z',
  ends_at: '2026-01-01T01:00:00.000Z',
  color: '#E75E40',
  font: '#FFFFFF',
  active: false,
  target_access_levels: [10, 30],
  target_path: '*/welcome',
  broadcast_type: 'banner',
  dismissable: false,
  theme: 'indigo',
};

let gateway: TestGateway;
let admin = true;
let refused: Error | undefined;
const reply = async () => {
  if (refused !== undefined) throw refused;
  return entity(message);
};

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ token }) => resolved({ actor: token === '' ? anonymous : actor({ admin }) }),
    fakes: {
      'BroadcastMessageService/ListBroadcastMessages': async () =>
        page([message], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      'BroadcastMessageService/GetBroadcastMessage': reply,
      'BroadcastMessageService/CreateBroadcastMessage': reply,
      'BroadcastMessageService/UpdateBroadcastMessage': reply,
      'BroadcastMessageService/DeleteBroadcastMessage': async () => nothing(204),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  admin = true;
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `BroadcastMessageService/${rpc}`)?.request;
const root = '/broadcast_messages';

it('200: everyone reads them without a token (api.md 4.13)', async () => {
  const list = await gateway.send('GET', root);
  expect(list.status).toBe(200);
  expect(list.body).toEqual([message]);
  expect((await gateway.send('GET', `${root}/1`)).body).toEqual(message);
  expect((await gateway.send('GET', `${root}/x`)).body).toEqual({ error: 'id is invalid' });
});

it('201, 200, 204: passes every field on (G-4.13-2)', async () => {
  const body = {
    message: 'Maintenance',
    starts_at: '2030-01-01T00:00:00Z',
    ends_at: '2030-01-01T01:00:00Z',
    font: '#fff',
    target_access_levels: [10, 30],
    target_path: '*/welcome',
    broadcast_type: 'notification',
    dismissable: 'yes',
    theme: 'indigo',
  };
  const settings = {
    message: 'Maintenance',
    startsAt: new Date('2030-01-01T00:00:00Z'),
    endsAt: new Date('2030-01-01T01:00:00Z'),
    font: '#fff',
    targetAccessLevels: { levels: [10, 30] },
    targetPath: '*/welcome',
    broadcastType: 'notification',
    dismissable: true,
    theme: 'indigo',
  };
  expect((await gateway.send('POST', root, { ...newToken(), body })).status).toBe(201);
  expect(asked('CreateBroadcastMessage')).toEqual({ settings });
  expect((await gateway.send('PUT', `${root}/1`, { ...newToken(), body })).status).toBe(200);
  expect(asked('UpdateBroadcastMessage')).toEqual({ broadcastMessageId: 1, settings });
  gateway.calls.length = 0;
  await gateway.send('PUT', `${root}/1`, { ...newToken(), body: { target_access_levels: [] } });
  expect(asked('UpdateBroadcastMessage')).toMatchObject({ settings: { targetAccessLevels: { levels: [] } } });
  expect((await gateway.send('DELETE', `${root}/1`, newToken())).status).toBe(204);
});

it.each([
  [{}, 'message is missing'],
  [{ message: 'm', target_access_levels: [11] }, 'target_access_levels does not have a valid value'],
  [{ message: 'm', target_access_levels: '10,x' }, 'target_access_levels is invalid'],
  [{ message: 'm', broadcast_type: 'popup' }, 'broadcast_type does not have a valid value'],
  [{ message: 'm', theme: 'pink' }, 'theme does not have a valid value'],
  [{ message: 'm', starts_at: 'soon', theme: 'pink' }, 'starts_at is invalid, theme does not have a valid value'],
])('400: %j (G-4.13-3)', async (body, error) => {
  const sent = await gateway.send('POST', root, { ...newToken(), body });
  expect([sent.status, sent.body]).toEqual([400, { error }]);
});

it('400: a bad font is refused by the service (G-4.13-3)', async () => {
  refused = invalid({ font: ['must be a valid color code'] });
  const sent = await gateway.send('POST', root, { ...newToken(), body: { message: 'm', font: 'red' } });
  expect([sent.status, sent.body]).toEqual([400, { message: { font: ['must be a valid color code'] } }]);
});

it.each(['POST /broadcast_messages', 'PUT /broadcast_messages/1', 'DELETE /broadcast_messages/1'])(
  '401 without a token, 403 for ordinary users: %s (G-4.13-3, G-7-13)',
  async (operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const unauthorized = await gateway.send(method, path, { body: {} });
    expect([unauthorized.status, unauthorized.body]).toEqual([401, { message: '401 Unauthorized' }]);
    admin = false;
    const forbidden = await gateway.send(method, path, { ...newToken(), body: {} });
    expect([forbidden.status, forbidden.body]).toEqual([403, { message: '403 Forbidden' }]);
  },
);

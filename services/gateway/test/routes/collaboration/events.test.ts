import { page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const event = {
  id: 3,
  project_id: 1,
  title: null,
  action_name: 'pushed to',
  target_id: null,
  target_iid: null,
  target_type: null,
  author_id: 7,
  target_title: null,
  created_at: '2026-01-02T03:04:05.678Z',
  author: {
    id: 7,
    username: 'ada',
    public_email: 'ada@example.com',
    name: 'Ada',
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: 'https://forge.example/ada',
  },
  imported: false,
  imported_from: 'none',
  push_data: {
    commit_count: 1,
    action: 'pushed',
    ref_type: 'branch',
    commit_from: 'a'.repeat(40),
    commit_to: 'b'.repeat(40),
    ref: 'main',
    commit_title: 'First',
    ref_count: null,
  },
  author_username: 'ada',
};

const token = { token: 'glpat-event' };
const filters = 'action=pushed&target_type=merge_request&before=2026-01-05&after=2026-01-02';

describe('activity events', () => {
  let gateway: TestGateway;
  const info = { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false };

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: ({ token: presented, target }) =>
        resolved({
          ...(presented === '' ? { actor: undefined } : {}),
          ...(target === undefined ? {} : { access: projectAccess() }),
        }),
      fakes: {
        'EventService/ListEvents': async () => page([event], info),
        'EventService/ListUserEvents': async () => page([event], info),
        'EventService/ListProjectEvents': async () => page([{ ...event, data: null }], info),
      },
    });
  });
  afterAll(() => gateway.close());

  const asked = () => gateway.calls.at(-1)?.request;
  const filter = { action: 'pushed', targetType: 'merge_request', before: '2026-01-05', after: '2026-01-02' };

  it('GET /events passes filters, order and scope on', async () => {
    const reply = await gateway.send('GET', `/events?${filters}&scope=all&sort=asc&per_page=2`, token);
    expect(reply).toMatchObject({ status: 200, body: [{ id: 3 }] });
    expect(asked()).toMatchObject({ filter, allProjects: true, page: { perPage: 2, descending: false } });
    await gateway.send('GET', '/events?scope=mine', token);
    expect(asked()).toMatchObject({ allProjects: false, page: { descending: true } });
    expect((await gateway.send('GET', '/events')).status).toBe(401);
  });

  it('GET /users/:id/events takes an id or a username, with or without a token', async () => {
    expect((await gateway.send('GET', `/users/ada/events?${filters}`)).status).toBe(200);
    expect(asked()).toMatchObject({ user: 'ada', filter });
  });

  it('GET /projects/:id/events', async () => {
    const reply = await gateway.send('GET', `/projects/1/events?${filters}`);
    expect(reply).toMatchObject({ status: 200, body: [{ data: null }] });
    expect(asked()).toMatchObject({ projectId: 1, filter });
  });

  it('400: names every bad filter (G-4.8-1)', async () => {
    const reply = await gateway.send('GET', '/events?action=x&target_type=y&before=z&after=2026-02-30&sort=q', token);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      error:
        'action does not have a valid value, target_type does not have a valid value, before is invalid, after is invalid, sort does not have a valid value',
    });
  });
});

import { entity, json, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const todo = {
  id: 3,
  project: {
    id: 1,
    name: 'Rails',
    name_with_namespace: 'Team / Rails',
    path: 'rails',
    path_with_namespace: 'team/rails',
  },
  author: {
    id: 7,
    username: 'ada',
    public_email: 'ada@example.com',
    name: 'Ada',
    state: 'active',
    locked: false,
    avatar_url: 'https://x.example/a.png',
    web_url: 'https://forge.example/ada',
  },
  action_name: 'assigned',
  target_type: 'MergeRequest',
  target: {
    id: 9,
    iid: 2,
    title: 'Change',
    state: 'opened',
    web_url: 'https://forge.example/team/rails/-/merge_requests/2',
  },
  target_url: 'https://forge.example/team/rails/-/merge_requests/2',
  body: 'Change',
  state: 'pending',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const token = { token: 'glpat-todo' };

describe('to-dos', () => {
  let gateway: TestGateway;
  let pending = false;
  let access = true;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: ({ token: presented, target }) =>
        resolved({
          ...(presented === '' ? { actor: undefined } : {}),
          ...(target !== undefined && access ? { access: projectAccess() } : {}),
        }),
      fakes: {
        'TodoService/ListTodos': async () =>
          page([todo], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
        'TodoService/MarkTodoAsDone': async () =>
          entity({ ...todo, state: 'done', target: { ...todo.target, subscribed: true } }),
        'TodoService/MarkAllTodosAsDone': async () => json(Buffer.alloc(0)),
        'TodoService/CreateMergeRequestTodo': async () =>
          pending ? json(Buffer.alloc(0), 304) : entity({ ...todo, action_name: 'marked' }),
        'TodoService/CreateAlertTodo': async () =>
          pending
            ? json(Buffer.alloc(0), 304)
            : entity({
                ...todo,
                action_name: 'marked',
                target_type: 'AlertManagement::Alert',
                target: { id: 9, iid: 2, title: 'Disk full', status: 'triggered', web_url: todo.target_url },
              }),
      },
    });
  });
  afterAll(() => gateway.close());

  const asked = () => gateway.calls.at(-1)?.request;

  describe('GET /todos', () => {
    it('200: passes every filter on', async () => {
      const reply = await gateway.send(
        'GET',
        '/todos?action=review_requested&author_id=4&project_id=5&group_id=6&state=done&type=MergeRequest&per_page=2',
        token,
      );
      expect(reply.status).toBe(200);
      expect(reply.headers.get('X-Total')).toBe('1');
      expect(reply.body).toHaveLength(1);
      expect(asked()).toMatchObject({
        filter: {
          action: 'review_requested',
          authorId: 4,
          projectId: 5,
          groupId: 6,
          state: 'done',
          targetType: 'MergeRequest',
        },
        page: { perPage: 2 },
      });
    });

    it('400: names every bad filter (G-4.9-2)', async () => {
      const reply = await gateway.send('GET', '/todos?action=x&state=y&type=z&author_id=q', token);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({
        error:
          'action does not have a valid value, author_id is invalid, state does not have a valid value, type does not have a valid value',
      });
    });

    it('401: without a token', async () => {
      expect((await gateway.send('GET', '/todos')).status).toBe(401);
    });
  });

  describe('POST /todos/:id/mark_as_done', () => {
    it('201: gives the item', async () => {
      const reply = await gateway.send('POST', '/todos/3/mark_as_done', token);
      expect(reply).toMatchObject({ status: 201, body: { state: 'done', target: { subscribed: true } } });
      expect(asked()).toEqual({ id: 3 });
    });

    it('400: the id is a number', async () => {
      const reply = await gateway.send('POST', '/todos/x/mark_as_done', token);
      expect(reply).toMatchObject({ status: 400, body: { error: 'id is invalid' } });
    });
  });

  describe('POST /todos/mark_as_done', () => {
    it('204: takes the filters of the list', async () => {
      const reply = await gateway.send('POST', '/todos/mark_as_done', {
        ...token,
        body: { type: 'MergeRequest', author_id: 0 },
      });
      expect(reply).toMatchObject({ status: 204, text: '' });
      expect(asked()).toMatchObject({ filter: { targetType: 'MergeRequest', authorId: 0, projectId: undefined } });
    });
  });

  describe('POST /projects/:id/merge_requests/:merge_request_iid/todo', () => {
    const path = '/projects/group%2Fproject/merge_requests/2/todo';
    const onAlert = '/projects/group%2Fproject/alert_management_alerts/2/todo';

    it.each([
      [path, { projectId: 1, mergeRequestIid: 2 }],
      [onAlert, { projectId: 1, alertIid: 2 }],
    ])('201: gives the new item, %s', async (at, named) => {
      const reply = await gateway.send('POST', at, token);
      expect(reply).toMatchObject({ status: 201, body: { action_name: 'marked' } });
      expect(asked()).toEqual(named);
    });

    it.each([path, onAlert])('304: without a body, when one is pending, %s', async (at) => {
      pending = true;
      expect(await gateway.send('POST', at, token)).toMatchObject({ status: 304, text: '' });
      pending = false;
    });

    it('404: on a project the caller does not see', async () => {
      access = false;
      expect(await gateway.send('POST', path, { token: 'an outsider' })).toMatchObject({
        status: 404,
        body: { message: '404 Project Not Found' },
      });
      access = true;
    });

    it('401: without a token', async () => {
      expect((await gateway.send('POST', path)).status).toBe(401);
    });
  });
});

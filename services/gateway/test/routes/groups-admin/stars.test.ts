import { entity, nothing, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { project } from './samples';

let gateway: TestGateway;
let starred = false;
const bob = {
  id: 3,
  username: 'bob',
  public_email: '',
  name: 'Bob',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/bob',
};

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => resolved({ access: projectAccess({ id: 5, level: 10 }) }),
    fakes: {
      'StarService/SetProjectStar': async () => (starred ? nothing(304) : entity(project, 201)),
      'StarService/ListProjectStarrers': async () =>
        page([{ starred_since: '2026-01-02T03:04:05.000Z', user: bob }], {
          keyset: false,
          page: 1,
          perPage: 20,
          hasNext: false,
        }),
      'ProjectService/ListProjects': async () =>
        page([project], { keyset: false, page: 1, perPage: 20, hasNext: false }),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;

test.each([
  ['star', true],
  ['unstar', false],
])('POST /projects/:id/%s answers the project, or 304', async (verb, wanted) => {
  starred = false;
  const reply = await gateway.send('POST', `/projects/5/${verb}`, newToken());
  expect([reply.status, reply.body]).toEqual([201, project]);
  expect(asked('StarService/SetProjectStar')).toEqual({ projectId: 5, starred: wanted });
  starred = true;
  const again = await gateway.send('POST', `/projects/5/${verb}`, newToken());
  expect([again.status, again.text]).toEqual([304, '']);
});

test('GET /projects/:id/starrers passes the search on', async () => {
  const reply = await gateway.send('GET', '/projects/5/starrers?search=bo', newToken());
  expect([reply.status, reply.body[0].user.username]).toEqual([200, 'bob']);
  expect(asked('StarService/ListProjectStarrers')).toMatchObject({ projectId: 5, search: 'bo' });
});

test('GET /users/:id/starred_projects takes the filters of projects', async () => {
  expect((await gateway.send('GET', '/users/bob/starred_projects?archived=true', newToken())).status).toBe(200);
  expect(asked('ProjectService/ListProjects')).toMatchObject({ starredBy: 'bob', user: '', archived: true });
});

import { AppError, notFound } from '@switchyard/errors';
import { entity, nothing, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { project } from './samples';

let gateway: TestGateway;
let answer = resolved();
let refused: Error | undefined;
let deleted = 204;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      'ForkService/ForkProject': async () => {
        if (refused !== undefined) throw refused;
        return entity(project);
      },
      'ForkService/CreateForkRelation': async () => entity(project),
      'ForkService/DeleteForkRelation': async () => nothing(deleted),
      'ProjectService/ListProjects': async () =>
        page([project], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ access: projectAccess({ id: 5, level: 50 }) });
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;
const fork = (body?: object) => gateway.send('POST', '/projects/5/fork', { ...newToken(), body });

describe('POST /projects/:id/fork', () => {
  it('201: passes every parameter on', async () => {
    const sent = await fork({
      namespace_path: 'acme/web',
      name: 'N',
      path: 'p',
      description: 'd',
      visibility: 'private',
      branches: 'main',
      mr_default_target_self: true,
    });
    expect([sent.status, sent.body]).toEqual([201, project]);
    expect(asked('ForkService/ForkProject')).toEqual({
      projectId: 5,
      namespace: 'acme/web',
      name: 'N',
      path: 'p',
      description: 'd',
      visibility: 'private',
      branch: 'main',
      mrDefaultTargetSelf: true,
    });
  });

  it.each([
    [undefined, ''],
    [{ namespace: 'acme' }, 'acme'],
    [{ namespace: 12 }, '12'],
    [{ namespace_id: 12 }, '12'],
  ])('201: the namespace of %p is "%s"', async (body, namespace) => {
    expect((await fork(body)).status).toBe(201);
    expect(asked('ForkService/ForkProject')).toMatchObject({ namespace, name: undefined, branch: undefined });
  });

  it('400: one namespace, and known words', async () => {
    const sent = await fork({
      namespace_id: 1,
      namespace_path: 'a',
      visibility: 'secret',
      mr_default_target_self: 'perhaps',
    });
    expect(sent.status).toBe(400);
    const { error } = sent.body as { error: string };
    expect(error).toContain('visibility does not have a valid value');
    expect(error).toContain('namespace_id, namespace_path are mutually exclusive');
    expect(error).toContain('mr_default_target_self');
  });

  it('404 and 409 as the service says', async () => {
    refused = notFound('Target Namespace');
    expect([(await fork()).status, (await fork()).body]).toEqual([404, { message: '404 Target Namespace Not Found' }]);
    const message = { name: ['has already been taken'], path: ['has already been taken'] };
    refused = new AppError('conflict', { message });
    expect([(await fork()).status, (await fork()).body]).toEqual([409, { message }]);
  });

  it('401 without a token', async () => {
    answer = resolved({ access: projectAccess({ id: 5, level: 0, visibility: 'public' }), actor: undefined });
    expect((await gateway.send('POST', '/projects/5/fork')).status).toBe(401);
  });
});

it('GET /projects/:id/forks 200: with the filters of lists of projects', async () => {
  const sent = await gateway.send('GET', '/projects/5/forks?visibility=public&search=x&order_by=name', newToken());
  expect([sent.status, sent.body]).toEqual([200, [project]]);
  expect(asked('ProjectService/ListProjects')).toMatchObject({ forksOf: 5, visibility: 'public', search: 'x' });
});

it('POST /projects/:id/fork/:forked_from_id 201: by id or path', async () => {
  for (const [name, forkedFrom] of [
    ['7', '7'],
    ['g%2Fp', 'g/p'],
  ]) {
    gateway.calls.length = 0;
    expect((await gateway.send('POST', `/projects/5/fork/${name}`, newToken())).status).toBe(201);
    expect(asked('ForkService/CreateForkRelation')).toEqual({ projectId: 5, forkedFrom });
  }
});

it('DELETE /projects/:id/fork 204, 304 for no fork', async () => {
  deleted = 204;
  expect((await gateway.send('DELETE', '/projects/5/fork', newToken())).status).toBe(204);
  expect(asked('ForkService/DeleteForkRelation')).toEqual({ projectId: 5, ifUnmodifiedSince: undefined });
  deleted = 304;
  expect((await gateway.send('DELETE', '/projects/5/fork', newToken())).status).toBe(304);
});

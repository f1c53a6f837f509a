import {
  ResolveRequest_TokenKind as Kind,
  ResolveResponse_TokenRefusal as Token,
} from '@switchyard/protos/groups_admin/v1/access';
import { anonymous, entity } from '@switchyard/rpc';
import { defineRoute } from '../../src/http/route';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

/** Routes as those of packages will be. */
const packages = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/packages',
    section: 'Instance',
    summary: 'Read packages',
    access: { project: 'read_code' },
    scopes: ['read_package_registry'],
    tokens: ['job', 'deploy'],
    returns: { 200: 'Thing' },
    handle: async () => entity({}),
  }),
  defineRoute({
    method: 'put',
    path: '/projects/:id/packages',
    section: 'Instance',
    summary: 'Write packages',
    access: { project: 'push_code' },
    scopes: ['write_package_registry'],
    tokens: ['deploy'],
    returns: { 200: 'Thing' },
    handle: async ({ actor: { deployTokenId, job } }) => entity({ deployTokenId, job }),
  }),
  defineRoute({
    method: 'get',
    path: '/open',
    section: 'Instance',
    summary: 'Open to everybody',
    access: 'public',
    returns: { 200: 'Thing' },
    handle: async () => entity({}),
  }),
];

const deploy = (scopes: string[], level: number) =>
  resolved({
    actor: { ...anonymous, external: true, deployTokenId: 5, scopes },
    access: projectAccess({ level }),
  });

let gateway: TestGateway;
const asked: { tokenKind: Kind; username: string; token: string }[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({
    routes: packages,
    config: { SWITCHYARD_APPLICATION_LIMITS: 0 },
    access: ({ tokenKind, username, token }) => {
      asked.push({ tokenKind, username, token });
      if (token === 'gldt-read') return deploy(['read_package_registry'], 20);
      if (token === 'gldt-write') return deploy(['write_package_registry'], 30);
      if (token === 'gldt-late') return resolved({ actor: undefined, tokenRefusal: Token.TOKEN_REFUSAL_EXPIRED });
      if (token === 'glcbt-job')
        return resolved({
          actor: actor({ scopes: [], job: { projectId: 1, pipelineId: 9 } }),
          access: projectAccess({ level: 30 }),
        });
      if (token === 'glpat-user' && tokenKind === Kind.TOKEN_KIND_UNSPECIFIED)
        return resolved({ access: projectAccess({ level: 30 }) });
      return token === ''
        ? resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0 }) })
        : resolved({ actor: undefined, tokenRefusal: Token.TOKEN_REFUSAL_UNKNOWN });
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  asked.length = 0;
});

const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const status = async (headers: Record<string, string>, method = 'GET', path = '/projects/1/packages') =>
  (await gateway.send(method, path, { headers })).status;

describe('tokens of machines, where a route takes them', () => {
  it('come in a header of their own, or as Basic credentials (G-4.17-12)', async () => {
    expect(await status({ 'Deploy-Token': 'gldt-read' })).toBe(200);
    expect(await status(basic('cluster', 'gldt-read'))).toBe(200);
    expect(await status({ 'JOB-TOKEN': 'glcbt-job' })).toBe(200);
    expect(await status(basic('gitlab-ci-token', 'glcbt-job'))).toBe(200);
    expect(await status(basic('anyone', 'glpat-user'))).toBe(200);
    expect(await status({}, 'GET', '/projects/1/packages?job_token=glcbt-job')).toBe(200);
    expect(asked.map(({ tokenKind, username }) => [tokenKind, username])).toEqual([
      [Kind.TOKEN_KIND_DEPLOY, ''],
      [Kind.TOKEN_KIND_DEPLOY, 'cluster'],
      [Kind.TOKEN_KIND_JOB, ''],
      [Kind.TOKEN_KIND_UNSPECIFIED, ''],
    ]);
  });

  it('of which a deploy token without its username is none', async () => {
    await status(basic('', 'gldt-read'));
    expect(asked).toEqual([{ token: 'gldt-read', tokenKind: Kind.TOKEN_KIND_DEPLOY, username: ':' }]);
  });

  it('have the scopes and the level of the route to have, and sign in no one', async () => {
    const put = await gateway.send('PUT', '/projects/1/packages', { headers: { 'Deploy-Token': 'gldt-write' } });
    expect([put.status, put.body]).toEqual([200, { deployTokenId: 5 }]);
    const read = await gateway.send('PUT', '/projects/1/packages', { headers: { 'Deploy-Token': 'gldt-read' } });
    expect([read.status, read.body.error]).toEqual([403, 'insufficient_scope']);
    expect(await status({ 'Deploy-Token': 'gldt-write' })).toBe(403);
    expect(await status({ 'JOB-TOKEN': 'glcbt-job' }, 'PUT')).toBe(401);
  });

  it('are 401 when wrong, also where none is needed, and say when they are spent (G-5-2, G-5-3)', async () => {
    const wrong: Record<string, string>[] = [
      { 'Deploy-Token': 'gldt-wrong' },
      { 'JOB-TOKEN': 'glcbt-wrong' },
      { 'PRIVATE-TOKEN': 'glcbt-wrong' },
      basic('x', 'wrong'),
    ];
    for (const headers of wrong) expect(await status(headers)).toBe(401);
    const right: Record<string, string>[] = [{ 'Deploy-Token': 'gldt-read' }, { 'JOB-TOKEN': 'glcbt-job' }];
    for (const headers of right) expect(await status(headers, 'GET', '/open')).toBe(401);
    expect(await status({}, 'GET', '/open?job_token=glcbt-job')).toBe(401);
    expect(await status(basic('x', 'wrong'), 'GET', '/open')).toBe(200);
    const late = await gateway.send('GET', '/projects/1/packages', { headers: { 'Deploy-Token': 'gldt-late' } });
    expect([late.status, late.body.error, late.headers.get('www-authenticate')]).toEqual([
      401,
      'invalid_token',
      expect.stringMatching(/^Bearer /),
    ]);
  });
});

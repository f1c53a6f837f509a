import { ResolveRequest_TokenKind as Kind } from '@switchyard/protos/groups_admin/v1/access';
import { Access_ClosedFeatures } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity } from '@switchyard/rpc';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { readsPackages } from './expectation';
import { expectations } from './expected';
import { jobOperations } from './job-operations';
import { pathOf } from './walk';

const operationOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`;

const jobOfOther = 'glcbt-of-another-project';
const allButPackages = Access_ClosedFeatures.fromPartial({
  repository: true,
  mergeRequests: true,
  issues: true,
  monitor: true,
  snippets: true,
});

let gateway: TestGateway;
/** What was asked of groups-admin. */
const asked: { token: string; tokenKind: Kind }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    routes,
    config: { SWITCHYARD_APPLICATION_LIMITS: 0 },
    access: ({ token, tokenKind, packages }) => {
      asked.push({ token, tokenKind });
      // What groups-admin answers where packages are public, and everything else is not.
      if (token === jobOfOther)
        return resolved({
          actor: actor({ scopes: [], tokenId: 0, job: { projectId: 2, pipelineId: 2 } }),
          access: packages ? projectAccess({ level: 0, packagesPublic: true, closed: allButPackages }) : undefined,
        });
      if (tokenKind === Kind.TOKEN_KIND_JOB)
        return resolved({
          actor: actor({ scopes: [], tokenId: 0, job: { projectId: 1, pipelineId: 1 } }),
          access: projectAccess({ level: 40 }),
        });
      if (tokenKind === Kind.TOKEN_KIND_DEPLOY)
        return resolved({
          actor: { ...anonymous, deployTokenId: 5, scopes: ['read_repository', 'write_package_registry'] },
          access: projectAccess({ level: 30 }),
        });
      return resolved({ actor: anonymous, access: projectAccess({ level: 0, visibility: 'public' }) });
    },
    otherwise: async () => entity({}),
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  asked.length = 0;
});

const send = (route: Route, headers: Record<string, string>, pipelineId = '1') => {
  const parameters = expectations.find(({ operation }) => operation === operationOf(route))?.parameters;
  const path = pathOf(route.path.replace(':pipeline_id', pipelineId));
  return gateway.send(route.method.toUpperCase(), path, {
    headers,
    ...(route.method === 'post' || route.method === 'put' || route.method === 'patch'
      ? { body: parameters ?? {} }
      : {}),
  });
};
const isTaken = (status: number): boolean => status !== 401;

describe('every route, by kind of token', () => {
  it('takes a job token where the specification names it, and is 401 everywhere else (G-5-13)', async () => {
    const taken: string[] = [];
    for (const route of routes) {
      const { status } = await send(route, { 'JOB-TOKEN': 'glcbt-x' });
      if (isTaken(status)) taken.push(operationOf(route));
    }
    expect(taken.sort()).toEqual([...jobOperations].sort());
    // Where it is not taken it is not even looked up.
    expect(asked.every(({ tokenKind }) => tokenKind === Kind.TOKEN_KIND_JOB)).toBe(true);
    expect(asked.length).toBeLessThan(jobOperations.size * 2 + 1);
  });

  it('lets the job of another project read public packages, and reach nothing else (G-4.17-8, G-5-13)', async () => {
    const ofProject = routes.filter((route) => route.tokens?.includes('job') && route.path.startsWith('/projects/'));
    const reached: string[] = [];
    for (const route of ofProject) {
      const { status } = await send(route, { 'JOB-TOKEN': jobOfOther });
      if (![401, 403, 404].includes(status)) reached.push(operationOf(route));
    }
    const expected = [...jobOperations].filter((one) => one.includes(' /projects/') && readsPackages.test(one));
    expect(reached.sort()).toEqual(expected.sort());
  });

  it('takes no deploy token, also where it needs none at all (G-5-1, G-5-2)', async () => {
    const taken: string[] = [];
    for (const route of routes) {
      if (route.tokens?.includes('deploy')) continue;
      const { status } = await send(route, { 'Deploy-Token': 'gldt-x' });
      if (isTaken(status)) taken.push(operationOf(route));
    }
    expect(taken).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('looks at Basic credentials only where tokens of machines are taken', async () => {
    const basic = `Basic ${Buffer.from('gitlab-ci-token:glcbt-x').toString('base64')}`;
    const [taking, other] = [
      routes.find((route) => operationOf(route) === 'GET /projects/:id/repository/tree') as Route,
      routes.find((route) => operationOf(route) === 'GET /projects/:id') as Route,
    ];
    expect((await send(taking, { Authorization: basic })).status).toBe(200);
    expect(asked).toEqual([{ token: 'glcbt-x', tokenKind: Kind.TOKEN_KIND_JOB }]);
    asked.length = 0;
    await send(other, { Authorization: basic });
    expect(asked).toEqual([{ token: '', tokenKind: Kind.TOKEN_KIND_UNSPECIFIED }]);
  });

  it('shows a job its own pipeline and no other one', async () => {
    const one = routes.find((route) => operationOf(route) === 'GET /projects/:id/pipelines/:pipeline_id') as Route;
    expect((await send(one, { 'JOB-TOKEN': 'glcbt-x' })).status).toBe(200);
    const other = await send(one, { 'JOB-TOKEN': 'glcbt-x' }, '2');
    expect([other.status, other.body]).toEqual([404, { message: '404 Pipeline Not Found' }]);
  });
});

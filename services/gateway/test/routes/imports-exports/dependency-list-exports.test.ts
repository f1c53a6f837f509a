import { AppError, notFound } from '@switchyard/errors';
import { entity } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'glpat-exports' };
const shown = {
  id: 5,
  status: 'running',
  has_finished: false,
  problem: null,
  self: 'https://forge.example/api/v4/dependency_list_exports/5',
  download: 'https://forge.example/api/v4/dependency_list_exports/5/download',
  signature: 'https://forge.example/api/v4/dependency_list_exports/5/signature',
  expires_at: '2026-01-02T03:04:05.678Z',
};

let gateway: TestGateway;
let level = 30;
let tier = 'ultimate';
/** Whether the caller sees projects and groups, from their address. */
let sees = true;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () =>
      resolved({ actor: actor({}), access: sees ? projectAccess({ level, tier, visibility: 'public' }) : undefined }),
    fakes: {
      'PipelineService/LocatePipeline': async ({ pipelineId }: { pipelineId: number }) => {
        if (pipelineId !== 41) throw notFound('Pipeline');
        return { projectId: 1 };
      },
      'DependencyListExportService/LocateDependencyListExport': async ({ exportId }: { exportId: number }) => {
        if (exportId === 8) throw new AppError('not_found');
        return exportId === 7 ? { projectId: 0, groupId: 3 } : { projectId: 1, groupId: 0 };
      },
      'DependencyListExportService/CreateDependencyListExport': async () => entity(shown),
      'DependencyListExportService/GetDependencyListExport': async ({ exportId }: { exportId: number }) =>
        exportId === 5 ? entity(shown, 202) : entity({ ...shown, status: 'finished', has_finished: true }),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  level = 30;
  tier = 'ultimate';
  sees = true;
});

// Answers about access are cached for each token.
const create = (pipeline: number, body: object = {}, as = token) =>
  gateway.send('POST', `/pipelines/${pipeline}/dependency_list_exports`, { ...as, body });

it('begins an export, by default as CycloneDX 1.4 (G-4.14-1)', async () => {
  const reply = await create(41, { send_email: true });
  expect([reply.status, reply.body]).toEqual([201, shown]);
  expect(gateway.calls.at(-1)?.request).toMatchObject({ format: 'cyclonedx', specVersion: '1.4', sendEmail: true });
});

it('refuses other kinds and forms, all at once (G-4.14-1)', async () => {
  const reply = await create(41, { export_type: 'csv' });
  expect([reply.status, reply.body]).toEqual([400, { error: 'export_type does not have a valid value' }]);
  expect((await create(41, { format: 'xml', spec_version: '1.3' })).body).toEqual({
    error: 'format does not have a valid value, spec_version does not have a valid value',
  });
});

it('says which pipeline is not there, and who may not (G-4.14-2)', async () => {
  const reply = await create(42);
  expect([reply.status, reply.body]).toEqual([404, { message: '404 Pipeline Not Found' }]);
  level = 20;
  expect((await create(41, {}, { token: 'glpat-reporter' })).status).toBe(403);
  [level, tier] = [30, 'premium'];
  expect((await create(41, {}, { token: 'glpat-premium' })).status).toBe(403);
});

it('asks a caller to come again while it is made (G-4.14-3)', async () => {
  const [running, ended] = [
    await gateway.send('GET', '/dependency_list_exports/5', token),
    await gateway.send('GET', '/dependency_list_exports/6', token),
  ];
  expect([running.status, running.headers.get('poll-interval')]).toEqual([202, '5000']);
  expect([ended.status, ended.headers.get('poll-interval')]).toEqual([200, null]);
});

describe.each(['', '/download', '/signature'])('dependency_list_exports/:export_id%s', (rest) => {
  const read = (id: number) => gateway.send('GET', `/dependency_list_exports/${id}${rest}`, newToken());
  const gone = [404, { message: '404 Not Found' }];

  it('is read by who may still read the dependencies of its project or group (G-4.14-2)', async () => {
    const before = gateway.calls.length;
    for (const [id, $case, value] of [
      [5, 'project', '1'],
      [7, 'group', '3'],
    ] as const) {
      level = 20;
      const refused = await read(id);
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }]);
      expect(gateway.calls.at(-1)).toMatchObject({
        rpc: 'AccessService/Resolve',
        request: { target: { $case, value } },
      });
      [level, tier] = [30, 'premium'];
      expect((await read(id)).status).toBe(403);
      [tier, sees] = ['ultimate', false];
      const unseen = await read(id);
      expect([unseen.status, unseen.body]).toEqual(gone);
      sees = true;
    }
    expect(gateway.calls.slice(before).filter(({ rpc }) => /\/GetDependencyListExport/.test(rpc))).toEqual([]);
  });

  it('is as good as not there when it is not there, or its hour is over (G-4.14-3)', async () => {
    const reply = await read(8);
    expect([reply.status, reply.body]).toEqual(gone);
  });
});

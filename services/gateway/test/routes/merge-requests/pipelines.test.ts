import { entity } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const at = '2026-01-31T08:39:14.883Z';
const sha = 'a'.repeat(40);
const made = {
  id: 11,
  iid: 3,
  project_id: 1,
  sha,
  ref: 'main',
  status: 'created',
  source: 'api',
  created_at: at,
  updated_at: at,
  web_url: 'https://forge.example/group/project/-/pipelines/11',
  name: null,
  before_sha: '0'.repeat(40),
  tag: false,
  yaml_errors: null,
  user: null,
  started_at: null,
  finished_at: null,
  committed_at: null,
  duration: null,
  queued_duration: null,
  coverage: null,
  detailed_status: {
    icon: 'status_created',
    text: 'Created',
    label: 'created',
    group: 'created',
    tooltip: 'created',
    has_details: true,
    details_path: '/group/project/-/pipelines/11',
    illustration: null,
    favicon: 'favicon_status_created.png',
  },
  archived: false,
};
const variable = { variable_type: 'file', key: 'KEY', value: 'secret', raw: false };

describe('variables of pipelines', () => {
  let gateway: TestGateway;
  let serial = 0;
  let token: { token: string };

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => resolved({ access: projectAccess() }),
      fakes: {
        'PipelineService/CreatePipeline': async () => entity(made),
        'PipelineService/ListPipelineVariables': async () => entity([variable]),
      },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    serial += 1;
    token = { token: `token of pipelines ${serial}` };
    gateway.calls.length = 0;
  });
  const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `PipelineService/${rpc}`)?.request;
  const create = (body: object) => gateway.send('POST', '/projects/1/pipeline', { ...token, body });

  it('are handed on with what they do not say', async () => {
    const sent = await create({
      ref: 'main',
      variables: [
        { key: 'A', value: 'x,y' },
        { key: 'B', variable_type: 'file' },
      ],
    });
    expect([sent.status, sent.body.id]).toEqual([201, 11]);
    expect(asked('CreatePipeline')).toMatchObject({
      projectId: 1,
      ref: 'main',
      variables: [
        { key: 'A', value: 'x,y', variableType: 'env_var' },
        { key: 'B', value: '', variableType: 'file' },
      ],
    });
    gateway.calls.length = 0;
    expect((await create({ ref: 'main' })).status).toBe(201);
    expect(asked('CreatePipeline')).toMatchObject({ variables: [] });
  });

  it('are refused with every problem named', async () => {
    const sent = await create({
      ref: 'main',
      variables: [{ value: 'x' }, { key: 'B', variable_type: 'secret' }, { key: { a: 1 } }, 5],
    });
    expect([sent.status, sent.body.error]).toEqual([
      400,
      'variables[0][key] is missing, variables[1][variable_type] does not have a valid value, variables[2][key] is invalid, variables[3] is invalid',
    ]);
    expect((await create({ ref: 'main', variables: 'A' })).body).toEqual({ error: 'variables is invalid' });
    expect(asked('CreatePipeline')).toBeUndefined();
  });

  it('are listed', async () => {
    const sent = await gateway.send('GET', '/projects/1/pipelines/11/variables', token);
    expect([sent.status, sent.body]).toEqual([200, [variable]]);
    expect(asked('ListPipelineVariables')).toMatchObject({ projectId: 1, pipelineId: 11 });
  });
});

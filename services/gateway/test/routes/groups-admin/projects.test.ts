import { invalid } from '@switchyard/errors';
import { anonymous, entity, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { project } from './samples';

let gateway: TestGateway;
let answer = resolved();
let listed: () => unknown;
let refused: Error | undefined;

const reply = <T>(value: T) => {
  if (refused !== undefined) throw refused;
  return value;
};

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      'ProjectService/ListProjects': async () => listed(),
      'ProjectService/GetProject': async () => entity(project),
      'ProjectService/CreateProject': async () => reply(entity(project)),
      'ProjectService/UpdateProject': async () => reply(entity(project)),
      'ProjectService/ArchiveProject': async () => entity(project),
      'ProjectService/TransferProject': async () => entity(project),
      'ProjectService/DeleteProject': async () => entity({ message: '202 Accepted' }, 202),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ access: projectAccess({ id: 5, level: 50 }) });
  listed = () => page([project], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;

describe('GET /projects', () => {
  it('200: passes every filter on', async () => {
    const sent = await gateway.send(
      'GET',
      '/projects?archived=false&visibility=private&search=eng&search_namespaces=true&simple=1&owned=1&membership=1&starred=1&min_access_level=30&with_issues_enabled=1&with_merge_requests_enabled=1&topic=a,b&id_after=1&id_before=9&last_activity_after=2026-01-02&updated_before=2026-01-03T04:05:06Z&active=true&order_by=name&sort=asc&statistics=true&license=true',
      newToken(),
    );
    expect(sent.status).toBe(200);
    expect(asked('ProjectService/ListProjects')).toMatchObject({
      archived: false,
      visibility: 'private',
      search: 'eng',
      searchNamespaces: true,
      simple: true,
      owned: true,
      membership: true,
      starred: true,
      minAccessLevel: 30,
      withIssuesEnabled: true,
      withMergeRequestsEnabled: true,
      topics: ['a', 'b'],
      idAfter: 1,
      idBefore: 9,
      lastActivityAfter: new Date('2026-01-02T00:00:00Z'),
      updatedBefore: new Date('2026-01-03T04:05:06Z'),
      active: true,
      page: { orderBy: 'name', descending: false },
    });
  });

  it('200: the newest first unless told otherwise, also of a user', async () => {
    expect((await gateway.send('GET', '/users/ada/projects', newToken())).status).toBe(200);
    expect(asked('ProjectService/ListProjects')).toMatchObject({
      user: 'ada',
      page: { orderBy: 'created_at', descending: true },
    });
  });

  it.each([
    ['order_by=id&sort=asc', { id: '41', _kd: 'n' }, 'id_after=41'],
    ['order_by=id&sort=desc', { id: '41', _kd: 'n' }, 'id_before=41'],
    ['order_by=name&sort=asc', { name: 'x', id: '41', _kd: 'n' }, 'cursor='],
  ])('200: keyset pages by %s go on at what names the last row', async (query, position, expected) => {
    const nextCursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    listed = () => page([project], { keyset: true, page: 1, perPage: 20, hasNext: true, nextCursor });
    const sent = await gateway.send('GET', `/projects?pagination=keyset&${query}`, newToken());
    expect(sent.headers.get('link')).toContain(expected);
    expect(sent.headers.get('link')).toContain('rel="next"');
  });

  it('400: names every problem', async () => {
    const sent = await gateway.send('GET', '/projects?archived=x&visibility=x&order_by=x&id_after=x', newToken());
    expect([sent.status, sent.body]).toEqual([
      400,
      {
        error:
          'archived is invalid, visibility does not have a valid value, id_after is invalid, order_by does not have a valid value',
      },
    ]);
  });
});

describe('GET /projects/:id', () => {
  it('200: by id and by encoded path; 301 for a path of the past', async () => {
    answer = resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0 }) });
    expect((await gateway.send('GET', '/projects/g%2Fp')).status).toBe(200);
    answer = resolved({ movedTo: 5 });
    const moved = await gateway.send('GET', '/projects/g%2Fold', newToken());
    expect([moved.status, moved.headers.get('location')]).toEqual([301, 'https://forge.example/api/v4/projects/5']);
    const written = await gateway.send('PUT', '/projects/g%2Fold', { ...newToken(), body: { name: 'x' } });
    expect([written.status, written.body]).toEqual([
      405,
      { message: 'Non GET methods are not allowed for moved projects' },
    ]);
  });

  it('404: what cannot be seen', async () => {
    answer = resolved();
    const sent = await gateway.send('GET', '/projects/5', newToken());
    expect([sent.status, sent.body]).toEqual([404, { message: '404 Project Not Found' }]);
  });
});

describe('POST /projects', () => {
  it('201: features by level and by switch', async () => {
    const sent = await gateway.send('POST', '/projects', {
      ...newToken(),
      body: {
        name: 'P',
        namespace_id: 3,
        initialize_with_readme: true,
        merge_method: 'ff',
        squash_option: 'always',
        issues_enabled: false,
        snippets_access_level: 'private',
        topics: ['a', 'b'],
        only_allow_merge_if_pipeline_succeeds: true,
      },
    });
    expect(sent.status).toBe(201);
    expect(asked('ProjectService/CreateProject')).toMatchObject({
      namespaceId: 3,
      initializeWithReadme: true,
      settings: {
        name: 'P',
        mergeMethod: 'ff',
        squashOption: 'always',
        featureAccessLevels: { issues: 'disabled', snippets: 'private' },
        topics: { names: ['a', 'b'] },
        onlyAllowMergeIfPipelineSucceeds: true,
      },
    });
  });

  it('400: a name or a path, and known words', async () => {
    const sent = await gateway.send('POST', '/projects', { ...newToken(), body: { merge_method: 'octopus' } });
    expect([sent.status, sent.body]).toEqual([
      400,
      {
        error:
          'merge_method does not have a valid value, name, path are missing, at least one parameter must be provided',
      },
    ]);
    refused = invalid({ name: ['has already been taken'], path: ['has already been taken'] });
    const taken = await gateway.send('POST', '/projects', { ...newToken(), body: { name: 'P' } });
    expect([taken.status, taken.body]).toEqual([
      400,
      { message: { name: ['has already been taken'], path: ['has already been taken'] } },
    ]);
  });
});

describe('changing a project', () => {
  it('PUT 200, archive and unarchive 201, transfer 200, DELETE 202', async () => {
    const body = {
      description: null,
      merge_trains_enabled: true,
      merge_train_required_statuses: ['build', 'unit, slow'],
      merge_train_timeout: '90',
      merge_train_parallel_cars: 3,
      merge_train_retries: 0,
      merge_train_batch_size: '7',
      merge_train_required_status_count: 5,
      merge_train_settling_seconds: 0,
      squash_option: 'never',
    };
    expect((await gateway.send('PUT', '/projects/5', { ...newToken(), body })).status).toBe(200);
    expect(asked('ProjectService/UpdateProject')).toMatchObject({
      projectId: 5,
      settings: {
        description: '',
        mergeTrainsEnabled: true,
        mergeTrainRequiredStatuses: { names: ['build', 'unit, slow'] },
        mergeTrainTimeout: 90,
        mergeTrainParallelCars: 3,
        mergeTrainRetries: 0,
        mergeTrainBatchSize: 7,
        mergeTrainRequiredStatusCount: 5,
        mergeTrainSettlingSeconds: 0,
        squashOption: 'never',
        topics: undefined,
      },
    });
    gateway.calls.length = 0;
    await gateway.send('PUT', '/projects/5?merge_train_required_statuses=', newToken());
    expect(asked('ProjectService/UpdateProject')).toMatchObject({
      settings: { mergeTrainRequiredStatuses: { names: [] }, mergeTrainTimeout: undefined },
    });
    const wrong = await gateway.send(
      'PUT',
      '/projects/5?merge_train_timeout=soon&merge_train_parallel_cars=-1&merge_train_retries=often&merge_train_settling_seconds=0.5',
      newToken(),
    );
    expect([wrong.status, wrong.body]).toEqual([
      400,
      {
        error:
          'merge_train_timeout is invalid, merge_train_parallel_cars does not have a valid value, merge_train_retries is invalid, merge_train_settling_seconds is invalid',
      },
    ]);
    gateway.calls.length = 0;
    for (const [verb, archived] of [
      ['archive', true],
      ['unarchive', false],
    ] as const) {
      gateway.calls.length = 0;
      expect((await gateway.send('POST', `/projects/5/${verb}`, newToken())).status).toBe(201);
      expect(asked('ProjectService/ArchiveProject')).toEqual({ projectId: 5, archived });
    }
    expect((await gateway.send('PUT', '/projects/5/transfer', { ...newToken(), body: { namespace: 8 } })).status).toBe(
      200,
    );
    expect(asked('ProjectService/TransferProject')).toEqual({ projectId: 5, namespace: '8' });
    const deleted = await gateway.send('DELETE', '/projects/5', newToken());
    expect([deleted.status, deleted.body]).toEqual([202, { message: '202 Accepted' }]);
  });
});

import { badRequest, conflict, notFound, unauthorized } from '@switchyard/errors';
import { Access_ClosedFeatures } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, json, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { replyValidator } from '../../support/reply-validator';

const at = '2026-01-31T08:39:14.883Z';
const sha = 'a'.repeat(40);
const user = {
  id: 7,
  username: 'ada',
  public_email: '',
  name: 'Ada',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/ada',
};
const entry = {
  id: 5,
  merge_request: {
    id: 9,
    iid: 2,
    project_id: 1,
    title: 'Change',
    description: null,
    state: 'opened',
    created_at: at,
    updated_at: at,
    web_url: 'https://forge.example/group/project/-/merge_requests/2',
  },
  user,
  pipeline: {
    id: 11,
    iid: 3,
    project_id: 1,
    sha,
    ref: 'refs/merge-requests/2/train',
    status: 'pending',
    source: 'merge_request_event',
    created_at: at,
    updated_at: at,
    web_url: 'https://forge.example/group/project/-/pipelines/11',
  },
  created_at: at,
  updated_at: at,
  target_branch: 'main',
  status: 'fresh',
  merged_at: null,
  duration: null,
  position: 2,
  failing: true,
  batch: { id: 4, size: 2, merge_request_iids: [1, 2] },
  expected_at: at,
  waiting_for: { reason: 'statuses', statuses: ['build'] },
  tested_sha: 'b'.repeat(40),
  sha,
};
const merged = {
  ...entry,
  pipeline: null,
  status: 'merged',
  merged_at: at,
  duration: 90,
  position: null,
  failing: false,
  batch: null,
  expected_at: null,
  waiting_for: null,
};
const receipt = {
  batch: null,
  reruns: 0,
  imported: false,
  merge_request: { id: 9, iid: 2 },
  target_branch: 'main',
  method: 'merge',
  squash: false,
  head_sha: sha,
  base_sha: sha,
  tested: { sha, tree: sha },
  pipeline: { id: 11, status: 'success' },
  statuses: [{ id: 1, name: 'build', status: 'success', allow_failure: false, finished_at: at }],
  required_statuses: ['build'],
  landed: { sha, tree: sha },
  merge_commit_sha: sha,
  squash_commit_sha: null,
  added_by: user,
  boarded_at: at,
  built_at: at,
  tested_at: at,
  landed_at: at,
  verification: { verified_at: at, differences: [] },
};

const trains = '/projects/1/merge_trains';
const one = `${trains}/merge_requests/2`;

describe('merge trains', () => {
  const valid = replyValidator();
  let gateway: TestGateway;
  let answer = resolved();
  let refused: Error | undefined;
  let status = 201;
  let token: { token: string };
  let serial = 0;

  const reply = <T>(value: T): T => {
    if (refused !== undefined) throw refused;
    return value;
  };
  const list = () => page([merged, entry], { keyset: false, page: 1, perPage: 20, total: 2, hasNext: false });
  const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `MergeTrainService/${rpc}`)?.request;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => answer,
      fakes: {
        'MergeTrainService/ListMergeTrainEntries': async () => list(),
        'MergeTrainService/GetMergeTrainEntry': async () => reply(entity(entry)),
        'MergeTrainService/AddToMergeTrain': async () => reply({ ...list(), status }),
        'MergeTrainService/RemoveFromMergeTrain': async () => reply(json(Buffer.alloc(0))),
        'MergeTrainService/GetLandingReceipt': async () => reply(entity(receipt)),
        'MergeRequestService/MergeMergeRequest': async () => {
          throw notFound();
        },
      },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    answer = resolved({ access: projectAccess() });
    refused = undefined;
    status = 201;
    serial += 1;
    token = { token: `token of trains ${serial}` };
    gateway.calls.length = 0;
  });

  it('lists, newest first unless told otherwise', async () => {
    const sent = await gateway.send('GET', `${trains}?scope=active&per_page=5&page=2`, token);
    expect([sent.status, sent.body.length, sent.headers.get('x-total')]).toEqual([200, 2, '2']);
    expect(valid('GET', trains, sent.status, sent.body)).toEqual([]);
    expect(asked('ListMergeTrainEntries')).toMatchObject({
      projectId: 1,
      scope: 'active',
      page: { page: 2, perPage: 5, descending: true },
    });
    gateway.calls.length = 0;
    await gateway.send('GET', `${trains}?sort=asc&pagination=keyset`, token);
    expect(asked('ListMergeTrainEntries')).toMatchObject({ scope: '', page: { keyset: true, descending: false } });
  });

  it('lists the train of a branch, whose slashes are encoded', async () => {
    const sent = await gateway.send('GET', `${trains}/release%2F1.0?scope=complete`, token);
    expect(sent.status).toBe(200);
    expect(asked('ListMergeTrainEntries')).toMatchObject({ targetBranch: 'release/1.0', scope: 'complete' });
    gateway.calls.length = 0;
    await gateway.send('GET', `${trains}?target_branch=release/1.0`, token);
    expect(asked('ListMergeTrainEntries')).toMatchObject({ targetBranch: 'release/1.0', scope: '' });
  });

  it.each(['', '/main'])('names bad parameters of GET /merge_trains%s', async (branch) => {
    const scope = await gateway.send('GET', `${trains}${branch}?scope=merged`, token);
    expect([scope.status, scope.body]).toEqual([400, { error: 'scope does not have a valid value' }]);
    const sort = await gateway.send('GET', `${trains}${branch}?sort=up`, token);
    expect([sort.status, sort.body]).toEqual([400, { error: 'sort does not have a valid value' }]);
  });

  it('shows an entry', async () => {
    expect(await gateway.send('GET', one, token)).toMatchObject({ status: 200, body: entry });
    expect(asked('GetMergeTrainEntry')).toEqual({ projectId: 1, mergeRequestIid: 2 });
    refused = notFound('Merge Train Merge Request');
    expect(await gateway.send('GET', one, token)).toMatchObject({
      status: 404,
      body: { message: '404 Merge Train Merge Request Not Found' },
    });
    expect((await gateway.send('GET', `${trains}/merge_requests/x`, token)).body).toEqual({
      error: 'merge_request_iid is invalid',
    });
  });

  it('adds: 201 with the whole train, 202 when it waits for its checks', async () => {
    const sent = await gateway.send('POST', one, { ...token, body: { sha, squash: true } });
    expect([sent.status, sent.body]).toEqual([201, [merged, entry]]);
    expect(sent.headers.get('x-total')).toBe('2');
    expect(asked('AddToMergeTrain')).toMatchObject({
      projectId: 1,
      mergeRequestIid: 2,
      sha,
      squash: true,
      autoMerge: false,
    });
    status = 202;
    expect((await gateway.send('POST', one, token)).status).toBe(202);
    expect(asked('AddToMergeTrain')).toBeDefined();
  });

  it.each([
    [{}, false],
    [{ when_pipeline_succeeds: true }, true],
    [{ auto_merge: 'true' }, true],
    [{ auto_merge: false, when_pipeline_succeeds: true }, false],
  ])('takes %j as one flag', async (body, autoMerge) => {
    await gateway.send('POST', one, { ...token, body });
    expect(asked('AddToMergeTrain')).toMatchObject({ autoMerge, sha: undefined, squash: undefined });
  });

  it.each([
    [
      409,
      `SHA does not match HEAD of source branch: ${sha}`,
      () => conflict(`SHA does not match HEAD of source branch: ${sha}`),
    ],
    [409, 'Merge request is already set to Auto-Merge', () => conflict('Merge request is already set to Auto-Merge')],
    [401, '401 Unauthorized', () => unauthorized()],
    [409, 'Merge train is draining: the release', () => conflict('Merge train is draining: the release')],
    [400, '400 Bad request - Failed to merge', () => badRequest('Failed to merge')],
    [404, '404 Not found', () => notFound()],
  ])('passes on %i %s', async (expected, message, error) => {
    refused = error();
    const sent = await gateway.send('POST', one, token);
    expect(sent.status).toBe(expected);
    expect(sent.body).toEqual({ message });
  });

  it.each([
    [{ first: true }, true],
    [{ first: '1' }, true],
    [{ first: false }, false],
  ])('a Maintainer adds with %j', async (body, first) => {
    answer = resolved({ access: projectAccess({ level: 40 }) });
    expect((await gateway.send('POST', one, { ...token, body })).status).toBe(201);
    expect(asked('AddToMergeTrain')).toMatchObject({ first });
  });

  it('a Developer is 403 with `first`, unless it is off', async () => {
    answer = resolved({ access: projectAccess({ level: 30 }) });
    for (const sent of [{ path: one, body: { first: true } }, { path: `${one}?first=yes` }]) {
      const reply = await gateway.send('POST', sent.path, { ...token, body: sent.body });
      expect([reply.status, reply.body]).toEqual([403, { message: '403 Forbidden' }]);
    }
    expect(asked('AddToMergeTrain')).toBeUndefined();
    expect((await gateway.send('POST', one, { ...token, body: { first: false } })).status).toBe(201);
    expect(asked('AddToMergeTrain')).toMatchObject({ first: false });
  });

  it('removes', async () => {
    const sent = await gateway.send('DELETE', one, token);
    expect([sent.status, sent.text]).toEqual([204, '']);
    expect(asked('RemoveFromMergeTrain')).toEqual({ projectId: 1, mergeRequestIid: 2 });
  });

  it('gives the receipt of a landing', async () => {
    expect(await gateway.send('GET', `${one}/receipt`, token)).toMatchObject({ status: 200, body: receipt });
    refused = notFound('Landing Receipt');
    expect((await gateway.send('GET', `${one}/receipt`, token)).body).toEqual({
      message: '404 Landing Receipt Not Found',
    });
  });

  it.each([
    ['GET', trains],
    ['GET', `${trains}/main`],
    ['GET', one],
    ['POST', one],
    ['DELETE', one],
    ['GET', `${one}/receipt`],
  ])(
    '%s %s is 403 in the free tier, of a public project too; 404 where the project is not seen',
    async (method, path) => {
      answer = resolved({ access: projectAccess({ tier: 'free', visibility: 'public', level: 50 }) });
      const free = await gateway.send(method, path, token);
      expect([free.status, free.body]).toEqual([403, { message: '403 Forbidden' }]);
      answer = resolved({ access: projectAccess({ visibility: 'public', level: 20 }) });
      const reporter = await gateway.send(method, path, token);
      expect([reporter.status, reporter.body]).toEqual([403, { message: '403 Forbidden' }]);
      answer = resolved({ access: undefined });
      const unseen = await gateway.send(method, path, token);
      expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Project Not Found' }]);
      expect(gateway.calls.filter(({ rpc }) => rpc.startsWith('MergeTrainService/'))).toEqual([]);
    },
  );

  it('is closed where merge requests are, and to the anonymous', async () => {
    answer = resolved({
      access: projectAccess({
        closed: Access_ClosedFeatures.fromPartial({ mergeRequests: true }),
      }),
    });
    expect((await gateway.send('GET', trains, token)).status).toBe(403);
    answer = resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0 }) });
    expect((await gateway.send('GET', trains)).status).toBe(401);
    expect((await gateway.send('POST', one)).status).toBe(401);
    answer = resolved({ actor: actor({ scopes: ['read_api'] }), access: projectAccess() });
    expect((await gateway.send('GET', trains, token)).status).toBe(200);
    expect((await gateway.send('POST', one, token)).status).toBe(403);
  });

  it('an archived project is read and not changed', async () => {
    answer = resolved({ access: projectAccess({ archived: true }) });
    expect((await gateway.send('GET', one, token)).status).toBe(200);
    expect((await gateway.send('POST', one, token)).status).toBe(403);
    expect((await gateway.send('DELETE', one, token)).status).toBe(403);
  });

  it.each([
    [{}, false],
    [{ skip_merge_train: true }, true],
  ])('PUT /merge with %j tells whether to go past the train', async (body, skipMergeTrain) => {
    await gateway.send('PUT', '/projects/1/merge_requests/2/merge', { ...token, body });
    expect(gateway.calls.find(({ rpc }) => rpc === 'MergeRequestService/MergeMergeRequest')?.request).toMatchObject({
      skipMergeTrain,
    });
  });
});

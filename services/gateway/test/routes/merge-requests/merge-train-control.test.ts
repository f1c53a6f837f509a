import { notFound } from '@switchyard/errors';
import { entity } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { replyValidator } from '../../support/reply-validator';

const at = '2026-01-31T08:39:14.883Z';
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
const probe = {
  id: 11,
  iid: 3,
  project_id: 1,
  sha: 'a'.repeat(40),
  ref: 'refs/heads/main',
  status: 'pending',
  source: 'merge_request_event',
  created_at: at,
  updated_at: at,
  web_url: 'https://forge.example/group/project/-/pipelines/11',
};
const change = { state: 'paused', reason: null, until: at, user, created_at: at };
const control = {
  target_branch: 'main',
  state: 'paused',
  reason: 'target_failing',
  until: null,
  updated_at: at,
  updated_by: null,
  probe,
  changes: [{ ...change, user: null, reason: 'target_failing', until: null }, change],
};

const path = '/projects/1/merge_trains/main/control';
const dayMs = 86_400_000;
const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('the control of a merge train', () => {
  const valid = replyValidator();
  let gateway: TestGateway;
  let answer = resolved();
  let refused: Error | undefined;
  let token: { token: string };
  let serial = 0;

  const reply = async () => {
    if (refused !== undefined) throw refused;
    return entity(control);
  };
  const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `MergeTrainService/${rpc}`)?.request;
  const put = (body: object, to = path) => gateway.send('PUT', to, { ...token, body });

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => answer,
      fakes: {
        'MergeTrainService/GetMergeTrainControl': reply,
        'MergeTrainService/SetMergeTrainControl': reply,
      },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    answer = resolved({ access: projectAccess({ level: 40 }) });
    refused = undefined;
    serial += 1;
    token = { token: `token of controls ${serial}` };
    gateway.calls.length = 0;
  });

  it('is read by Developers', async () => {
    answer = resolved({ access: projectAccess({ level: 30 }) });
    const sent = await gateway.send('GET', '/projects/1/merge_trains/release%2F1.0/control', token);
    expect([sent.status, sent.body]).toEqual([200, control]);
    expect(valid('GET', path, sent.status, sent.body)).toEqual([]);
    expect(asked('GetMergeTrainControl')).toEqual({ projectId: 1, targetBranch: 'release/1.0' });
  });

  // The plain name is that of the entries' own addresses; one that is encoded is always a branch.
  it('a branch can be called merge_requests', async () => {
    await gateway.send('GET', '/projects/1/merge_trains/merge%5Frequests/control', token);
    expect(asked('GetMergeTrainControl')).toEqual({ projectId: 1, targetBranch: 'merge_requests' });
  });

  it('is set by Maintainers', async () => {
    const until = ahead(30 * dayMs - 60_000);
    const sent = await put({ state: 'draining', reason: '🚂'.repeat(255), until });
    expect([sent.status, sent.body]).toEqual([200, control]);
    expect(asked('SetMergeTrainControl')).toEqual({
      projectId: 1,
      targetBranch: 'main',
      state: 'draining',
      reason: '🚂'.repeat(255),
      until,
    });
    gateway.calls.length = 0;
    await put({ state: 'running', reason: null, until: null });
    expect(asked('SetMergeTrainControl')).toEqual({ projectId: 1, targetBranch: 'main', state: 'running' });
  });

  it('is not set by Developers', async () => {
    answer = resolved({ access: projectAccess({ level: 30 }) });
    const sent = await put({ state: 'paused' });
    expect([sent.status, sent.body]).toEqual([403, { message: '403 Forbidden' }]);
    expect(asked('SetMergeTrainControl')).toBeUndefined();
  });

  const far = 'until must be within the next 30 days';
  const withoutEnd = 'until goes with the states paused and draining only';
  it.each([
    [{}, 'state is missing'],
    [{ state: 'stopped' }, 'state does not have a valid value'],
    [{ state: 'paused', until: ahead(-1_000) }, far],
    [{ state: 'paused', until: '2026-01-01' }, far],
    [{ state: 'paused', until: ahead(31 * dayMs) }, far],
    [{ state: 'paused', until: 'soon' }, 'until is invalid'],
    [{ state: 'running', until: ahead(dayMs) }, withoutEnd],
    [{ state: 'paused', reason: '🚂'.repeat(256) }, 'reason is too long (maximum is 255 characters)'],
    [{ state: 'paused', reason: 'x'.repeat(1_000_000) }, 'reason is too long (maximum is 255 characters)'],
    [{ state: 'paused', reason: ['x'] }, 'reason is invalid'],
    [{ state: 'paused', reason: 'a\u0007b' }, 'reason is invalid'],
    [{ reason: 'a\u0007b' }, 'state is missing, reason is invalid'],
    [
      { state: 'x', reason: 'a\nb', until: ahead(31 * dayMs) },
      `state does not have a valid value, reason is invalid, ${far}`,
    ],
    [
      { reason: 'x'.repeat(300), until: ahead(31 * dayMs) },
      `state is missing, reason is too long (maximum is 255 characters), ${far}`,
    ],
    [{ state: 'running', until: ahead(-dayMs) }, `${far}, ${withoutEnd}`],
  ])('refuses what is wrong, all at once: %#', async (body, error) => {
    const sent = await put(body);
    expect([sent.status, sent.body]).toEqual([400, { error }]);
    expect(asked('SetMergeTrainControl')).toBeUndefined();
  });

  it('is 404 for a branch without a train', async () => {
    refused = notFound('Merge Train');
    const expected = [404, { message: '404 Merge Train Not Found' }];
    const read = await gateway.send('GET', path, token);
    expect([read.status, read.body]).toEqual(expected);
    const set = await put({ state: 'paused' });
    expect([set.status, set.body]).toEqual(expected);
  });

  it.each(['GET', 'PUT'])('%s is 403 in the free tier; an archived project refuses a change', async (method) => {
    const body = method === 'PUT' ? { state: 'paused' } : undefined;
    answer = resolved({ access: projectAccess({ tier: 'free', visibility: 'public', level: 50 }) });
    expect((await gateway.send(method, path, { ...token, body })).status).toBe(403);
    answer = resolved({ access: projectAccess({ archived: true, level: 50 }) });
    expect((await gateway.send(method, path, { ...token, body })).status).toBe(method === 'GET' ? 200 : 403);
  });
});

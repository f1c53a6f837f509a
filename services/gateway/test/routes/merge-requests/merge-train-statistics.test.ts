import { notFound } from '@switchyard/errors';
import { entity } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { replyValidator } from '../../support/reply-validator';

const at = '2026-01-31T08:39:14.883Z';
const forecast = {
  target_branch: 'main',
  known_runs: 12,
  reason: null,
  generated_at: at,
  entries: [
    { id: 5, merge_request_iid: 2, position: 1, expected_at: at, expected_by: at },
    { id: 6, merge_request_iid: 3, position: 2, expected_at: null, expected_by: null },
  ],
};
const statistics = {
  target_branch: 'main',
  after: '2026-01-01',
  before: '2026-01-02',
  landings: 3,
  turnaround: { p50: 90.5, p95: null },
  removals: [{ reason: 'pipeline_failed', count: 1 }],
  builds: 4,
  builds_per_landing: 1.33,
  paused_share: 0.25,
  flakes: [{ name: 'unit', count: 1 }],
  failures: [{ name: 'unit', count: 2 }],
  days: [{ date: '2026-01-01', landings: 3, builds: 4, turnaround_p50: 90.5, turnaround_p95: null, removals: 1 }],
};

const train = '/projects/1/merge_trains/release%2F1.0';
const key = { projectId: 1, targetBranch: 'release/1.0' };
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe('forecast and statistics of a merge train', () => {
  const valid = replyValidator();
  let gateway: TestGateway;
  let answer = resolved();
  let refused: Error | undefined;
  let token: { token: string };
  let serial = 0;

  const reply = (body: object) => async () => {
    if (refused !== undefined) throw refused;
    return entity(body);
  };
  const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `MergeTrainService/${rpc}`)?.request;
  const statisticsOf = (query: string) => gateway.send('GET', `${train}/statistics${query}`, token);

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => answer,
      fakes: {
        'MergeTrainService/GetMergeTrainForecast': reply(forecast),
        'MergeTrainService/GetMergeTrainStatistics': reply(statistics),
      },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    answer = resolved({ access: projectAccess({ level: 30 }) });
    refused = undefined;
    serial += 1;
    token = { token: `token of statistics ${serial}` };
    gateway.calls.length = 0;
  });

  it.each([
    ['forecast', 'GetMergeTrainForecast', forecast],
    ['statistics', 'GetMergeTrainStatistics', statistics],
  ])(
    'shows the %s; 404 for a branch without a train, 403 for Reporters and in the free tier',
    async (what, rpc, body) => {
      const path = `${train}/${what}`;
      const sent = await gateway.send('GET', path, token);
      expect([sent.status, sent.body]).toEqual([200, body]);
      expect(valid('GET', path, sent.status, sent.body)).toEqual([]);
      expect(asked(rpc)).toEqual(key);
      refused = notFound('Merge Train');
      const none = await gateway.send('GET', path, token);
      expect([none.status, none.body]).toEqual([404, { message: '404 Merge Train Not Found' }]);
      for (const access of [projectAccess({ level: 20 }), projectAccess({ level: 50, tier: 'free' })]) {
        answer = resolved({ access });
        const other = await gateway.send('GET', path, { token: `${token.token} ${access.level}` });
        expect([other.status, other.body]).toEqual([403, { message: '403 Forbidden' }]);
      }
    },
  );

  it.each([
    ['?after=2026-01-01&before=2026-01-01', { after: '2026-01-01', before: '2026-01-01' }],
    ['?after=2024-01-01&before=2024-12-31', { after: '2024-01-01', before: '2024-12-31' }],
    [`?after=${daysAgo(365)}`, { after: daysAgo(365) }],
    ['?before=2020-02-29', { before: '2020-02-29' }],
  ])('takes the time %s', async (query, given) => {
    expect((await statisticsOf(query)).status).toBe(200);
    expect(asked('GetMergeTrainStatistics')).toEqual({ ...key, ...given });
  });

  const long = 'after and before must span at most 366 days';
  const order = 'after must not be later than before';
  it.each([
    ['?after=2026-01-02&before=2026-01-01', order],
    [`?after=${daysAgo(-2)}`, order],
    ['?after=2025-01-01&before=2026-01-02', long],
    [`?after=${daysAgo(367)}`, long],
    ['?after=0001-01-01', long],
    ['?after=soon&before=2026-02-30', 'after is invalid, before is invalid'],
    ['?after=2026-01-01&before=soon', 'before is invalid'],
  ])('refuses the time %s', async (query, error) => {
    const sent = await statisticsOf(query);
    expect([sent.status, sent.body]).toEqual([400, { error }]);
    expect(asked('GetMergeTrainStatistics')).toBeUndefined();
  });
});

import { nothing, page } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const timelog = {
  id: 7,
  user: null,
  time_spent: -3_600,
  spent_at: '2026-01-03T00:00:00.000Z',
  summary: 'Review',
  note_id: null,
  created_at: '2026-01-04T05:06:07.000Z',
};

let gateway: TestGateway;
beforeAll(async () => {
  const listed = async () => page([timelog], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });
  const deleted = async () => nothing(204);
  gateway = await startTestGateway({
    access: () => resolved({ access: projectAccess({ id: 1, level: 30 }) }),
    fakes: {
      'IssueTimelogService/ListIssueTimelogs': listed,
      'IssueTimelogService/DeleteIssueTimelog': deleted,
      'MergeRequestTimelogService/ListMergeRequestTimelogs': listed,
      'MergeRequestTimelogService/DeleteMergeRequestTimelog': deleted,
    },
  });
});
afterAll(() => gateway.close());

test.each([
  ['issues', 'IssueTimelogService', 'IssueTimelog'],
  ['merge_requests', 'MergeRequestTimelogService', 'MergeRequestTimelog'],
])('entries of time of %s are listed and deleted', async (noteables, service, noun) => {
  const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === `${service}/${rpc}`)?.request;
  const at = `/projects/1/${noteables}/2/timelogs`;
  const listed = await gateway.send('GET', `${at}?page=2`, newToken());
  expect([listed.status, listed.body]).toEqual([200, [timelog]]);
  expect(asked(`List${noun}s`)).toMatchObject({ projectId: 1, iid: 2, page: { page: 2, perPage: 20 } });
  expect((await gateway.send('DELETE', `${at}/7`, newToken())).status).toBe(204);
  expect(asked(`Delete${noun}`)).toEqual({ projectId: 1, iid: 2, timelogId: 7 });
});

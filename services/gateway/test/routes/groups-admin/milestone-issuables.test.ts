import { notFound } from '@switchyard/errors';
import { entity, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

describe('what a milestone holds', () => {
  let gateway: TestGateway;
  let isThere = true;
  let serial = 0;
  const get = (path: string) => {
    serial += 1;
    gateway.calls.length = 0;
    return gateway.send('GET', path, { token: `token of milestones ${serial}` });
  };
  const none = { hasNext: false, hasPrevious: false, page: 1, perPage: 20, total: 0, totalPages: 1 };

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => resolved({ access: projectAccess() }),
      fakes: {
        'MilestoneService/GetMilestone': async () => {
          if (!isThere) throw notFound();
          return entity({});
        },
        'IssueService/ListIssues': async () => page([], none as never),
        'MergeRequestService/ListMergeRequests': async () => page([], none as never),
      },
    });
  });
  afterAll(() => gateway.close());

  it.each([
    ['issues', 'IssueService/ListIssues'],
    ['merge_requests', 'MergeRequestService/ListMergeRequests'],
  ])('%s are those of its id, and none of a milestone that is elsewhere', async (name, rpc) => {
    isThere = true;
    expect((await get(`/projects/1/milestones/5/${name}`)).status).toBe(200);
    expect(gateway.calls.map((call) => call.rpc)).toEqual(
      expect.arrayContaining(['MilestoneService/GetMilestone', rpc]),
    );
    const asked = gateway.calls.find((call) => call.rpc === rpc)?.request;
    expect(asked).toMatchObject({ projectId: 1, groupId: 0, filter: { milestoneId: 5 } });
    isThere = false;
    const refused = await get(`/projects/1/milestones/5/${name}`);
    expect([refused.status, refused.body]).toEqual([404, { message: '404 Not found' }]);
    expect(gateway.calls.map((call) => call.rpc)).not.toContain(rpc);
  });
});

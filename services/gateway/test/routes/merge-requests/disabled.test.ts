import { unprocessable } from '@switchyard/errors';
import { Access_ClosedFeatures } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { needsToken } from '../../../src/http/authorize';
import { routes } from '../../../src/routes';
import { pathOf } from '../../permissions/walk';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

/** What belongs to merge requests, by its path; creating one has an answer of its own (G-4.2-4). */
const ofMergeRequests = routes.filter(
  ({ method, path }) =>
    /^\/projects\/:id\/merge_(requests|trains)(\/|$)/.test(path) &&
    !(method === 'post' && path === '/projects/:id/merge_requests'),
);

describe('where merge requests are disabled (G-4.2-1)', () => {
  let gateway: TestGateway;
  let asks = resolved();
  let serial = 0;
  const closed = Access_ClosedFeatures.fromPartial({ mergeRequestsDisabled: true });
  const token = () => {
    serial += 1;
    return { token: `token of disabled ${serial}` };
  };

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => asks,
      fakes: {
        'MergeRequestService/CreateMergeRequest': async () => {
          throw unprocessable(['Target project has disabled merge requests']);
        },
      },
    });
  });
  afterAll(() => gateway.close());

  it.each(ofMergeRequests.map((route) => [route.method.toUpperCase(), pathOf(route.path), route] as const))(
    '%s %s is refused as the list is',
    async (method, path, route) => {
      asks = resolved({ access: projectAccess({ closed }) });
      expect((await gateway.send(method, path, token())).status).toBe(403);
      asks = resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0, closed }) });
      expect((await gateway.send(method, path)).status).toBe(needsToken(route) ? 401 : 403);
      expect(gateway.calls.filter(({ rpc }) => !rpc.startsWith('AccessService/'))).toEqual([]);
    },
  );

  it('creating one is left to its owner, who says why not (G-4.2-4)', async () => {
    asks = resolved({ access: projectAccess({ closed }) });
    const body = { source_branch: 'a', target_branch: 'b', title: 't' };
    const refused = await gateway.send('POST', '/projects/1/merge_requests', { ...token(), body });
    expect([refused.status, refused.body]).toEqual([422, { message: ['Target project has disabled merge requests'] }]);
  });

  it('code and pipelines stay open', async () => {
    asks = resolved({ access: projectAccess({ level: 50, closed }) });
    await gateway.send('DELETE', '/projects/1/pipelines/1', token());
    expect(gateway.calls.map(({ rpc }) => rpc)).toContain('PipelineService/DeletePipeline');
  });
});

import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity } from '@switchyard/rpc';
import { routes } from '../../src/routes';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';

/**
 * What is deleted without being a record of a table: refs and files, and memberships, requests for them, drafts and images of alerts,
 * and links of issues and epics to epics, which never change or show no time of it; entries of time, which never change; of review apps and context commits several are taken at once.
 * A car is changed by the cars ahead of it, so the time it was seen does not matter for a request to remove it. npm names the revision of
 * a package in the path. A dist-tag, and a header or variable of a hook, is a name alone;
 * that a version was yanked is a mark.
 */
const unconditional = [
  '/projects/:id/repository/files/:file_path',
  '/projects/:id/repository/tags/:tag_name',
  '/projects/:id/repository/branches/:branch',
  '/projects/:id/repository/merged_branches',
  '/projects/:id/merge_trains/merge_requests/:merge_request_iid',
  '/projects/:id/environments/review_apps',
  '/projects/:id/merge_requests/:merge_request_iid/context_commits',
  '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id',
  '/projects/:id/issues/:issue_iid/timelogs/:timelog_id',
  '/projects/:id/merge_requests/:merge_request_iid/timelogs/:timelog_id',
  '/groups/:id/epics/:epic_iid/issues/:epic_issue_id',
  '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
  '/groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id',
  '/groups/:id/members/:user_id',
  '/groups/:id/access_requests/:user_id',
  '/projects/:id/access_requests/:user_id',
  '/projects/:id/members/:user_id',
  '/projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id',
  ...['', '/groups/:id', '/projects/:id'].flatMap((place) => [
    `${place}/hooks/:hook_id/custom_headers/:key`,
    `${place}/hooks/:hook_id/url_variables/:key`,
  ]),
  '/projects/:id/uploads/:upload_id',
  '/projects/:id/uploads/:secret/:filename',
  '/projects/:id/packages/pypi/yanks/:package_name/:package_version',
  '/projects/:id/packages/npm/*package_name/-rev/:revision',
  '/projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag',
];

const deletions = routes.filter(({ method }) => method === 'delete').map(({ path }) => path);
const accepted = async () => entity({ message: '202 Accepted' }, 202);
const notFound = async () => entity({ message: '404 Not found' }, 404);
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        actor: actor({ admin: true }),
        access: projectAccess({
          level: 50,
          kind: target?.$case === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
        }),
      }),
    fakes: {
      'GroupService/DeleteGroup': accepted,
      'ProjectService/DeleteProject': accepted,
      // They answer with what was deleted.
      'ReleaseService/DeleteRelease': notFound,
      'ReleaseService/DeleteReleaseLink': notFound,
    },
    otherwise: async () => ({ json: Buffer.alloc(0), status: 204 }),
  });
});

afterAll(() => gateway.close());

async function conditionsOf(path: string, header: string): Promise<unknown[]> {
  gateway.calls.length = 0;
  const address = path.replace(':slug', 'slack').replace(/:\w+/g, '7');
  const body = { branch: 'main', commit_message: 'x', name: 'x' };
  await gateway.send('DELETE', address, { token: 't', headers: { 'If-Unmodified-Since': header }, body });
  return gateway.calls
    .filter(({ rpc }) => !rpc.startsWith('AccessService/'))
    .map(({ request }) => (request as { ifUnmodifiedSince?: Date }).ifUnmodifiedSince);
}

const timestamp = new Date('2026-03-01T10:00:00Z');

test.each(deletions.filter((path) => !unconditional.includes(path)))(
  'DELETE %s passes the condition on, and takes no nonsense for one',
  async (path) => {
    expect(await conditionsOf(path, timestamp.toUTCString())).toEqual([timestamp]);
    expect(await conditionsOf(path, 'yesterday')).toEqual([undefined]);
  },
);

test('deletions without a condition are still there', () => {
  expect(unconditional.filter((path) => !deletions.includes(path))).toEqual([]);
});

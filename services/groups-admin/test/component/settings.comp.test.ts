import { SettingsServiceService, type UpdateSettingsRequest } from '@switchyard/protos/groups_admin/v1/settings';
import { groupClients, refusal } from '../support/group-clients';
import { type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;

beforeAll(async () => {
  running = await runGroups();
  [root, ada] = [await running.user('chief', { admin: true }), await running.user('ada')];
});

afterAll(() => running.close());

const { newGroup, newProject, groups } = groupClients(() => running);

const defaults = {
  authenticatedApi: { enabled: false, requestsPerPeriod: 7_200, periodInSeconds: 3_600 },
  unauthenticatedApi: { enabled: false, requestsPerPeriod: 3_600, periodInSeconds: 3_600 },
  application: Object.fromEntries(
    [
      ...['groups_api_limit', 'group_api_limit', 'group_projects_api_limit', 'projects_api_limit', 'project_api_limit'],
      ...['projects_api_rate_limit_unauthenticated', 'users_get_by_id_limit', 'issues_create_limit'],
      ...['search_rate_limit', 'search_rate_limit_unauthenticated'],
    ].map((name) => [name, 100]),
  ),
};

const service = () => running.as(root, SettingsServiceService);
const update = (change: Partial<UpdateSettingsRequest>) =>
  shown('ApplicationSettings', service().updateSettings({ defaults, limits: undefined, ...change } as never));
const get = () => shown('ApplicationSettings', service().getSettings({ defaults }));

test('what was never set has its default', async () => {
  expect(await get()).toMatchObject({
    default_branch_name: 'main',
    deletion_adjourned_period: 0,
    search_rate_limit: 100,
  });
});

test('new projects and groups get the branch and the visibility that are set', async () => {
  await update({
    defaultBranchName: 'trunk',
    defaultProjectVisibility: 'internal',
    defaultGroupVisibility: 'internal',
  });
  const group = await newGroup(ada, 'team');
  expect(group.visibility).toBe('internal');
  expect(await newProject(ada, group.id, 'code')).toMatchObject({ visibility: 'internal', default_branch: 'trunk' });
  expect(await newProject(ada, group.id, 'own', { visibility: 'private', defaultBranch: 'dev' })).toMatchObject({
    visibility: 'private',
    default_branch: 'dev',
  });
});

test('what is deleted stays for as many days as are set', async () => {
  await update({ deletionAdjournedPeriod: 1 });
  const { id } = await newGroup(ada, 'waiting');
  await groups(ada).deleteGroup({ groupId: id } as never, { group: id });
  expect(await running.purge()).toBe(0);
  await update({ deletionAdjournedPeriod: 0 });
  expect(await running.purge()).toBeGreaterThan(0);
});

test('a gateway learns of a change at once, and of limits alone that were set', async () => {
  const follow = (version: number, waitMs: number) => service().followSettings({ version, waitMs });
  const { version } = await follow(0, 0);
  const waiting = follow(version, 20_000);
  const startedAt = performance.now();
  await update({
    limits: {
      authenticatedApi: { enabled: true },
      unauthenticatedApi: undefined,
      application: { search_rate_limit: 5 },
    },
  });
  expect(await waiting).toMatchObject({
    version: version + 1,
    limits: { authenticatedApi: { enabled: true }, application: { search_rate_limit: 5 } },
  });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(await get()).toMatchObject({
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: 7_200,
    search_rate_limit: 5,
    issues_create_limit: 100,
  });
});

test('all problems are reported at once, and nothing is half set', async () => {
  const bad = update({
    defaultBranchName: '-x',
    domainAllowlist: { domains: ['example.com', 'a\nb'] },
    domainDenylist: { domains: Array.from({ length: 1_001 }, (_, at) => `d${at}.example`) },
    canCreateGroup: false,
  });
  expect(await refusal(bad)).toEqual({
    kind: 'invalid',
    message: {
      default_branch_name: ['is invalid'],
      domain_allowlist: ['is invalid'],
      domain_denylist: ['has too many domains (maximum is 1000)'],
    },
  });
  expect(await get()).toMatchObject({ can_create_group: true });
});

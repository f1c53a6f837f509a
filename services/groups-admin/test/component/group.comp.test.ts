import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { allGroups, allProjects } from '../support/requests';
import { bodyOf, pageOf, type RunningGroups, runGroups, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let ada: TestUser;
let bob: TestUser;
let root: TestUser;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
  bob = await running.user('bob');
  root = await running.user('root', { admin: true });
});

afterAll(() => running.close());

const groups = (user?: TestUser) => running.as(user, GroupServiceService);
const projects = (user?: TestUser) => running.as(user, ProjectServiceService);
const members = (user?: TestUser) => running.as(user, MemberServiceService);

const newGroup = async (user: TestUser, path: string, given: { parentId?: number; visibility?: string } = {}) =>
  bodyOf(
    await groups(user).createGroup({
      parentId: given.parentId ?? 0,
      settings: { name: path, path, visibility: given.visibility },
    }),
  );

const newProject = async (user: TestUser, namespaceId: number, path: string, visibility?: string) =>
  bodyOf(
    await projects(user).createProject({
      namespaceId,
      userId: 0,
      initializeWithReadme: false,
      settings: { path, visibility, featureAccessLevels: {} },
    }),
  );

test('a group, a project in it and a member are there for the next read', async () => {
  const group = await newGroup(ada, 'first');
  expect(group).toMatchObject({
    path: 'first',
    full_path: 'first',
    visibility: 'private',
    parent_id: null,
    web_url: 'https://forge.example/groups/first',
    runners_token: expect.stringMatching(/^GR1348941/),
  });
  const project = await newProject(ada, group.id, 'web');
  expect(project).toMatchObject({
    path_with_namespace: 'first/web',
    name: 'web',
    http_url_to_repo: 'https://forge.example/first/web.git',
    ssh_url_to_repo: 'git@forge.example:first/web.git',
    permissions: { project_access: null, group_access: { access_level: 50, notification_level: 3 } },
    namespace: { kind: 'group', full_path: 'first' },
  });
  const source = { groupId: group.id, projectId: 0 };
  const added = bodyOf(
    await members(ada).addMembers(
      { source, userIds: [bob.userId], usernames: [], accessLevel: 30, expiresAt: '' },
      { group: group.id },
    ),
  );
  expect(added).toMatchObject({ username: 'bob', access_level: 30, created_by: { username: 'ada' }, expires_at: null });
  const listed = bodyOf(await projects(bob).listProjects({ ...allProjects, membership: true, page: pageOf() }));
  expect(listed.map((one: { id: number }) => one.id)).toContain(project.id);
  const seen = bodyOf(await groups(bob).listGroups({ ...allGroups, page: pageOf() }));
  expect(seen.map((one: { path: string }) => one.path)).toContain('first');
  const got = bodyOf(await groups(bob).getGroup({ groupId: group.id, withProjects: true }, { group: group.id }));
  expect(got.projects).toHaveLength(1);
  expect(got).not.toHaveProperty('runners_token');
  expect(root.admin).toBe(true);
});

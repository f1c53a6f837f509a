import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { CustomAttributeServiceService } from '@switchyard/protos/groups_admin/v1/custom_attribute';
import { GetGroupRequest, GroupServiceService, ListGroupsRequest } from '@switchyard/protos/groups_admin/v1/group';
import {
  CreateProjectRequest,
  GetProjectRequest,
  ListProjectsRequest,
  ProjectServiceService,
} from '@switchyard/protos/groups_admin/v1/project';
import { GetUserRequest, ListUsersRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { conforming } from '../support/components';
import { refusal } from '../support/group-clients';
import { pageOf } from '../support/running-groups';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let db: Database;
let root: Awaited<ReturnType<TestService['as']>>;

const attributes = () => service.client(CustomAttributeServiceService);
const groups = () => service.client(GroupServiceService);
const projects = () => service.client(ProjectServiceService);
const users = () => service.client(UserServiceService);

type Owner = { userId: number; groupId: number; projectId: number };
const owners: Record<string, Owner> = {};

beforeAll(async () => {
  service = await startTestService();
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  root = await service.as(rootToken);
  const group = bodyOf(await groups().createGroup({ parentId: 0, settings: { name: 'g', path: 'g' } }, root)).id;
  await groups().createGroup({ parentId: 0, settings: { name: 'other', path: 'other' } }, root);
  const request = (path: string) => CreateProjectRequest.fromPartial({ namespaceId: group, settings: { path } });
  const project = bodyOf(await projects().createProject(request('p'), root)).id;
  await projects().createProject(request('q'), root);
  const none = { userId: 0, groupId: 0, projectId: 0 };
  owners.user = { ...none, userId: root.actor.userId };
  owners.group = { ...none, groupId: group };
  owners.project = { ...none, projectId: project };
});

afterAll(async () => {
  await db.close();
  await service.close();
});

const set = async (owner: Owner, key: string, value: string) =>
  conforming('CustomAttribute', bodyOf(await attributes().setCustomAttribute({ owner, key, value }, root)));
const list = async (owner: Owner, page = {}) => {
  const reply = await attributes().listCustomAttributes({ owner, page: pageOf(page) }, root);
  return { rows: conforming('CustomAttribute', bodyOf(reply)), page: reply.page };
};
const remove = (owner: Owner, key: string, ifUnmodifiedSince?: Date) =>
  attributes().deleteCustomAttribute({ owner, key, ifUnmodifiedSince }, root);

const missing = { kind: 'not_found', message: '404 Not found' };
const kinds = ['user', 'group', 'project'] as const;
const nouns = { user: 'User', group: 'Group', project: 'Project' };

test.each(kinds)('attributes of a %s are set, changed, listed in both pagings and deleted', async (kind) => {
  const owner = owners[kind] as Owner;
  expect(await set(owner, 'city', 'Lyon')).toEqual({ key: 'city', value: 'Lyon' });
  await set(owner, 'plan', 'gold');
  await set(owner, 'city', 'Nice');
  expect((await list(owner)).rows).toEqual([
    { key: 'city', value: 'Nice' },
    { key: 'plan', value: 'gold' },
  ]);
  const first = await list(owner, { keyset: true, perPage: 1 });
  expect(first.rows).toEqual([{ key: 'city', value: 'Nice' }]);
  const second = await list(owner, { keyset: true, perPage: 1, cursor: first.page?.nextCursor });
  expect(second.rows).toEqual([{ key: 'plan', value: 'gold' }]);
  expect((await list(owner, { page: 2, perPage: 1 })).rows).toEqual(second.rows);
  expect(bodyOf(await attributes().getCustomAttribute({ owner, key: 'plan' }, root))).toEqual({
    key: 'plan',
    value: 'gold',
  });
  expect(await refusal(remove(owner, 'plan', new Date(0)))).toMatchObject({ kind: 'precondition_failed' });
  expect((await remove(owner, 'plan')).status).toBe(204);
  expect(await refusal(remove(owner, 'plan'))).toEqual(missing);
  expect(await refusal(attributes().getCustomAttribute({ owner, key: 'plan' }, root))).toEqual(missing);
});

test.each(kinds)('without the %s there is nothing to read or set', async (kind) => {
  const none = { userId: 0, groupId: 0, projectId: 0, [`${kind}Id`]: 999_999 };
  const gone = { kind: 'not_found', message: `404 ${nouns[kind]} Not Found` };
  expect(await refusal(list(none))).toEqual(gone);
  expect(await refusal(set(none, 'k', 'v'))).toEqual(gone);
});

test('an owner has a hundred at the most, and what is too long is refused', async () => {
  const owner = owners.project as Owner;
  await db.query(sql`
    insert into custom_attributes (project_id, key, value)
    select ${owner.projectId}, 'many' || n, 'v' from generate_series(1, 99) n`);
  expect(await refusal(set(owner, 'one more', 'v'))).toEqual({
    kind: 'invalid',
    message: { base: ['cannot have more than 100 custom attributes'] },
  });
  expect(await set(owner, 'many1', 'changed')).toEqual({ key: 'many1', value: 'changed' });
  await db.query(sql`delete from custom_attributes where key like 'many%'`);
  expect(await refusal(set(owner, 'k'.repeat(256), ' '))).toEqual({
    kind: 'invalid',
    message: { key: ['is too long (maximum is 255 characters)'], value: ["can't be blank"] },
  });
});

describe('with custom attributes', () => {
  const shows = { withCustomAttributes: true };
  const asked = { ...shows, customAttributes: { values: { city: 'Rome', tier: 'a' } } };
  beforeAll(async () => {
    for (const kind of kinds) {
      await set(owners[kind] as Owner, 'city', 'Rome');
      await set(owners[kind] as Owner, 'tier', 'a');
    }
  });
  const expected = [
    { key: 'city', value: 'Rome' },
    { key: 'tier', value: 'a' },
  ];
  const ordinary = () => ({ ...root, actor: { ...root.actor, admin: false } });

  const lists = {
    user: async (request: object, as = root) =>
      conforming('ListedUser', bodyOf(await users().listUsers(ListUsersRequest.fromPartial(request), as))),
    group: async (request: object, as = root) =>
      conforming('GroupItem', bodyOf(await groups().listGroups(ListGroupsRequest.fromPartial(request), as))),
    project: async (request: object, as = root) =>
      conforming('ProjectItem', bodyOf(await projects().listProjects(ListProjectsRequest.fromPartial(request), as))),
  };
  const idOf = ({ userId, groupId, projectId }: Owner) => userId || groupId || projectId;

  test.each(kinds)('lists of %ss filter by all of them and show them, to administrators alone', async (kind) => {
    const read = lists[kind];
    const found = await read(asked);
    expect(found.map((one: { id: number; custom_attributes: unknown }) => [one.id, one.custom_attributes])).toEqual([
      [idOf(owners[kind] as Owner), expected],
    ]);
    expect(await read({ customAttributes: { values: { city: 'Rome', tier: 'b' } } })).toEqual([]);
    const all = await read({});
    expect(all.length).toBeGreaterThan(1);
    expect(all.some((one: object) => 'custom_attributes' in one)).toBe(false);
    const ignored = await read(asked, ordinary());
    expect(ignored.length).toBe(all.length);
    expect(ignored.some((one: object) => 'custom_attributes' in one)).toBe(false);
  });

  test('single users, groups and projects show them to administrators alone', async () => {
    const { user, group, project } = owners as Record<(typeof kinds)[number], Owner>;
    const single = async (as = root) => [
      conforming(
        'User',
        bodyOf(await users().getUser(GetUserRequest.fromPartial({ ...shows, userId: user.userId }), as)),
      ),
      conforming(
        'Group',
        bodyOf(await groups().getGroup(GetGroupRequest.fromPartial({ ...shows, groupId: group.groupId }), as)),
      ),
      conforming(
        'Project',
        bodyOf(
          await projects().getProject(GetProjectRequest.fromPartial({ ...shows, projectId: project.projectId }), as),
        ),
      ),
    ];
    expect((await single()).map((one) => one.custom_attributes)).toEqual([expected, expected, expected]);
    expect((await single(ordinary())).some((one) => 'custom_attributes' in one)).toBe(false);
  });
});

import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  type EventBus,
  embeddedLog,
  packagesMeasured,
  reportsMeasured,
  repositoryMeasured,
  snippetsMeasured,
} from '@switchyard/events';
import { GetGroupRequest, GroupServiceService, ListGroupsRequest } from '@switchyard/protos/groups_admin/v1/group';
import {
  CreateProjectRequest,
  GetProjectRequest,
  ListProjectsRequest,
  ProjectServiceService,
} from '@switchyard/protos/groups_admin/v1/project';
import { eventually } from '@switchyard/testkit';
import { publish } from '@switchyard/testkit/installation';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Json = any;

let service: TestService;
let bus: EventBus;
let db: Database;
let root: Awaited<ReturnType<TestService['as']>>;
let top: number;
let sub: number;
let project: number;
let below: number;

const groups = () => service.client(GroupServiceService);
const projects = () => service.client(ProjectServiceService);
const groupOf = async (path: string, parentId: number): Promise<number> =>
  bodyOf(await groups().createGroup({ parentId, settings: { name: path, path } }, root)).id;
const projectOf = async (path: string, namespaceId: number): Promise<number> =>
  bodyOf(await projects().createProject(CreateProjectRequest.fromPartial({ namespaceId, settings: { path } }), root))
    .id;

beforeAll(async () => {
  service = await startTestService();
  bus = embeddedLog({ url: service.logDatabaseUrl, clientId: 'test' });
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  root = await service.as(rootToken);
  top = await groupOf('top', 0);
  sub = await groupOf('sub', top);
  project = await projectOf('code', top);
  below = await projectOf('below', sub);
});

afterAll(async () => {
  await db.close();
  await bus.close();
  await service.close();
});

const handled = (id: string) =>
  eventually(async () => {
    expect(await db.query(sql`select 1 from events.inbox where event_id = ${id}`)).toHaveLength(1);
  });

let serial = 0;
const eventId = () => {
  serial += 1;
  return `measured:${serial}`;
};

async function measured(
  projectId: number,
  version: number,
  size: number,
  commitCount = 0,
  wikiSize = 0,
): Promise<void> {
  const id = eventId();
  await publish(
    bus,
    repositoryMeasured,
    { projectId, version, size, wikiSize, commitCount, occurredAt: new Date() },
    id,
  );
  await handled(id);
}

async function packages(projectId: number, version: number, size: number, uploadsSize = 0): Promise<void> {
  const id = eventId();
  await publish(bus, packagesMeasured, { projectId, version, size, uploadsSize, occurredAt: new Date() }, id);
  await handled(id);
}

async function snippets(projectId: number, version: number, size: number): Promise<void> {
  const id = eventId();
  await publish(bus, snippetsMeasured, { projectId, version, size, occurredAt: new Date() }, id);
  await handled(id);
}

async function reports(projectId: number, version: number, size: number): Promise<void> {
  const id = eventId();
  await publish(bus, reportsMeasured, { projectId, version, size, occurredAt: new Date() }, id);
  await handled(id);
}

const readProject = async (id: number, as = root): Promise<Json> =>
  conforming(
    'Project',
    bodyOf(await projects().getProject(GetProjectRequest.fromPartial({ projectId: id, withStatistics: true }), as)),
  );
const readGroup = async (id: number): Promise<Json> =>
  conforming(
    'Group',
    bodyOf(await groups().getGroup(GetGroupRequest.fromPartial({ groupId: id, withStatistics: true }), root)),
  );
const sizesOf = async (id: number) => {
  const { statistics, root_storage_statistics: all } = await readGroup(id);
  return [statistics.storage_size, all?.storage_size];
};

test('a project shows what was measured last, whatever comes late or twice', async () => {
  expect((await readProject(project)).statistics).toMatchObject({ storage_size: 0, commit_count: 0 });
  await measured(project, 2, 1_000, 7, 20);
  await measured(project, 1, 50, 1);
  await measured(project, 2, 60, 2);
  await snippets(project, 1, 30);
  expect((await readProject(project)).statistics).toEqual({
    commit_count: 7,
    storage_size: 1_050,
    repository_size: 1_000,
    wiki_size: 20,
    lfs_objects_size: 0,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 30,
    uploads_size: 0,
  });
  await measured(project, 3, 900, 8);
  await packages(project, 2, 4_000, 70);
  await packages(project, 1, 9_000, 90);
  await reports(project, 1, 600);
  expect((await readProject(project)).statistics).toMatchObject({
    storage_size: 5_600,
    repository_size: 900,
    job_artifacts_size: 600,
    snippets_size: 30,
    packages_size: 4_000,
    uploads_size: 70,
  });
  const ofGroup = await readGroup(top);
  expect(ofGroup.statistics).toMatchObject({ storage_size: 5_600, uploads_size: 70, job_artifacts_size: 600 });
  expect(ofGroup.root_storage_statistics).toMatchObject({ storage_size: 5_600, build_artifacts_size: 600 });
  await packages(project, 3, 0);
  await reports(project, 2, 0);
});

test('a group shows its own projects, a top-level group all below as well; a transfer moves both', async () => {
  await measured(project, 4, 900, 8);
  await snippets(project, 4, 30);
  await measured(below, 1, 4_999_999_990, 0, 10);
  expect(await sizesOf(top)).toEqual([930, 5_000_000_930]);
  expect(await sizesOf(sub)).toEqual([5_000_000_000, undefined]);
  const { root_storage_statistics } = await readGroup(top);
  expect(root_storage_statistics).toEqual({
    build_artifacts_size: 0,
    container_registry_size_is_estimated: false,
    dependency_proxy_size: 0,
    lfs_objects_size: 0,
    packages_size: 0,
    pipeline_artifacts_size: 0,
    repository_size: 5_000_000_890,
    snippets_size: 30,
    storage_size: 5_000_000_930,
    uploads_size: 0,
    wiki_size: 10,
  });
  await groups().transferGroup({ groupId: sub, parentId: 0 }, root);
  expect([await sizesOf(top), await sizesOf(sub)]).toEqual([
    [930, 930],
    [5_000_000_000, 5_000_000_000],
  ]);
  await projects().transferProject({ projectId: below, namespace: String(top) }, root);
  expect([await sizesOf(top), await sizesOf(sub)]).toEqual([
    [5_000_000_930, 5_000_000_930],
    [0, 0],
  ]);
});

test('lists show statistics on request, those of groups to administrators alone', async () => {
  const listed = async (as = root, withStatistics = true): Promise<Json[]> =>
    conforming('GroupItem', bodyOf(await groups().listGroups(ListGroupsRequest.fromPartial({ withStatistics }), as)));
  expect((await listed()).every(({ statistics }) => statistics !== undefined)).toBe(true);
  expect((await listed(root, false)).some((group) => 'statistics' in group)).toBe(false);
  const user = { ...root, actor: { ...root.actor, admin: false } };
  expect((await listed(user)).some((group) => 'statistics' in group)).toBe(false);
});

test('a project shows statistics from the role Reporter on', async () => {
  const listed = async (as: typeof root): Promise<Json[]> =>
    conforming(
      'ProjectItem',
      bodyOf(await projects().listProjects(ListProjectsRequest.fromPartial({ withStatistics: true }), as)),
    );
  const [{ id }] = (await db.query<{ id: number }>(
    sql`insert into users (username, name, email) values ('eve', 'Eve', 'eve@example.com') returning id`,
  )) as [{ id: number }];
  const eve = { ...root, actor: { ...root.actor, userId: id, admin: false } };
  for (const [level, shown] of [
    [10, false],
    [15, false],
    [20, true],
  ] as const) {
    await db.query(sql`delete from memberships where user_id = ${id}`);
    await db.query(
      sql`insert into memberships (user_id, project_id, access_level) values (${id}, ${project}, ${level})`,
    );
    expect('statistics' in (await readProject(project, eve))).toBe(shown);
    const items = await listed(eve);
    expect(items.map((item) => [item.id, 'statistics' in item])).toEqual([[project, shown]]);
  }
  expect((await listed(root)).every((item) => 'statistics' in item)).toBe(true);
});

test('a measurement of a deleted project changes nothing, and its row goes with it', async () => {
  const gone = await projectOf('gone', top);
  await measured(gone, 1, 77);
  // As the purge does.
  await db.query(sql`delete from memberships where project_id = ${gone}`);
  await db.query(sql`delete from projects where id = ${gone}`);
  await measured(gone, 2, 88);
  expect(await db.query(sql`select 1 from project_statistics where project_id = ${gone}`)).toHaveLength(0);
});

import { type Database, openDatabase } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import {
  CreatePersonalAccessTokenRequest,
  PersonalAccessTokenServiceService,
} from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { CreateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import type { CallOptions } from '@switchyard/rpc';
import { refusal } from '../support/group-clients';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let db: Database;
let root: CallOptions;
let parent: { projectId: number; groupId: number };

const makeProject = (path: string): Promise<Representation> =>
  service.client(ProjectServiceService).createProject(
    {
      namespaceId: 0,
      userId: 0,
      initializeWithReadme: false,
      settings: { name: path, path, featureAccessLevels: {} },
    },
    root,
  );

beforeAll(async () => {
  service = await startTestService();
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  root = await service.as(rootToken);
  parent = { projectId: bodyOf(await makeProject('parent')).id, groupId: 0 };
});

afterAll(async () => {
  await db.close();
  await service.close();
});

interface Kind {
  table: string;
  /** What holds for a row that is not deleted. */
  alive?: string;
  make(): Promise<Representation>;
  remove(id: number, ifUnmodifiedSince: Date): Promise<unknown>;
}

const kinds: Record<string, Kind> = {
  user: {
    table: 'users',
    make: () =>
      service.client(UserServiceService).createUser(
        CreateUserRequest.fromPartial({
          settings: { username: 'ada', name: 'Ada', email: 'ada@example.com', password: 'a long pass phrase' },
        }),
        root,
      ),
    remove: (userId, ifUnmodifiedSince) =>
      service.client(UserServiceService).deleteUser({ userId, ifUnmodifiedSince, hardDelete: false }, root),
  },
  group: {
    table: 'namespaces',
    alive: 'marked_for_deletion_at is null',
    make: () =>
      service
        .client(GroupServiceService)
        .createGroup({ parentId: 0, settings: { name: 'team', path: 'team', visibility: undefined } }, root),
    remove: (groupId, ifUnmodifiedSince) =>
      service
        .client(GroupServiceService)
        .deleteGroup({ groupId, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince }, root),
  },
  project: {
    table: 'projects',
    alive: 'marked_for_deletion_at is null',
    make: () => makeProject('engine'),
    remove: (projectId, ifUnmodifiedSince) =>
      service.client(ProjectServiceService).deleteProject({ projectId, ifUnmodifiedSince }, root),
  },
  label: {
    table: 'labels',
    make: () =>
      service
        .client(LabelServiceService)
        .createLabel({ parent, name: 'bug', color: '#ff0000', description: '', priority: undefined }, root),
    remove: (id, ifUnmodifiedSince) =>
      service
        .client(LabelServiceService)
        .deleteLabel({ parent, label: String(id), byTitle: false, ifUnmodifiedSince }, root),
  },
  milestone: {
    table: 'milestones',
    make: () =>
      service
        .client(MilestoneServiceService)
        .createMilestone({ parent, title: 'One', description: '', dueDate: '', startDate: '' }, root),
    remove: (milestoneId, ifUnmodifiedSince) =>
      service.client(MilestoneServiceService).deleteMilestone({ parent, milestoneId, ifUnmodifiedSince }, root),
  },
  token: {
    table: 'personal_access_tokens',
    alive: 'not revoked',
    make: () =>
      service
        .client(PersonalAccessTokenServiceService)
        .createPersonalAccessToken(
          CreatePersonalAccessTokenRequest.fromPartial({ userId: root.actor?.userId, name: 'ci', scopes: ['api'] }),
          root,
        ),
    remove: (tokenId, ifUnmodifiedSince) =>
      service.client(PersonalAccessTokenServiceService).revokePersonalAccessToken({ tokenId, ifUnmodifiedSince }, root),
  },
};

// The header carries whole seconds: a fraction is no change.
test.each(Object.entries(kinds))(
  'a %s that changed since is not deleted',
  async (_, { table, alive, make, remove }) => {
    const { id } = bodyOf(await make());
    const isAlive = async () =>
      (await db.query(sql`select 1 from ${raw(table)} where id = ${id} and ${raw(alive ?? 'true')}`)).length > 0;
    await db.query(sql`update ${raw(table)} set updated_at = '2026-03-01T10:00:00.900Z' where id = ${id}`);
    expect(await refusal(remove(id, new Date('2026-03-01T09:59:59Z')))).toMatchObject({ kind: 'precondition_failed' });
    expect(await isAlive()).toBe(true);
    await remove(id, new Date('2026-03-01T10:00:00Z'));
    expect(await isAlive()).toBe(false);
  },
);

import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  accessLevel,
  type Directory,
  directoryMigrations,
  projectById,
  projectsFrom,
  startDirectory,
  usersByIds,
  type Viewer,
  visibleNamespaces,
  visibleProjects,
} from '@switchyard/directory';
import { isAppError } from '@switchyard/errors';
import { logMigrations } from '@switchyard/events';
import { AccessServiceService, ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { CreateGroupRequest, GroupServiceService, UpdateGroupRequest } from '@switchyard/protos/groups_admin/v1/group';
import { AddMembersRequest, MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import {
  CreatePersonalAccessTokenRequest,
  PersonalAccessTokenServiceService,
} from '@switchyard/protos/groups_admin/v1/personal_access_token';
import {
  CreateProjectRequest,
  ProjectServiceService,
  SetApprovalSettingsRequest,
  UpdateProjectRequest,
} from '@switchyard/protos/groups_admin/v1/project';
import { CreateShareRequest, ShareServiceService } from '@switchyard/protos/groups_admin/v1/share';
import { CreateUserRequest, UpdateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, type CallOptions, connect, type Peer } from '@switchyard/rpc';
import { type RunningService, startService } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import { eventually, freePort, type TestDatabase, testDatabase, testIdentities } from '@switchyard/testkit';
import * as fc from 'fast-check';
import { publishTier } from '../../src/directory';
import { service as groupsAdmin } from '../../src/service';
import { awayPeers } from '../support/running-service';
import { writerOf } from '../support/writer';

const rootToken = 'root-token-of-the-directory-test';

let home: TestDatabase;
let log: TestDatabase;
let away: TestDatabase;
let owner: Database;
let db: Database;
let service: RunningService;
let directory: Directory;
const peers: Peer[] = [];
let gateway: Peer;
let root: CallOptions;

async function open(deletionDelayDays: number): Promise<void> {
  [home, log, away] = await Promise.all([
    testDatabase({ sets: groupsAdmin.migrationSets }),
    testDatabase({ sets: [logMigrations] }),
    testDatabase({ sets: [directoryMigrations] }),
  ]);
  owner = openDatabase({ url: home.url, applicationName: 'directory test' });
  db = openDatabase({ url: away.url, applicationName: 'directory test' });
  const identities = testIdentities(['gateway', 'merge-requests', 'groups-admin']);
  const port = await freePort();
  const config = groupsAdmin.readConfig({
    HOST: '127.0.0.1',
    GRPC_PORT: String(port),
    HTTP_PORT: '0',
    DATABASE_URL: home.url,
    LOG_DATABASE_URL: log.url,
    SWITCHYARD_IDENTITY_KEY_FILE: 'none',
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: 'none',
    SWITCHYARD_EXTERNAL_URL: 'https://code.example',
    SWITCHYARD_SECRET: 'secret of the directory test, long enough',
    SWITCHYARD_TOKEN_DIGEST_KEY_FILE: join(__dirname, '../support/token-digest.key'),
    SWITCHYARD_REQUEST_DIGEST_KEY_FILE: join(__dirname, '../support/token-digest.key'),
    SWITCHYARD_ROOT_TOKEN: rootToken,
    SWITCHYARD_DELETION_DELAY_DAYS: String(deletionDelayDays),
    ...awayPeers,
  });
  const context = { signer: identities.signer('groups-admin'), trusted: identities.trusted };
  service = await startService(config, context, await groupsAdmin.compose(config, context));
  const as = (name: string): Peer => {
    const peer = connect(`127.0.0.1:${port}`, identities.signer(name));
    peers.push(peer);
    return peer;
  };
  gateway = as('gateway');
  const client = as('merge-requests').client(DirectoryServiceService);
  directory = await startDirectory({ db, client, pollMs: 200, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
  const { actor } = await resolve(rootToken, undefined);
  root = { requestId: 'test', actor: actor! };
}

async function close(): Promise<void> {
  await directory.close();
  for (const peer of peers.splice(0)) peer.close();
  await service.close(200);
  await Promise.all([owner.close(), db.close()]);
  await Promise.all([home.close(), log.close(), away.close()]);
}

type Target = { $case: 'project' | 'group'; value: string };

const resolve = (token: string, target: Target | undefined) =>
  gateway.client(AccessServiceService).resolve(ResolveRequest.fromPartial({ token, target }), { requestId: 'test' });

const idOf = (reply: Representation): number => (JSON.parse(reply.json.toString()) as { id: number }).id;

/** What the rules refuse is refused, and changes nothing on either side. */
const unlessRefused = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (isAppError(error) && error.kind !== 'internal' && error.kind !== 'unavailable') return undefined;
    throw error;
  }
};

interface Person extends Viewer {
  external: boolean;
  token: string;
}

let names = 0;
const fresh = (kind: string): string => {
  names += 1;
  return `${kind}-${names}`;
};

async function newPerson(given: { admin?: boolean; external?: boolean } = {}): Promise<Person> {
  const username = fresh('user');
  const settings = { username, name: username, email: `${username}@example.com`, ...given };
  const created = await gateway
    .client(UserServiceService)
    .createUser(CreateUserRequest.fromPartial({ settings, skipConfirmation: true }), root);
  const userId = idOf(created);
  const reply = await gateway
    .client(PersonalAccessTokenServiceService)
    .createPersonalAccessToken(
      CreatePersonalAccessTokenRequest.fromPartial({ userId, name: 'test', scopes: ['api'] }),
      root,
    );
  const { token } = JSON.parse(reply.json.toString()) as { token: string };
  return { userId, admin: given.admin ?? false, external: given.external ?? false, token };
}

const step = fc.record({
  kind: fc.constantFrom(
    'group',
    'subgroup',
    'project',
    'project',
    'ownProject',
    'groupMember',
    'groupMember',
    'projectMember',
    'leave',
    'share',
    'share',
    'unshare',
    'renameGroup',
    'transferGroup',
    'transferProject',
    'projectVisibility',
    'groupVisibility',
    'deleteProject',
    'deleteGroup',
    'deleteUser',
    'external',
    'rebuild',
  ),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
  level: fc.constantFrom(5, 10, 15, 20, 30, 40, 50),
  visibility: fc.constantFrom('public', 'internal', 'private'),
});

interface Model {
  people: Person[];
  groups: number[];
  projects: number[];
}

type Step = { kind: string; a: number; b: number; level: number; visibility: string };

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

/** Applies one random step to groups-admin, through its own API. */
async function apply(model: Model, { kind, a, b, level, visibility }: Step): Promise<void> {
  const groups = gateway.client(GroupServiceService);
  const projects = gateway.client(ProjectServiceService);
  const members = gateway.client(MemberServiceService);
  const users = gateway.client(UserServiceService);
  const shares = gateway.client(ShareServiceService);
  const person = pick(model.people, a);
  const group = pick(model.groups, b);
  const project = pick(model.projects, a + b);
  const named = (kindOf: string) => {
    const name = fresh(kindOf);
    return { name, path: name, visibility };
  };
  const addTo = async (source: { groupId?: number; projectId?: number }, userId: number) => {
    await unlessRefused(
      members.addMembers(AddMembersRequest.fromPartial({ source, userIds: [userId], accessLevel: level }), root),
    );
  };
  if (kind === 'group' || (kind === 'subgroup' && group !== undefined)) {
    const parentId = kind === 'group' ? 0 : (group as number);
    const made = await unlessRefused(
      groups.createGroup(CreateGroupRequest.fromPartial({ parentId, settings: named('group') }), root),
    );
    if (made) model.groups.push(idOf(made));
  } else if (kind === 'project' && group !== undefined) {
    const made = await unlessRefused(
      projects.createProject(
        CreateProjectRequest.fromPartial({ namespaceId: group, settings: named('project') }),
        root,
      ),
    );
    if (made) model.projects.push(idOf(made));
  } else if (kind === 'ownProject' && person) {
    const made = await unlessRefused(
      projects.createProject(
        CreateProjectRequest.fromPartial({ userId: person.userId, settings: named('project') }),
        root,
      ),
    );
    if (made) model.projects.push(idOf(made));
  } else if (kind === 'groupMember' && person && group !== undefined) {
    await addTo({ groupId: group }, person.userId);
  } else if (kind === 'projectMember' && person && project !== undefined) {
    await addTo({ projectId: project }, person.userId);
  } else if (kind === 'leave' && person && group !== undefined) {
    const source =
      a % 2 === 0 && project !== undefined ? { groupId: 0, projectId: project } : { groupId: group, projectId: 0 };
    await unlessRefused(members.removeMember({ source, userId: person.userId, skipSubresources: b % 2 === 0 }, root));
  } else if (kind === 'share' && group !== undefined) {
    const source = b % 3 === 0 && project !== undefined ? { projectId: project } : { groupId: group };
    const groupId = pick(model.groups, a) ?? group;
    await unlessRefused(
      shares.createShare(CreateShareRequest.fromPartial({ source, groupId, accessLevel: Math.max(10, level) }), root),
    );
  } else if (kind === 'unshare' && group !== undefined) {
    const [row] = await owner.query<{
      id: number;
      groupId: number;
      source: { groupId: number; projectId: number };
    }>(sql`
      select group_id as "groupId", json_build_object('groupId', coalesce(namespace_id, 0), 'projectId', coalesce(project_id, 0)) as source
      from group_shares order by id offset ${a % 3} limit 1`);
    if (row !== undefined) await shares.deleteShare({ ...row, ifUnmodifiedSince: undefined }, root);
  } else if (kind === 'renameGroup' && group !== undefined) {
    const settings = { path: fresh('renamed') };
    await unlessRefused(groups.updateGroup(UpdateGroupRequest.fromPartial({ groupId: group, settings }), root));
  } else if (kind === 'transferGroup' && group !== undefined) {
    await unlessRefused(groups.transferGroup({ groupId: group, parentId: pick([0, ...model.groups], a) ?? 0 }, root));
  } else if (kind === 'transferProject' && project !== undefined && group !== undefined) {
    await unlessRefused(projects.transferProject({ projectId: project, namespace: String(group) }, root));
  } else if (kind === 'projectVisibility' && project !== undefined) {
    const settings = { visibility };
    await unlessRefused(
      projects.updateProject(UpdateProjectRequest.fromPartial({ projectId: project, settings }), root),
    );
  } else if (kind === 'groupVisibility' && group !== undefined) {
    const settings = { visibility };
    await unlessRefused(groups.updateGroup(UpdateGroupRequest.fromPartial({ groupId: group, settings }), root));
  } else if (kind === 'deleteProject' && project !== undefined && a % 3 === 0) {
    await unlessRefused(projects.deleteProject({ projectId: project, ifUnmodifiedSince: undefined }, root));
  } else if (kind === 'deleteGroup' && group !== undefined && a % 4 === 0) {
    await unlessRefused(
      groups.deleteGroup(
        { groupId: group, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined },
        root,
      ),
    );
  } else if (kind === 'deleteUser' && person && a % 4 === 0) {
    const deleted = await unlessRefused(
      users.deleteUser({ userId: person.userId, ifUnmodifiedSince: undefined, hardDelete: false }, root),
    );
    if (deleted) model.people = model.people.filter((one) => one !== person);
  } else if (kind === 'external' && person) {
    const settings = { external: b % 2 === 0 };
    await unlessRefused(users.updateUser(UpdateUserRequest.fromPartial({ userId: person.userId, settings }), root));
    person.external = settings.external;
  } else if (kind === 'rebuild') {
    await directory.rebuild();
  }
}

async function head(): Promise<number> {
  const [row] = await owner.query<{ value: number }>(sql`select value from directory_sequence`);
  return row?.value ?? 0;
}

/** A busy machine may need more than the 500 ms of one call. */
const caughtUp = () => eventually(async () => directory.ensure(await head()));

/** What the replica says of every project and group to a viewer: level by project, and groups that are seen. */
async function replicaView(viewer: Viewer) {
  const projects = await db.query<{ id: number; level: number }>(
    sql`select p.id, ${accessLevel(viewer, sql`p.id`)} as level from ${projectsFrom} where ${visibleProjects(viewer)}`,
  );
  const groups = await db.query<{ id: number }>(
    sql`select n.id from directory.namespaces n where n.kind = 'group' and ${visibleNamespaces(viewer)}`,
  );
  return {
    projects: new Map(projects.map(({ id, level }) => [id, level])),
    groups: new Set(groups.map(({ id }) => id)),
  };
}

/** Compares the replica with groups-admin's own answers for a viewer on every project and group there ever was. */
async function compare(model: Model, viewer: Person): Promise<void> {
  const view = await replicaView(viewer);
  const difference: string[] = [];
  for (const id of model.projects) {
    const { access } = await resolve(viewer.token, { $case: 'project', value: String(id) });
    if (access?.level !== view.projects.get(id)) {
      difference.push(`project ${id}: ${access?.level ?? 'hidden'}, replica ${view.projects.get(id) ?? 'hidden'}`);
    }
  }
  for (const id of model.groups) {
    const { access } = await resolve(viewer.token, { $case: 'group', value: String(id) });
    if ((access !== undefined) !== view.groups.has(id)) {
      difference.push(`group ${id}: ${access === undefined ? 'hidden' : 'seen'}, replica differs`);
    }
  }
  expect(difference).toEqual([]);
}

describe.each([
  ['at once', 0],
  ['days later', 7],
])('the replica of the directory, where deletions are purged %s,', (_when, delay) => {
  beforeAll(() => open(delay));
  afterAll(close);

  it('gives the answers of groups-admin under random changes, moves, deletions and rebuilds', async () => {
    const noUser: Person = { ...anonymous, token: '' };
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        const model: Model = { groups: [], projects: [], people: [] };
        model.people.push(
          await newPerson(),
          await newPerson({ external: true }),
          await newPerson(),
          await newPerson({ admin: true }),
        );
        for (const one of steps) {
          await apply(model, one);
          if (one.a % 5 === 0) {
            // Whoever was answered at a sequence sees on the replica what the answer rests on.
            const viewer = pick(model.people, one.b) ?? noUser;
            await caughtUp();
            seen += (await replicaView(viewer)).projects.size;
          }
        }
        await eventually(async () => {
          await caughtUp();
          for (const viewer of [noUser, ...model.people]) await compare(model, viewer);
        });
      }),
      { seed: 20261121, numRuns: 4, endOnFailure: true },
    );
    expect(seen).toBeGreaterThan(50);
  }, 240_000);

  it('knows whether merge trains are in force from what is set in project, group and instance', async () => {
    const groups = gateway.client(GroupServiceService);
    const projects = gateway.client(ProjectServiceService);
    const path = fresh('licensed');
    const groupId = idOf(
      await groups.createGroup(CreateGroupRequest.fromPartial({ settings: { name: path, path } }), root),
    );
    const settings = {
      path: 'p',
      mergePipelinesEnabled: true,
      mergeTrainsEnabled: true,
      mergeTrainRequiredStatuses: { names: ['build'] },
      mergeTrainTimeout: 30,
      mergeTrainParallelCars: 2,
      mergeTrainRetries: 0,
      mergeTrainBatchSize: 7,
      mergeTrainRequiredStatusCount: 5,
      mergeTrainSettlingSeconds: 0,
      approvalsBeforeMerge: 2,
    };
    const create = CreateProjectRequest.fromPartial({ namespaceId: groupId, settings });
    const projectId = idOf(await projects.createProject(create, root));
    const found = async () => {
      await caughtUp();
      return projectById(db, projectId);
    };
    const on = {
      merge_trains_enabled: true,
      merge_train_required_statuses: ['build'],
      merge_train_timeout: 30,
      merge_train_parallel_cars: 2,
      merge_train_retries: 0,
      merge_train_batch_size: 7,
      merge_train_required_status_count: 5,
      merge_train_settling_seconds: 0,
      approvals_before_merge: 2,
      tier: 'ultimate',
    };
    expect(await found()).toMatchObject({
      ...on,
      merge_requests_author_approval: false,
      merge_requests_disable_committers_approval: false,
      reset_approvals_on_push: true,
      disable_overriding_approvers_per_merge_request: false,
    });
    await directory.rebuild();
    expect(await found()).toMatchObject(on);
    await projects.setApprovalSettings(
      SetApprovalSettingsRequest.fromPartial({
        projectId,
        mergeRequestsAuthorApproval: true,
        mergeRequestsDisableCommittersApproval: true,
        resetApprovalsOnPush: false,
        disableOverridingApproversPerMergeRequest: true,
      }),
      root,
    );
    expect(await found()).toMatchObject({
      approvals_before_merge: 2,
      merge_requests_author_approval: true,
      merge_requests_disable_committers_approval: true,
      reset_approvals_on_push: false,
      disable_overriding_approvers_per_merge_request: true,
    });
    const switched = async (change: object) => {
      await projects.updateProject(UpdateProjectRequest.fromPartial({ projectId, settings: change }), root);
      return (await found())?.merge_trains_enabled;
    };
    expect(await switched({ mergePipelinesEnabled: false })).toBe(false);
    expect(await switched({ mergePipelinesEnabled: true })).toBe(true);
    for (const [tier, enabled] of [
      ['free', false],
      ['premium', true],
      ['', true],
    ] as const) {
      await groups.updateGroup(UpdateGroupRequest.fromPartial({ groupId, tier }), root);
      expect((await found())?.merge_trains_enabled).toBe(enabled);
    }
    // As at a start with another SWITCHYARD_TIER.
    await publishTier(writerOf(owner).transaction, 'free');
    expect((await found())?.merge_trains_enabled).toBe(false);
    await publishTier(writerOf(owner).transaction, 'ultimate');
    expect(await found()).toMatchObject(on);
  });

  it('shows the ghost in place of a deleted user, also after a rebuild', async () => {
    const person = await newPerson();
    await caughtUp();
    expect((await usersByIds(db, [person.userId])).get(person.userId)).toMatchObject({ id: person.userId });
    await gateway
      .client(UserServiceService)
      .deleteUser({ userId: person.userId, ifUnmodifiedSince: undefined, hardDelete: false }, root);
    await caughtUp();
    expect((await usersByIds(db, [person.userId])).get(person.userId)).toMatchObject({ username: 'ghost' });
    await directory.rebuild();
    expect((await usersByIds(db, [person.userId])).get(person.userId)).toMatchObject({ username: 'ghost' });
  });
});

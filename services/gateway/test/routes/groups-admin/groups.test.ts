import { conflict, forbidden, invalid } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, page } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { group, groupItem, project } from './samples';

const { id, web_url, name, avatar_url, full_name, full_path } = groupItem;
const location = { id, web_url, name, avatar_url, full_name, full_path };

let gateway: TestGateway;
let answer = resolved();
let refused: Error | undefined;

const reply = <T>(value: T) => {
  if (refused !== undefined) throw refused;
  return value;
};
const accepted = entity({ message: '202 Accepted' }, 202);
const one = (value: unknown) => page([value], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false });

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      'GroupService/ListGroups': async () => one(groupItem),
      'GroupService/GetGroup': async () => entity(group),
      'GroupService/CreateGroup': async () => reply(entity(group)),
      'GroupService/UpdateGroup': async () => reply(entity(group)),
      'GroupService/DeleteGroup': async () => accepted,
      'GroupService/RestoreGroup': async () => entity(group),
      'GroupService/TransferGroup': async () => entity(group),
      'GroupService/TransferProjectToGroup': async () => entity(group),
      'GroupService/ListTransferLocations': async () => one(location),
      'ProjectService/ListProjects': async () => one(project),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ access: { ...projectAccess(), kind: Access_Kind.KIND_GROUP, id: 3, fullPath: 'g', level: 50 } });
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;

describe('GET /groups', () => {
  it('200: passes every filter on', async () => {
    const sent = await gateway.send(
      'GET',
      '/groups?skip_groups=1,2&all_available=yes&search=eng&visibility=public&owned=1&min_access_level=40&top_level_only=t&order_by=path&sort=desc&statistics=true&marked_for_deletion_on=2026-01-31&repository_storage=x',
      newToken(),
    );
    expect(sent.status).toBe(200);
    expect(asked('GroupService/ListGroups')).toMatchObject({
      skipGroups: [1, 2],
      allAvailable: true,
      search: 'eng',
      visibility: 'public',
      owned: true,
      minAccessLevel: 40,
      topLevelOnly: true,
      parentId: 0,
      ancestorId: 0,
      markedForDeletionOn: '2026-01-31',
      repositoryStorage: undefined,
      page: { orderBy: 'path', descending: true },
    });
    answer = resolved({ actor: actor({ admin: true }) });
    gateway.calls.length = 0;
    await gateway.send('GET', '/groups?repository_storage=x', newToken());
    expect(asked('GroupService/ListGroups')).toMatchObject({ repositoryStorage: 'x' });
  });

  it('200: without a token and without parameters', async () => {
    answer = resolved({ actor: anonymous });
    expect((await gateway.send('GET', '/groups')).status).toBe(200);
    expect(asked('GroupService/ListGroups')).toMatchObject({ allAvailable: undefined, page: { orderBy: 'name' } });
  });

  it('400: names every problem', async () => {
    const sent = await gateway.send(
      'GET',
      '/groups?visibility=secret&min_access_level=7&order_by=size&owned=maybe&skip_groups=x&per_page=0',
      newToken(),
    );
    expect([sent.status, sent.body]).toEqual([
      400,
      {
        error:
          'skip_groups is invalid, visibility does not have a valid value, owned is invalid, min_access_level does not have a valid value, order_by does not have a valid value',
      },
    ]);
  });

  it('405: an anonymous caller asks beyond the largest offset', async () => {
    answer = resolved({ actor: anonymous });
    const sent = await gateway.send('GET', '/groups?page=501&per_page=100');
    expect([sent.status, sent.body.error]).toEqual([405, expect.stringContaining('objects of type Group')]);
  });
});

describe('GET below a group', () => {
  it('200: children, descendants and projects', async () => {
    for (const [path, rpc, expected] of [
      ['subgroups', 'GroupService/ListGroups', { parentId: 3, ancestorId: 0 }],
      ['descendant_groups', 'GroupService/ListGroups', { parentId: 0, ancestorId: 3 }],
      ['projects?include_subgroups=1', 'ProjectService/ListProjects', { groupId: 3, includeSubgroups: true }],
    ] as const) {
      gateway.calls.length = 0;
      expect((await gateway.send('GET', `/groups/g%2Fh/${path}`, newToken())).status).toBe(200);
      expect(asked(rpc)).toMatchObject(expected);
    }
  });

  it('200: the group itself, with or without its projects', async () => {
    expect((await gateway.send('GET', '/groups/3?with_projects=false', newToken())).status).toBe(200);
    expect(asked('GroupService/GetGroup')).toEqual({ groupId: 3, withProjects: false });
  });

  it('404: a group that cannot be seen', async () => {
    answer = resolved();
    const sent = await gateway.send('GET', '/groups/secret', newToken());
    expect([sent.status, sent.body]).toEqual([404, { message: '404 Group Not Found' }]);
  });
});

describe('POST /groups', () => {
  it('201: settings, and what is cleared', async () => {
    const sent = await gateway.send('POST', '/groups', {
      ...newToken(),
      body: {
        name: 'G',
        path: 'g',
        parent_id: 9,
        emails_disabled: false,
        default_branch: null,
        default_branch_protection_defaults: { allowed_to_push: [{ access_level: 40 }], allow_force_push: false },
      },
    });
    expect(sent.status).toBe(201);
    expect(asked('GroupService/CreateGroup')).toMatchObject({
      parentId: 9,
      settings: {
        name: 'G',
        path: 'g',
        emailsEnabled: true,
        defaultBranch: '',
        defaultBranchProtectionDefaults: { allowedToPush: [40], allowedToMerge: [], allowForcePush: false },
      },
    });
  });

  it.each([
    ['require_two_factor_authentication', true, 'false'],
    ['two_factor_grace_period', 12, '48'],
    ['auto_devops_enabled', true, 'null'],
    ['lfs_enabled', false, 'true'],
    ['shared_runners_minutes_limit', 100, 'null'],
    ['extra_shared_runners_minutes_limit', 7, 'null'],
    ['wiki_access_level', 'disabled', '"enabled"'],
    ['experiment_features_enabled', true, 'false'],
    ['assistant_availability', 'never_on', '"default_on"'],
    ['duo_availability', 'default_off', '"default_on"'],
    ['assistant_features_enabled', false, 'true'],
    ['duo_features_enabled', false, 'true'],
    ['lock_assistant_features_enabled', true, 'false'],
    ['lock_duo_features_enabled', true, 'false'],
    ['shared_runners_setting', 'disabled_and_overridable', '"enabled"'],
    ['file_template_project_id', 12, 'null'],
    ['math_rendering_limits_enabled', false, 'true'],
    ['lock_math_rendering_limits_enabled', true, 'false'],
    ['max_artifacts_size', 50, 'null'],
  ])(
    '400: %s promises what nothing keeps; its default is taken (G-4.15-5, G-4.15-6)',
    async (setting, value, standard) => {
      const refusal = { status: 400, body: { error: `${setting} is not supported except as ${standard}` } };
      const body = { name: 'G', path: 'g', [setting]: value };
      expect(await gateway.send('POST', '/groups', { ...newToken(), body })).toMatchObject(refusal);
      expect(await gateway.send('PUT', '/groups/3', { ...newToken(), body: { [setting]: value } })).toMatchObject(
        refusal,
      );
      const kept = { name: 'G', path: 'g', [setting]: JSON.parse(standard) };
      expect((await gateway.send('POST', '/groups', { ...newToken(), body: kept })).status).toBe(201);
    },
  );

  it('200: what is enforced goes to the service as it was sent', async () => {
    const body = {
      ip_restriction_ranges: '10.0.0.0/8',
      enabled_git_access_protocol: 'ssh',
      default_branch_protection: 0,
      default_branch_protection_defaults: { allow_force_push: true },
      project_creation_level: 'administrator',
    };
    expect((await gateway.send('PUT', '/groups/3', { ...newToken(), body })).status).toBe(200);
    expect(asked('GroupService/UpdateGroup')).toMatchObject({
      settings: {
        ipRestrictionRanges: '10.0.0.0/8',
        enabledGitAccessProtocol: 'ssh',
        defaultBranchProtection: 0,
        defaultBranchProtectionDefaults: {
          allowedToPush: [],
          allowedToMerge: [],
          allowForcePush: true,
          developerCanInitialPush: undefined,
        },
        projectCreationLevel: 'administrator',
      },
    });
    gateway.calls.length = 0;
    await gateway.send('PUT', '/groups/3', { ...newToken(), body: { ip_restriction_ranges: '' } });
    expect(asked('GroupService/UpdateGroup')).toMatchObject({ settings: { ipRestrictionRanges: '' } });
  });

  it('400: what is missing and what has no such value', async () => {
    const sent = await gateway.send('POST', '/groups', { ...newToken(), body: { visibility: 'secret' } });
    expect([sent.status, sent.body]).toEqual([
      400,
      { error: 'name is missing, path is missing, visibility does not have a valid value' },
    ]);
  });

  it('400 and 403: as the service refuses', async () => {
    refused = invalid('Failed to save group {:path=>["has already been taken"]}');
    const taken = await gateway.send('POST', '/groups', { ...newToken(), body: { name: 'G', path: 'g' } });
    expect([taken.status, taken.body]).toEqual([
      400,
      { message: 'Failed to save group {:path=>["has already been taken"]}' },
    ]);
    refused = forbidden();
    expect((await gateway.send('POST', '/groups', { ...newToken(), body: { name: 'G', path: 'g' } })).status).toBe(403);
  });
});

describe('changing a group', () => {
  it('PUT 200, restore and transfer 201, DELETE 202', async () => {
    expect(
      (await gateway.send('PUT', '/groups/3', { ...newToken(), body: { name: 'H', description: null } })).status,
    ).toBe(200);
    expect(asked('GroupService/UpdateGroup')).toMatchObject({ groupId: 3, settings: { name: 'H', description: '' } });
    for (const [tier, passed] of [
      ['premium', 'premium'],
      ['', ''],
    ]) {
      gateway.calls.length = 0;
      expect((await gateway.send('PUT', `/groups/3?tier=${tier}`, newToken())).status).toBe(200);
      expect(asked('GroupService/UpdateGroup')).toMatchObject({ groupId: 3, tier: passed });
    }
    expect((await gateway.send('PUT', '/groups/3?tier=gold', newToken())).status).toBe(400);
    expect((await gateway.send('POST', '/groups/3/transfer?group_id=8', newToken())).status).toBe(201);
    expect(asked('GroupService/TransferGroup')).toEqual({ groupId: 3, parentId: 8 });
    expect((await gateway.send('POST', '/groups/3/restore', newToken())).status).toBe(201);
    expect(asked('GroupService/RestoreGroup')).toEqual({ groupId: 3 });
    const deleted = await gateway.send('DELETE', '/groups/3?permanently_remove=1&full_path=g%2Fh', newToken());
    expect([deleted.status, deleted.body]).toEqual([202, { message: '202 Accepted' }]);
    expect(asked('GroupService/DeleteGroup')).toMatchObject({ permanentlyRemove: true, fullPath: 'g/h' });
  });

  it('asks for what is marked for deletion where it is shown, removed or restored, and nowhere else (G-4.15-7)', async () => {
    const wantsMarked = async (method: string, path: string) => {
      gateway.calls.length = 0;
      await gateway.send(method, path, newToken());
      return (asked('AccessService/Resolve') as { marked?: boolean }).marked ?? false;
    };
    for (const [method, path] of [
      ['GET', '/groups/3'],
      ['DELETE', '/groups/3'],
      ['POST', '/groups/3/restore'],
    ] as const) {
      expect([method, path, await wantsMarked(method, path)]).toEqual([method, path, true]);
    }
    for (const [method, path] of [
      ['PUT', '/groups/3'],
      ['GET', '/groups/3/subgroups'],
      ['GET', '/groups/3/projects'],
      ['POST', '/groups/3/transfer'],
    ] as const) {
      expect([method, path, await wantsMarked(method, path)]).toEqual([method, path, false]);
    }
  });

  it('transfer locations 200, and administrators move projects into groups 201 (G-4.15-8)', async () => {
    expect((await gateway.send('GET', '/groups/3/transfer_locations?search=eng', newToken())).status).toBe(200);
    expect(asked('GroupService/ListTransferLocations')).toMatchObject({
      moving: { $case: 'groupId', value: 3 },
      search: 'eng',
    });
    answer = resolved({ actor: actor({ admin: true }) });
    expect((await gateway.send('POST', '/groups/a%2Fb/projects/c%2Fd', newToken())).status).toBe(201);
    expect(asked('GroupService/TransferProjectToGroup')).toEqual({ group: 'a/b', project: 'c/d' });
  });

  it('PUT 403 below Owner, 401 without a token, 409 as the service refuses', async () => {
    refused = conflict();
    expect((await gateway.send('PUT', '/groups/3', { ...newToken(), body: { name: 'H' } })).status).toBe(409);
    const access = { ...projectAccess(), kind: Access_Kind.KIND_GROUP, level: 40 };
    answer = resolved({ actor: actor(), access });
    expect((await gateway.send('PUT', '/groups/3', { ...newToken(), body: { name: 'H' } })).status).toBe(403);
    answer = resolved({ actor: anonymous, access: { ...access, level: 0, visibility: 'public' } });
    expect((await gateway.send('PUT', '/groups/3', { body: { name: 'H' } })).status).toBe(401);
  });
});

import { countStatements, type Database, openDatabase, prismaAdapter } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { conflict } from '@switchyard/errors';
import { decodeBody, type EventBus, embeddedLog, pipelineEvents, userEvents } from '@switchyard/events';
import {
  ResolveRequest_TokenKind as Kind,
  type ResolveRequest,
  ResolveResponse_SudoRefusal as Sudo,
  ResolveResponse_TokenRefusal as Token,
} from '@switchyard/protos/groups_admin/v1/access';
import { AccessTokenServiceService, ListAccessTokensRequest } from '@switchyard/protos/groups_admin/v1/access_token';
import { DeployTokenServiceService } from '@switchyard/protos/groups_admin/v1/deploy_token';
import { CreateGroupRequest, GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { JobTokenServiceService } from '@switchyard/protos/groups_admin/v1/job_token';
import { ListMembersRequest, MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import {
  ListPersonalAccessTokensRequest,
  PersonalAccessTokenServiceService,
} from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { CreateProjectRequest, ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { CreateUserRequest, UpdateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import type { CallOptions } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { publish } from '@switchyard/testkit/installation';
import { publishExpiring } from '../../src/deploy-tokens/storage/deploy-token-expiry.store';
import type { Edges } from '../../src/edges';
import { PrismaClient } from '../../src/generated/prisma/client';
import { composeSettings } from '../../src/settings';
import { composeTokens } from '../../src/tokens';
import { expireTokens, noticeDays } from '../../src/tokens/application/expire-tokens';
import { tokenDigest } from '../../src/tokens/application/token';
import { accessTokenStore } from '../../src/tokens/storage/access-token.store';
import { dueBots } from '../../src/tokens/storage/access-token-bot.store';
import { composeUsers } from '../../src/users';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';
import { writerOf } from '../support/writer';

let service: TestService;
let root: CallOptions;
let db: Database;
let bus: EventBus;
let groupId: number;
let projectId: number;
let otherId: number;
let serial = 0;
/** Background work runs to its end. */
const never = new AbortController().signal;
/** Every token of this file: none of them may be found in what the service has stored or published. */
const secrets: string[] = [];

beforeAll(async () => {
  service = await startTestService();
  root = await service.as(rootToken);
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  bus = embeddedLog({ url: service.logDatabaseUrl, clientId: 'test' });
  const group = CreateGroupRequest.fromPartial({ settings: { name: 'Team', path: 'team', visibility: 'private' } });
  groupId = bodyOf(await service.client(GroupServiceService).createGroup(group, root)).id;
  const make = async (path: string, namespaceId: number, visibility: string): Promise<number> => {
    const request = CreateProjectRequest.fromPartial({ namespaceId, settings: { path, visibility } });
    return bodyOf(await service.client(ProjectServiceService).createProject(request, root)).id;
  };
  projectId = await make('yard', groupId, 'private');
  otherId = await make('open', 0, 'public');
});

afterAll(async () => {
  await bus.close();
  await db.close();
  await service.close();
});

const kind = (expected: string) => expect.objectContaining({ kind: expected });
const refused = (message: unknown) => expect.objectContaining({ body: { message } });
const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const project = (id = projectId) => ({ $case: 'project', value: String(id) }) as const;
const group = (id = groupId) => ({ $case: 'group', value: String(id) }) as const;
const inProject = { projectId: 0, groupId: 0 };
const accessTokens = () => service.client(AccessTokenServiceService);
const deployTokens = () => service.client(DeployTokenServiceService);
const personal = () => service.client(PersonalAccessTokenServiceService);
const users = () => service.client(UserServiceService);
const resolve = (request: Partial<ResolveRequest>) => service.resolve(request);

/** Keeps a secret for the search at the end. */
const kept = <T extends { token: string }>(made: T): T => {
  secrets.push(made.token);
  return made;
};

async function makeUser(settings: Record<string, unknown> = {}) {
  serial += 1;
  const request = CreateUserRequest.fromPartial({
    settings: { email: `t${serial}@example.com`, name: `T ${serial}`, username: `t${serial}`, ...settings },
    skipConfirmation: true,
  });
  return bodyOf(await users().createUser(request, root));
}

async function makeMember(level: number): Promise<{ id: number; token: string }> {
  const user = await makeUser();
  await db.query(
    sql`insert into memberships (user_id, namespace_id, access_level) values (${user.id}, ${groupId}, ${level})`,
  );
  const request = { userId: user.id, name: 'own', description: '', scopes: ['api'], expiresAt: '' };
  const { token } = kept(bodyOf(await personal().createPersonalAccessToken(request, root)));
  return { id: user.id, token };
}

interface Given {
  readonly by?: CallOptions;
  readonly of?: { projectId: number; groupId: number };
  readonly accessLevel?: number;
  readonly scopes?: string[];
  readonly expiresAt?: string;
  readonly name?: string;
}

async function makeAccessToken({
  by,
  of,
  accessLevel = 30,
  scopes = ['api'],
  expiresAt = '',
  name = 'ci',
}: Given = {}) {
  const parent = of ?? { ...inProject, projectId };
  const options = by ?? (await service.as(rootToken, parent.projectId > 0 ? project() : group()));
  const request = { parent, name, description: 'for tests', scopes, expiresAt, accessLevel };
  const reply = bodyOf(await accessTokens().createAccessToken(request, options));
  return kept(conforming('NewAccessToken', reply));
}

const members = async (target: ReturnType<typeof project> | ReturnType<typeof group> = project()) =>
  bodyOf(
    await service.client(MemberServiceService).listMembers(
      ListMembersRequest.fromPartial({
        source: target.$case === 'project' ? { projectId: Number(target.value) } : { groupId: Number(target.value) },
      }),
      root,
    ),
  ) as { id: number; username: string; access_level: number; expires_at: string | null }[];

describe('access tokens of projects and groups (G-5-10)', () => {
  it('act as a bot that is a member for as long as the token is good', async () => {
    const made = await makeAccessToken({ expiresAt: day(30) });
    expect(made).toMatchObject({
      name: 'ci',
      access_level: 30,
      resource_type: 'project',
      resource_id: projectId,
      scopes: ['api'],
      expires_at: day(30),
      active: true,
    });
    const { actor, access, validUntil } = await resolve({ token: made.token, target: project() });
    expect(actor).toMatchObject({ userId: made.user_id, admin: false, external: true, tokenId: made.id });
    expect(actor?.username).toMatch(new RegExp(`^project_${projectId}_bot_[0-9a-f]{32}$`));
    expect(access).toMatchObject({ id: projectId, level: 30 });
    expect(validUntil).toBe(Date.parse(`${day(30)}T00:00:00Z`) / 1_000);
    expect(await members()).toContainEqual(
      expect.objectContaining({ id: made.user_id, access_level: 30, expires_at: day(30) }),
    );
    const bot = bodyOf(await users().getUser({ userId: made.user_id }, root));
    expect(bot).toMatchObject({ bot: true, name: 'ci', email: `${actor?.username}@noreply.switchyard.test` });
    expect((await resolve({ token: made.token, target: group() })).access?.level ?? 0).toBe(0);

    const ofGroup = await makeAccessToken({ of: { ...inProject, groupId }, accessLevel: 50 });
    expect(ofGroup).toMatchObject({ resource_type: 'group', resource_id: groupId, expires_at: day(365) });
    expect((await resolve({ token: ofGroup.token, target: project() })).access?.level).toBe(50);
  });

  it('have no level above the caller’s, no unknown scope, no end in the past, and nothing is half made', async () => {
    const maintainer = await service.as((await makeMember(40)).token, project());
    const bots = () => db.query(sql`select 1 from users where user_type = 'bot'`);
    const before = (await bots()).length;
    await expect(makeAccessToken({ by: maintainer, accessLevel: 50 })).rejects.toEqual(
      refused("400 Bad request - Access level of the token can't exceed the access level of the user"),
    );
    for (const given of [
      { scopes: ['read_user'] },
      { scopes: ['sudo'] },
      { scopes: [] },
      { expiresAt: day(0) },
      { name: 'a\nb' },
    ])
      await expect(makeAccessToken({ by: maintainer, ...given })).rejects.toEqual(kind('bad_request'));
    await expect(makeAccessToken({ by: maintainer, expiresAt: day(366) })).rejects.toEqual(
      refused(`400 Bad request - Expiration date must be before ${day(365)}`),
    );
    expect(await bots()).toHaveLength(before);
    expect((await makeAccessToken({ by: maintainer, accessLevel: 40 })).access_level).toBe(40);
  });

  it('make and end no others, and are not above who ends them', async () => {
    const owner = await makeAccessToken({ accessLevel: 50 });
    const bot = await service.as(owner.token, project());
    const parent = { ...inProject, projectId };
    await expect(makeAccessToken({ by: bot })).rejects.toEqual(kind('forbidden'));
    const deploy = { parent, name: 'n', scopes: ['read_repository'], expiresAt: undefined, username: '' };
    await expect(deployTokens().createDeployToken(deploy, bot)).rejects.toEqual(kind('forbidden'));
    const other = await makeAccessToken();
    const unmodified = { ifUnmodifiedSince: undefined };
    await expect(accessTokens().revokeAccessToken({ parent, tokenId: other.id, ...unmodified }, bot)).rejects.toEqual(
      kind('forbidden'),
    );
    const maintainer = await service.as((await makeMember(40)).token, project());
    for (const ended of [
      () => accessTokens().revokeAccessToken({ parent, tokenId: owner.id, ...unmodified }, maintainer),
      () => accessTokens().rotateAccessToken({ parent, tokenId: owner.id, expiresAt: '' }, maintainer),
    ])
      await expect(ended()).rejects.toEqual(kind('forbidden'));
    const elsewhere = { ...inProject, projectId: otherId };
    await expect(accessTokens().getAccessToken({ parent: elsewhere, tokenId: other.id }, root)).rejects.toEqual(
      refused('404 Access Token Not Found'),
    );
  });

  it('end their bot’s membership when revoked, by whatever path, and rotate with the bot', async () => {
    const parent = { ...inProject, projectId };
    const options = await service.as(rootToken, project());
    const first = await makeAccessToken({ expiresAt: day(90) });
    const isMember = async () => (await members()).some(({ id }) => id === first.user_id);
    const second = kept(
      bodyOf(await accessTokens().rotateAccessToken({ parent, tokenId: first.id, expiresAt: day(20) }, options)),
    );
    expect(second).toMatchObject({ user_id: first.user_id, access_level: 30, expires_at: day(20), scopes: ['api'] });
    expect((await resolve({ token: first.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    expect((await members()).find(({ id }) => id === first.user_id)?.expires_at).toBe(day(20));

    const own = await service.as(second.token, project());
    const third = kept(bodyOf(await accessTokens().rotateAccessToken({ parent, tokenId: 0, expiresAt: '' }, own)));
    expect(third.expires_at).toBe(day(7));
    // One that was presented to another project, or that is none of a project at all.
    await expect(
      accessTokens().rotateAccessToken({ parent: { ...parent, projectId: otherId }, tokenId: 0, expiresAt: '' }, own),
    ).rejects.toEqual(kind('not_allowed'));
    await expect(accessTokens().rotateAccessToken({ parent, tokenId: 0, expiresAt: '' }, options)).rejects.toEqual(
      kind('not_allowed'),
    );
    const again = await service.as(third.token);
    await expect(personal().rotatePersonalAccessToken({ tokenId: 0, expiresAt: '' }, again)).rejects.toEqual(
      kind('not_allowed'),
    );
    // By its id it is refused alone: only its own holder, or one who rotates personal tokens, shows a reuse (G-4.5-12).
    await expect(
      accessTokens().rotateAccessToken({ parent, tokenId: first.id, expiresAt: '' }, options),
    ).rejects.toEqual(refused('400 Bad request - Token already revoked'));
    expect((await resolve({ token: third.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNSPECIFIED);
    expect(await isMember()).toBe(true);
    const ended = { parent, tokenId: third.id, ifUnmodifiedSince: undefined };
    await accessTokens().revokeAccessToken(ended, options);
    expect((await resolve({ token: third.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    expect(await isMember()).toBe(false);

    const revoked = await makeAccessToken();
    await personal().revokePersonalAccessToken(
      { tokenId: 0, ifUnmodifiedSince: undefined },
      await service.as(revoked.token),
    );
    expect((await members()).some(({ id }) => id === revoked.user_id)).toBe(false);
    expect((await resolve({ token: revoked.token, target: project() })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    const shown = bodyOf(await accessTokens().getAccessToken({ parent, tokenId: revoked.id }, root));
    expect(conforming('AccessToken', shown)).toMatchObject({ revoked: true, active: false, access_level: 30 });
  });

  it('have bots that are members of nothing else, are not changed as members, and get no password and no other token', async () => {
    const { user_id: userId } = await makeAccessToken();
    const options = await service.as(rootToken, group());
    const source = { projectId: 0, groupId };
    const client = service.client(MemberServiceService);
    const added = { source, userIds: [userId], usernames: [], accessLevel: 30, expiresAt: '' };
    await expect(client.addMembers(added, options)).rejects.toEqual(refused('404 User Not Found'));
    const here = { source: { projectId, groupId: 0 }, userId };
    const inside = await service.as(rootToken, project());
    await expect(client.updateMember({ ...here, accessLevel: 50, expiresAt: undefined }, inside)).rejects.toEqual(
      kind('forbidden'),
    );
    await expect(
      client.removeMember({ ...here, skipSubresources: false, unassignIssuables: false } as never, inside),
    ).rejects.toEqual(kind('forbidden'));
    const changed = UpdateUserRequest.fromPartial({ userId, settings: { password: 'a long password' } });
    await expect(users().updateUser(changed, root)).rejects.toEqual(kind('forbidden'));
    const more = { userId, name: 'n', description: '', scopes: ['api'], expiresAt: '' };
    await expect(personal().createPersonalAccessToken(more, root)).rejects.toEqual(kind('unprocessable'));
    await expect(personal().createImpersonationToken(more, root)).rejects.toEqual(kind('unprocessable'));
  });

  it('are listed with the filters of G-4.5-5, in a constant number of statements', async () => {
    const source = { kind: 'group', id: groupId } as const;
    const of = { ...inProject, groupId };
    const one = await makeAccessToken({ of, name: 'alpha', expiresAt: day(100) });
    const two = await makeAccessToken({ of, name: 'beta', expiresAt: day(200) });
    const options = await service.as(rootToken, group());
    await accessTokens().revokeAccessToken({ parent: of, tokenId: one.id, ifUnmodifiedSince: undefined }, options);
    const list = async (given: object) =>
      bodyOf(
        await accessTokens().listAccessTokens(ListAccessTokensRequest.fromPartial({ parent: of, ...given }), options),
      ).map((token: { name: string }) => conforming('AccessToken', token).name);
    expect(await list({ state: 'inactive' })).toEqual(['alpha']);
    expect(await list({ revoked: true })).toEqual(['alpha']);
    expect(await list({ search: 'BET' })).toEqual(['beta']);
    expect(await list({ expiresAfter: day(150), expiresBefore: day(250) })).toEqual(['beta']);
    expect(await list({ createdAfter: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await list({ lastUsedAfter: new Date(0) })).toEqual(expect.not.arrayContaining(['beta']));
    expect((await list({ page: { perPage: 20, page: 1, orderBy: 'name', descending: true } })).slice(-1)).toEqual([
      'alpha',
    ]);
    const store = accessTokenStore(db, writerOf(db));
    const request = { mode: 'offset', page: 1, perPage: 20, orderBy: 'expires_at', sort: 'asc' } as never;
    const few = await countStatements(() => store.list(source, { state: 'active' }, request));
    await makeAccessToken({ of, name: 'gamma' });
    const more = await countStatements(() => store.list(source, { state: 'active' }, request));
    expect(more.result.rows.length).toBe(few.result.rows.length + 1);
    expect([few.statements, more.statements]).toEqual([2, 2]);
    expect(two.id).toBeGreaterThan(one.id);
  });
});

describe('impersonation tokens (G-5-10)', () => {
  it('act as the user, are managed by administrators alone, and are in no other list', async () => {
    const user = await makeUser({ admin: true });
    const request = { userId: user.id, name: 'support', description: '', scopes: ['api', 'sudo'], expiresAt: '' };
    const made = kept(
      conforming('NewImpersonationToken', bodyOf(await personal().createImpersonationToken(request, root))),
    );
    expect(made).toMatchObject({ impersonation: true, user_id: user.id, active: true });
    const own = await service.as(made.token);
    expect(own.actor).toMatchObject({ userId: user.id, tokenId: made.id });
    expect((await resolve({ token: made.token, sudo: 'root' })).sudoRefusal).toBe(Sudo.SUDO_REFUSAL_NOT_ADMIN);
    const all = ListPersonalAccessTokensRequest.fromPartial({ userId: user.id });
    expect(bodyOf(await personal().listPersonalAccessTokens(all, root))).toEqual([]);
    await expect(personal().getPersonalAccessToken({ tokenId: made.id }, root)).rejects.toEqual(kind('not_found'));
    await expect(personal().rotatePersonalAccessToken({ tokenId: 0, expiresAt: '' }, own)).rejects.toEqual(
      kind('not_allowed'),
    );
    const list = async (state: string) =>
      bodyOf(await personal().listImpersonationTokens({ userId: user.id, page: undefined, state }, root)).map(
        ({ id }: { id: number }) => id,
      );
    expect([await list(''), await list('active'), await list('inactive')]).toEqual([[made.id], [made.id], []]);
    const ordinary = await service.as((await makeMember(50)).token);
    for (const call of [
      () => personal().createImpersonationToken(request, ordinary),
      () => personal().listImpersonationTokens({ userId: user.id, page: undefined, state: '' }, ordinary),
      () => personal().getImpersonationToken({ userId: user.id, tokenId: made.id }, ordinary),
    ])
      await expect(call()).rejects.toEqual(kind('forbidden'));
    const revoke = { userId: user.id, tokenId: made.id, ifUnmodifiedSince: undefined };
    await expect(personal().revokeImpersonationToken({ ...revoke, userId: 1 }, root)).rejects.toEqual(
      kind('not_found'),
    );
    await personal().revokeImpersonationToken(revoke, root);
    expect((await resolve({ token: made.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    expect(await list('inactive')).toEqual([made.id]);
  });
});

const asDeploy = (token: string, username: string, target?: ResolveRequest['target']) =>
  resolve({ token, username, tokenKind: Kind.TOKEN_KIND_DEPLOY, ...(target === undefined ? {} : { target }) });

async function makeDeployToken(given: object = {}, of = { ...inProject, projectId }) {
  const request = {
    parent: of,
    name: 'cluster',
    scopes: ['read_repository'],
    expiresAt: undefined,
    username: '',
    ...given,
  };
  return kept(conforming('NewDeployToken', bodyOf(await deployTokens().createDeployToken(request, root))));
}

describe('deploy tokens', () => {
  it('read in their project, or in the projects of their group, and are known by token and username together', async () => {
    const made = await makeDeployToken();
    expect(made).toMatchObject({ username: `gitlab+deploy-token-${made.id}`, revoked: false, expired: false });
    const { actor, access } = await asDeploy(made.token, made.username, project());
    expect(actor).toMatchObject({ userId: 0, deployTokenId: made.id, scopes: ['read_repository'], admin: false });
    expect(access).toMatchObject({ id: projectId, level: 20 });
    expect((await asDeploy(made.token, '', project())).access?.id).toBe(projectId);
    for (const wrong of [
      await asDeploy(made.token, 'gitlab+deploy-token-0', project()),
      await asDeploy(made.token, ':', project()),
      await resolve({ token: made.token, target: project() }),
      await resolve({ token: made.token, tokenKind: Kind.TOKEN_KIND_JOB }),
      await asDeploy(rootToken, ''),
    ])
      expect(wrong.tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    // A public project it does not belong to is as far away as any other.
    expect((await asDeploy(made.token, '', project(otherId))).access).toBeUndefined();
    expect((await asDeploy(made.token, '', group())).access).toBeUndefined();
    expect((await resolve({ token: made.token, tokenKind: Kind.TOKEN_KIND_DEPLOY, sudo: 'root' })).sudoRefusal).toBe(
      Sudo.SUDO_REFUSAL_NOT_ADMIN,
    );

    const ofGroup = await makeDeployToken({ username: 'team.ci' }, { ...inProject, groupId });
    expect((await asDeploy(ofGroup.token, 'team.ci', project())).access?.level).toBe(20);
    expect((await asDeploy(ofGroup.token, 'team.ci', group())).access?.id).toBe(groupId);
    expect((await asDeploy(ofGroup.token, 'team.ci', project(otherId))).access).toBeUndefined();
    await eventually(async () => {
      const [row] = await db.query(sql`select last_used_at from deploy_tokens where id = ${ofGroup.id}`);
      expect(row).toEqual({ last_used_at: expect.any(Date) });
    });
  });

  it('are refused by field, listed, and gone at once when deleted', async () => {
    await expect(makeDeployToken({ scopes: ['read_registry'], username: 'a b' })).rejects.toEqual(
      refused({
        scopes: ['can only contain available scopes'],
        username: ["can contain only letters, digits, '_', '-', '+', and '.'"],
      }),
    );
    const of = { ...inProject, groupId };
    const ending = await makeDeployToken({ expiresAt: new Date(Date.now() + 60_000) }, of);
    const good = await makeDeployToken({}, of);
    await db.query(sql`update deploy_tokens set expires_at = now() - interval '1 second' where id = ${ending.id}`);
    expect((await asDeploy(ending.token, '')).tokenRefusal).toBe(Token.TOKEN_REFUSAL_EXPIRED);
    const list = async (active?: boolean) =>
      bodyOf(await deployTokens().listDeployTokens({ parent: of, page: undefined, active }, root)).map(
        (token: { id: number }) => conforming('DeployToken', token).id,
      );
    expect((await list()).slice(0, 2)).toEqual([good.id, ending.id]);
    expect(await list(false)).toEqual([ending.id]);
    expect(await list(true)).toContain(good.id);
    const all = { page: undefined, active: undefined };
    expect(bodyOf(await deployTokens().listAllDeployTokens(all, root)).length).toBeGreaterThan(2);
    const ordinary = await service.as((await makeMember(50)).token);
    await expect(deployTokens().listAllDeployTokens(all, ordinary)).rejects.toEqual(kind('forbidden'));
    const one = { parent: { ...inProject, projectId }, tokenId: good.id };
    await expect(deployTokens().getDeployToken(one, root)).rejects.toEqual(refused('404 Deploy Token Not Found'));
    const gone = { parent: of, tokenId: good.id, ifUnmodifiedSince: undefined };
    await deployTokens().deleteDeployToken(gone, root);
    expect((await asDeploy(good.token, '')).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    await expect(deployTokens().deleteDeployToken(gone, root)).rejects.toEqual(kind('not_found'));
  });
});

describe('job tokens (G-5-13)', () => {
  const jobs = () => service.client(JobTokenServiceService, 'merge-requests');
  const issue = async (pipelineId: number, run: number, userId: number) =>
    kept(await jobs().issueJobToken({ projectId, pipelineId, run, userId }, { requestId: 'test' }));
  const asJob = (token: string, target?: ResolveRequest['target']) =>
    resolve({ token, tokenKind: Kind.TOKEN_KIND_JOB, ...(target === undefined ? {} : { target }) });
  const end = async (pipelineId: number, run: number) => {
    const id = `pipeline_run_ended:${pipelineId}:${run}`;
    const payload = PipelineEvent.fromPartial({ pipelineId, projectId, fact: { $case: 'runEnded', value: { run } } });
    await publish(bus, pipelineEvents, payload, id);
    await eventually(async () => {
      const taken = sql`select 1 from events.inbox where event_id = ${id} and consumer_group = 'groups-admin.job-tokens'`;
      expect(await db.query(taken)).toHaveLength(1);
    });
  };

  it('have the rights of their user in their project alone, and not those of an administrator', async () => {
    const user = await makeMember(30);
    const { token, expiresAt } = await issue(71, 0, user.id);
    expect(token).toMatch(/^glcbt-/);
    expect(expiresAt?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const { actor, access } = await asJob(token, project());
    expect(actor).toMatchObject({ userId: user.id, tokenId: 0, scopes: [], job: { projectId, pipelineId: 71 } });
    expect(access).toMatchObject({ id: projectId, level: 30 });
    expect((await asJob(token, project(otherId))).access).toBeUndefined();
    expect((await asJob(token, group())).access).toBeUndefined();
    expect((await resolve({ token, target: project() })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    const byRoot = await issue(72, 0, 1);
    const { actor: admin, access: whole } = await asJob(byRoot.token, project());
    expect([admin?.admin, whole?.level]).toEqual([false, 50]);
    expect((await asJob(byRoot.token, project(otherId))).access).toBeUndefined();
    expect((await resolve({ token: byRoot.token, tokenKind: Kind.TOKEN_KIND_JOB, sudo: 'root' })).sudoRefusal).toBe(
      Sudo.SUDO_REFUSAL_NOT_ADMIN,
    );
  });

  it('read the packages that everybody reads, and find these alone (G-4.17-12)', async () => {
    const user = await makeMember(40);
    const { token } = await issue(78, 0, user.id);
    const { token: ofRoot } = await issue(79, 0, 1);
    const hidden = bodyOf(
      await service.client(ProjectServiceService).createProject(
        CreateProjectRequest.fromPartial({
          namespaceId: groupId,
          settings: { path: 'library', visibility: 'private' },
        }),
        root,
      ),
    ).id;
    const reads = async (target: ResolveRequest['target'], packages = true, sent = token) =>
      (await resolve({ token: sent, tokenKind: Kind.TOKEN_KIND_JOB, ...(target ? { target } : {}), packages })).access;
    expect(await reads(project(otherId))).toMatchObject({ id: otherId, level: 0, visibility: 'public' });
    expect(await reads(project(otherId), false)).toBeUndefined();
    // The user of the job is a Maintainer of the project, and root an administrator.
    for (const sent of [token, ofRoot]) expect(await reads(project(hidden), true, sent)).toBeUndefined();
    await db.query(
      sql`update projects set feature_access_levels = '{"package_registry": "public"}' where id = ${hidden}`,
    );
    for (const sent of [token, ofRoot]) {
      const found = await reads(project(hidden), true, sent);
      expect(found).toMatchObject({ id: hidden, level: 0, packagesPublic: true });
      expect(found?.closed).toMatchObject({ repository: true, issues: true, packages: false });
    }
    expect(await reads(project(hidden), false)).toBeUndefined();
    // A group around its project, in which it finds what it may read; in another one what everybody does.
    expect(await reads(group())).toMatchObject({ id: groupId });
    expect(await reads(group(), false)).toBeUndefined();
    const [elsewhere, open] = await Promise.all(
      ['private', 'public'].map(async (visibility) => {
        const settings = { name: visibility, path: `jobs-${visibility}`, visibility };
        const made = await service
          .client(GroupServiceService)
          .createGroup(CreateGroupRequest.fromPartial({ settings }), root);
        return bodyOf(made).id as number;
      }),
    );
    for (const sent of [token, ofRoot]) expect(await reads(group(elsewhere), true, sent)).toBeUndefined();
    expect(await reads(group(open))).toMatchObject({ id: open, level: 0 });
  });

  it('end with their run, whichever message is late, and with their time, user and project', async () => {
    const user = await makeMember(30);
    const before = await issue(73, 0, user.id);
    await end(73, 0);
    expect((await asJob(before.token)).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    await expect(issue(73, 0, user.id)).rejects.toEqual(kind('conflict'));
    const after = await issue(73, 1, user.id);
    expect((await asJob(after.token)).actor?.userId).toBe(user.id);
    await end(74, 0);
    await expect(issue(74, 0, user.id)).rejects.toEqual(kind('conflict'));
    await db.query(sql`update job_tokens set expires_at = now() - interval '1 second' where pipeline_id = 73`);
    expect((await asJob(after.token)).tokenRefusal).toBe(Token.TOKEN_REFUSAL_EXPIRED);
    const last = await issue(75, 0, user.id);
    await users().deleteUser({ userId: user.id, ifUnmodifiedSince: undefined, hardDelete: false }, root);
    expect((await asJob(last.token)).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    await expect(issue(75, 0, user.id)).rejects.toEqual(kind('not_found'));
    const byOther = service.client(JobTokenServiceService, 'collaboration');
    const request = { projectId, pipelineId: 76, run: 0, userId: 1 };
    await expect(byOther.issueJobToken(request, { requestId: 'test' })).rejects.toEqual(kind('forbidden'));
  });

  it('that are issued while their run ends do not survive it', async () => {
    const user = await makeMember(30);
    const issued = Array.from({ length: 6 }, () => issue(77, 0, user.id).catch(() => undefined));
    await Promise.all([...issued, end(77, 0)]);
    expect(await db.query(sql`select 1 from job_tokens where pipeline_id = 77`)).toEqual([]);
  });
});

describe('tokens that end', () => {
  const areas = () => {
    const prisma = new PrismaClient({ adapter: prismaAdapter(db) });
    const config = {
      SWITCHYARD_EXTERNAL_URL: 'http://switchyard.test',
      SWITCHYARD_TOKEN_LIFETIME_DAYS: 365,
      SWITCHYARD_SECRET: 'a secret of at least thirty-two characters',
    };
    const edges = { db, prisma, config, observe } as unknown as Edges;
    const writer = writerOf(db);
    const digest = tokenDigest(Buffer.alloc(32, 42));
    const settings = composeSettings(edges).current;
    const { deleteUser } = composeUsers(edges, writer, { keepAvatar: (_, save) => save(undefined), settings });
    return composeTokens(edges, writer, { digest, settings, removeUser: (id) => deleteUser(id, { userId: 0 }) });
  };
  const published = async () =>
    (
      await db.query<{ event_id: string; body: string }>(
        sql`select event_id, body::text as body from events.outbox where event_id like 'token_expiring:%' order by substr(event_id, 16)::int desc`,
      )
    ).map(({ event_id: id, body }) => ({ id, ...decodeBody(userEvents, body) }));

  it('are published once, seven days ahead, with nothing of their value (G-5-9)', async () => {
    const user = await makeMember(30);
    const make = async (name: string, expiresAt: string) => {
      const request = { userId: user.id, name, description: '', scopes: ['api'], expiresAt };
      return kept(bodyOf(await personal().createPersonalAccessToken(request, root)));
    };
    const soon = await make('soon', day(7));
    await make('later', day(8));
    const hidden = { userId: user.id, name: 'hidden', description: '', scopes: ['api'], expiresAt: day(2) };
    kept(bodyOf(await personal().createImpersonationToken(hidden, root)));
    const ofBot = await makeAccessToken({ expiresAt: day(3), name: 'robot' });
    await db.query(sql`update personal_access_tokens set created_at = now() - interval '30 days' where not revoked`);
    // One that lasts a week in all, as a rotation makes it.
    await make('brief', day(7));
    const { expire } = areas();
    await expire(never);
    await expire(never);
    const events = await published();
    expect(events.filter(({ userId }) => userId === user.id || userId === ofBot.user_id)).toEqual([
      expect.objectContaining({
        id: `token_expiring:${ofBot.id}`,
        fact: {
          $case: 'tokenExpiring',
          value: { tokenId: ofBot.id, name: 'robot', expiresAt: day(3), projectId, groupId: 0 },
        },
      }),
      expect.objectContaining({
        id: `token_expiring:${soon.id}`,
        fact: {
          $case: 'tokenExpiring',
          value: { tokenId: soon.id, name: 'soon', expiresAt: day(7), projectId: 0, groupId: 0 },
        },
      }),
    ]);
  });

  it('of deploys are published once as well, but not those that last a week in all', async () => {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000);
    const [made] = [await makeDeployToken({ expiresAt }), await makeDeployToken({ expiresAt })];
    await db.query(sql`update deploy_tokens set created_at = now() - interval '30 days' where id = ${made.id}`);
    for (let times = 0; times < 2; times++) await publishExpiring(db, noticeDays, 100);
    const events = await db.query<{ event_id: string; body: string }>(
      sql`select event_id, body::text as body from events.outbox where event_id like 'deploy_token_expiring:%'`,
    );
    expect(events.map(({ event_id: id }) => id)).toEqual([`deploy_token_expiring:${made.id}`]);
    expect(decodeBody(userEvents, events[0]?.body ?? '')).toMatchObject({
      fact: {
        $case: 'deployTokenExpiring',
        value: { tokenId: made.id, expiresAt, projectId, groupId: 0 },
      },
    });
  });

  it('end all memberships of their bots, and Owners end those in what the bots have made', async () => {
    const of = { ...inProject, groupId };
    const bot = await makeAccessToken({ of, accessLevel: 50 });
    const byBot = await service.as(bot.token, group());
    const made: number[] = [];
    for (const path of ['made-one', 'made-two']) {
      const request = CreateGroupRequest.fromPartial({ parentId: groupId, settings: { name: path, path } });
      made.push(bodyOf(await service.client(GroupServiceService).createGroup(request, byBot)).id);
    }
    const held = () =>
      db.query(
        sql`select namespace_id from memberships where user_id = ${bot.user_id} and access_level = 50 order by namespace_id`,
      );
    const [first = 0, second = 0] = made;
    expect(await held()).toEqual([groupId, first, second].map((id) => ({ namespace_id: id })));
    const removeFrom = async (id: number) => {
      const request = { source: { ...inProject, groupId: id }, userId: bot.user_id, skipSubresources: false };
      return service.client(MemberServiceService).removeMember(request, await service.as(rootToken, group(id)));
    };
    await expect(removeFrom(groupId)).rejects.toEqual(kind('forbidden'));
    await removeFrom(first);
    expect(await held()).toEqual([groupId, second].map((id) => ({ namespace_id: id })));
    await db.query(sql`update personal_access_tokens set expires_at = current_date where id = ${bot.id}`);
    await areas().expire(never);
    expect(await held()).toEqual([]);
  });

  it('are done with all bots that are due, past those that cannot be deleted', async () => {
    const due = Array.from({ length: 250 }, (_, at) => at + 1);
    const tried: number[] = [];
    const expire = expireTokens({
      publishExpiring: async () => 0,
      noteInactiveBots: async () => 0,
      dueBots: async (_, after, limit) => {
        const ids = due.filter((id) => id > after).slice(0, limit);
        return ids.map((id) => ({ id }));
      },
      removeUser: async (id) => {
        tried.push(id);
        if (id <= 120) throw id === 7 ? new Error('unexpected') : conflict('sole Owner');
      },
    });
    await expire(never);
    expect(tried).toEqual(due);
    const { user_id: userId } = await makeAccessToken();
    await db.query(
      sql`update access_token_bots set inactive_since = now() - interval '30 days' where user_id = ${userId}`,
    );
    expect(await dueBots(db, 30, userId - 1, 1)).toEqual([{ id: userId }]);
    expect(await dueBots(db, 30, userId, 1)).toEqual([]);
  });

  it('leave their bots for 30 days, and those are deleted then as users are', async () => {
    const [expired, idle] = [await makeAccessToken(), await makeAccessToken()];
    await db.query(
      sql`update personal_access_tokens set expires_at = current_date where id = any(${[expired.id, idle.id]}::bigint[])`,
    );
    const { expire } = areas();
    await expire(never);
    const states = () =>
      db.query(sql`
        select user_id from access_token_bots where user_id = any(${[expired.user_id, idle.user_id]}::bigint[])
          and inactive_since is not null order by user_id`);
    expect(await states()).toHaveLength(2);
    await db.query(
      sql`update access_token_bots set inactive_since = now() - interval '30 days' where user_id = ${expired.user_id}`,
    );
    await expire(never);
    expect(await states()).toEqual([{ user_id: idle.user_id }]);
    await expect(users().getUser({ userId: expired.user_id }, root)).rejects.toEqual(kind('not_found'));
    expect(
      await db.query(sql`select 1 from events.outbox where event_id = ${`user_deleted:${expired.user_id}`}`),
    ).toHaveLength(1);
  });
});

test('no token is anywhere in the database, nor in the event log', async () => {
  expect(secrets.length).toBeGreaterThan(30);
  const search = async (database: Database) => {
    const tables = await database.query<{ name: string }>(sql`
      select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await database.query<{ text: string }>({
        text: `select t::text as text from ${name} t`,
        values: [],
      } as never);
      const text = rows.map((row) => row.text).join('\n');
      for (const secret of secrets)
        if (text.includes(secret) || text.includes(Buffer.from(secret).toString('hex'))) found.push(name);
    }
    return found;
  };
  const log = openDatabase({ url: service.logDatabaseUrl, applicationName: 'test' });
  expect([...(await search(db)), ...(await search(log))]).toEqual([]);
  await log.close();
});

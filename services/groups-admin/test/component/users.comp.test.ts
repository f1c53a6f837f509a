import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  AccessServiceService,
  ResolveRequest,
  ResolveResponse_SudoRefusal as Sudo,
  ResolveResponse_TokenRefusal as Token,
} from '@switchyard/protos/groups_admin/v1/access';
import { DirectoryServiceService, type SnapshotResponse } from '@switchyard/protos/groups_admin/v1/directory';
import { NamespaceServiceService } from '@switchyard/protos/groups_admin/v1/namespace';
import {
  ListPersonalAccessTokensRequest,
  PersonalAccessTokenServiceService,
} from '@switchyard/protos/groups_admin/v1/personal_access_token';
import {
  ChangeUserStateRequest_Change as Change,
  CreateUserRequest,
  ListUsersRequest,
  UpdateUserRequest,
  UserServiceService,
} from '@switchyard/protos/groups_admin/v1/user';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, type CallOptions } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let root: CallOptions;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
  root = await service.as(rootToken);
});

afterAll(() => service.close());

const users = () => service.client(UserServiceService);
const tokens = () => service.client(PersonalAccessTokenServiceService);
const namespaces = () => service.client(NamespaceServiceService);

async function makeUser(settings: Record<string, unknown> = {}) {
  serial += 1;
  const request = CreateUserRequest.fromPartial({
    settings: { email: `user${serial}@example.com`, name: `User ${serial}`, username: `user${serial}`, ...settings },
    skipConfirmation: true,
  });
  return bodyOf(await users().createUser(request, root));
}

async function makeToken(userId: number, scopes = ['api'], expiresAt = '') {
  const reply = await tokens().createPersonalAccessToken(
    { userId, name: 'test', description: 'for tests', scopes, expiresAt },
    root,
  );
  return bodyOf(reply);
}

const kind = (expected: string) => expect.objectContaining({ kind: expected });

describe('many questions at once', () => {
  it('are answered in their order, and bounded (D3)', async () => {
    const { token } = await makeToken((await makeUser()).id);
    const client = service.client(AccessServiceService);
    const of = (one: string) => ResolveRequest.fromPartial({ token: one });
    const questions = [of(rootToken), of('glpat-unknown-unknown-1'), of(token), of('')];
    const { answers } = await client.resolveAll({ questions }, { requestId: 'test' });
    expect(answers).toEqual(await Promise.all(questions.map((question) => service.resolve(question))));
    expect(answers[1]?.tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    const many = Array.from({ length: 501 }, () => of(''));
    await expect(client.resolveAll({ questions: many }, { requestId: 'test' })).rejects.toMatchObject({
      kind: 'invalid_params',
    });
  });
});

describe('the administrator', () => {
  it('signs in with the token of the environment and sees all of themselves', async () => {
    const { actor, tokenRefusal } = await service.resolve({ token: rootToken });
    expect(tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNSPECIFIED);
    expect(actor).toMatchObject({ username: 'root', admin: true, scopes: ['api', 'sudo', 'admin_mode'] });
    const me = bodyOf(await users().getCurrentUser({}, root));
    expect(me).toMatchObject({ username: 'root', is_admin: true, web_url: 'http://switchyard.test/root' });
    expect(me.namespace_id).toBeGreaterThan(0);
  });
});

describe('users', () => {
  it('are made with a namespace of their own', async () => {
    const user = await makeUser({
      username: 'Ada',
      name: 'Ada L',
      bio: 'counts',
      projectsLimit: 3,
      password: 'long enough',
    });
    expect(user).toMatchObject({ username: 'Ada', name: 'Ada L', bio: 'counts', projects_limit: 3, state: 'active' });
    const namespace = bodyOf(await namespaces().getNamespace({ namespace: 'ada' }, root));
    expect(namespace).toMatchObject({ id: user.namespace_id, kind: 'user', full_path: 'Ada', plan: 'ultimate' });
  });

  it('have unique e-mails and usernames, whatever the case', async () => {
    const { username, email } = await makeUser();
    await expect(makeUser({ email: email.toUpperCase() })).rejects.toMatchObject({
      kind: 'conflict',
      body: { message: 'Email has already been taken' },
    });
    await expect(makeUser({ username: username.toUpperCase() })).rejects.toMatchObject({
      body: { message: 'Username has already been taken' },
    });
  });

  it('of the same name made at once give one success and one conflict', async () => {
    const made = await Promise.allSettled([
      makeUser({ username: 'twin', email: 'one@example.com' }),
      makeUser({ username: 'twin', email: 'two@example.com' }),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'conflict' } });
  });

  it('with wrong fields are refused with every problem', async () => {
    await expect(makeUser({ email: 'nonsense', username: 'api', name: ' ', password: 'short' })).rejects.toMatchObject({
      kind: 'invalid',
      body: {
        message: {
          email: ['is invalid'],
          username: ['api is a reserved name'],
          name: ["can't be blank"],
          password: ['is too short (minimum is 8 characters)'],
        },
      },
    });
  });

  it('are listed, filtered and paged', async () => {
    await Promise.all([1, 2, 3].map((at) => makeUser({ username: `listed${at}`, name: `Listed ${at}` })));
    const list = (request: Partial<ListUsersRequest>, options = root) =>
      users().listUsers(ListUsersRequest.fromPartial(request), options);
    const page = PageRequest.fromPartial({ page: 1, perPage: 2, orderBy: 'username' });
    const first = await list({ search: 'listed', page });
    expect(bodyOf(first).map((user: { username: string }) => user.username)).toEqual(['listed1', 'listed2']);
    expect(first.page).toMatchObject({ total: 3, hasNext: true });
    const keyset = await list({ search: 'listed', page: { ...page, keyset: true } });
    const next = await list({
      search: 'listed',
      page: { ...page, keyset: true, cursor: keyset.page?.nextCursor ?? '' },
    });
    expect(bodyOf(next).map((user: { username: string }) => user.username)).toEqual(['listed3']);
    expect(bodyOf(await list({ admins: true })).map((user: { username: string }) => user.username)).toEqual(['root']);
    const anonymousCaller = { requestId: 'test', actor: anonymous };
    await expect(list({}, anonymousCaller)).rejects.toEqual(kind('forbidden'));
    const [found] = bodyOf(await list({ username: 'LISTED1' }, anonymousCaller));
    expect(Object.keys(found).sort()).toEqual(
      ['avatar_url', 'id', 'locked', 'name', 'public_email', 'state', 'username', 'web_url'].sort(),
    );
  });

  it('move their namespace with their username', async () => {
    const user = await makeUser({ username: 'before' });
    const changed = bodyOf(
      await users().updateUser(
        UpdateUserRequest.fromPartial({
          userId: user.id,
          settings: { username: 'after', jobTitle: 'Engineer', organization: 'Yard' },
        }),
        root,
      ),
    );
    expect(changed).toMatchObject({ username: 'after', work_information: 'Engineer at Yard' });
    expect(bodyOf(await namespaces().getNamespace({ namespace: 'after' }, root)).id).toBe(user.namespace_id);
    await expect(namespaces().getNamespace({ namespace: 'before' }, root)).rejects.toEqual(kind('not_found'));
    await makeUser({ username: 'before' });
  });

  it('that are blocked or deactivated cannot use their tokens', async () => {
    const user = await makeUser();
    const { token } = await makeToken(user.id);
    const change = (to: Change) => users().changeUserState({ userId: user.id, change: to }, root);
    const refusal = async () => (await service.resolve({ token })).tokenRefusal;
    expect(bodyOf(await change(Change.CHANGE_BLOCK))).toBe(true);
    expect(await refusal()).toBe(Token.TOKEN_REFUSAL_BLOCKED);
    await expect(change(Change.CHANGE_DEACTIVATE)).rejects.toEqual(kind('forbidden'));
    expect(bodyOf(await change(Change.CHANGE_BLOCK))).toBeNull();
    expect(bodyOf(await change(Change.CHANGE_UNBLOCK))).toBe(true);
    expect(bodyOf(await change(Change.CHANGE_UNBLOCK))).toBe(false);
    expect(await refusal()).toBe(Token.TOKEN_REFUSAL_UNSPECIFIED);
    expect(bodyOf(await change(Change.CHANGE_DEACTIVATE))).toBe(true);
    expect(bodyOf(await change(Change.CHANGE_DEACTIVATE))).toBeNull();
    expect(await refusal()).toBe(Token.TOKEN_REFUSAL_DEACTIVATED);
    expect(bodyOf(await change(Change.CHANGE_ACTIVATE))).toBe(true);
    expect(bodyOf(await change(Change.CHANGE_ACTIVATE))).toBe(false);
    expect(await refusal()).toBe(Token.TOKEN_REFUSAL_UNSPECIFIED);
  });

  it.each(['ghost', 'alert-bot'])('include %s, as whom no one acts and which no one changes', async (username) => {
    const listed = async (excludeInternal: boolean) =>
      bodyOf(await users().listUsers(ListUsersRequest.fromPartial({ username, excludeInternal }), root));
    const [{ id, bot }] = await listed(false);
    expect(bot).toBe(true);
    expect(await listed(true)).toEqual([]);
    const sudo = { token: rootToken, sudo: username };
    expect((await service.resolve(sudo)).sudoRefusal).toBe(Sudo.SUDO_REFUSAL_UNKNOWN_USER);
    await expect(makeToken(id)).rejects.toEqual(kind('unprocessable'));
    const changed = UpdateUserRequest.fromPartial({ userId: id, settings: { password: 'a password' } });
    await expect(users().updateUser(changed, root)).rejects.toEqual(kind('forbidden'));
    await expect(users().changeUserState({ userId: id, change: Change.CHANGE_BLOCK }, root)).rejects.toEqual(
      kind('forbidden'),
    );
    await expect(
      users().deleteUser({ userId: id, ifUnmodifiedSince: undefined, hardDelete: false }, root),
    ).rejects.toEqual(kind('forbidden'));
  });

  it('leave a tombstone that points at the ghost, give their name free, and publish their deletion', async () => {
    const user = await makeUser({ username: 'leaver' });
    const { token } = await makeToken(user.id);
    const db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
    await db.query(sql`
      insert into access_requests (user_id, namespace_id)
      select ${user.id}, min(id) from namespaces where owner_id <> ${user.id}`);
    await users().deleteUser({ userId: user.id, ifUnmodifiedSince: undefined, hardDelete: false }, root);
    expect((await service.resolve({ token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    await expect(users().getUser({ userId: user.id }, root)).rejects.toMatchObject({
      body: { message: '404 User Not Found' },
    });
    const [lapsed] = await db.query<{ body: object }>(
      sql`select body from events.outbox where type = 'access_request.changed' and body ->> 'userId' = ${String(user.id)}`,
    );
    expect(lapsed?.body).toMatchObject({ lapsed: { reason: 'REASON_USER_DELETED' } });
    const [event] = await db.query(sql`select topic from events.outbox where event_id = ${`user_deleted:${user.id}`}`);
    await db.close();
    expect(event).toEqual({ topic: 'groups-admin.user.v1' });
    const directory = service.client(DirectoryServiceService, 'collaboration');
    const batches: SnapshotResponse[] = [];
    for await (const batch of directory.snapshot({}, { requestId: 'test' })) batches.push(batch);
    const last = batches.at(-1);
    expect(last?.last).toBe(true);
    const deleted = batches
      .flatMap(({ rows }) => rows)
      .find(({ entity }) => entity?.$case === 'user' && entity.value.id === user.id)?.entity;
    expect(deleted?.value).toMatchObject({ username: 'leaver', ghostId: expect.any(Number) });
    const { changes, head } = await directory.readChanges({ after: 0, limit: 5_000, waitMs: 0 }, { requestId: 'test' });
    expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, at) => at + 1));
    // The namespace that was left behind is purged in the background.
    expect(head).toBeGreaterThanOrEqual(last?.sequence ?? 0);
    expect(
      changes
        .filter(({ deleted, row }) => deleted && row?.entity?.$case === 'user')
        .map(({ row }) => row?.entity?.value.id),
    ).toEqual([user.id]);
    await makeUser({ username: 'leaver' });
  });
});

describe('the directory', () => {
  it('wakes a reader who waits for the next change', async () => {
    const directory = service.client(DirectoryServiceService, 'merge-requests');
    const { head } = await directory.readChanges({ after: 0, limit: 1, waitMs: 0 }, { requestId: 'test' });
    const started = Date.now();
    const next = (after: number) =>
      directory.readChanges({ after, limit: 0, waitMs: 20_000 }, { requestId: 'test', timeoutMs: 25_000 });
    const waiting = next(head);
    const user = await makeUser();
    // What else happens in the background may come first.
    for (let page = await waiting; !page.changes.some(({ row }) => row?.entity?.value.id === user.id); ) {
      page = await next(page.head);
    }
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('is closed to the gateway', async () => {
    const directory = service.client(DirectoryServiceService);
    await expect(directory.readChanges({ after: 0, limit: 1, waitMs: 0 }, { requestId: 'test' })).rejects.toEqual(
      kind('forbidden'),
    );
  });
});

describe('personal access tokens', () => {
  it('are shown once, and resolve to their user', async () => {
    const user = await makeUser();
    const made = await makeToken(user.id, ['read_api']);
    expect(made.token).toMatch(/^glpat-[A-Za-z0-9_-]{20,}$/);
    const { actor, validUntil } = await service.resolve({ token: made.token, address: '192.0.2.7' });
    expect(actor).toMatchObject({ userId: user.id, scopes: ['read_api'], tokenId: made.id });
    expect(validUntil).toBe(Date.parse(`${made.expires_at}T00:00:00Z`) / 1000);
    const own = await service.as(made.token);
    const self = await eventually(async () => {
      const seen = bodyOf(await tokens().getPersonalAccessToken({ tokenId: 0 }, own));
      expect(seen.last_used_ips).toEqual(['192.0.2.7']);
      return seen;
    });
    expect(self).toMatchObject({ id: made.id, active: true, description: 'for tests' });
    expect(Date.now() - Date.parse(self.last_used_at)).toBeLessThan(60_000);
    expect(self).not.toHaveProperty('token');
  });

  it('that never were, expired or were revoked are distinguished', async () => {
    const user = await makeUser();
    const expired = await makeToken(user.id, ['api'], '2020-01-01');
    expect((await service.resolve({ token: expired.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_EXPIRED);
    const revoked = await makeToken(user.id);
    await tokens().revokePersonalAccessToken({ tokenId: revoked.id, ifUnmodifiedSince: undefined }, root);
    expect((await service.resolve({ token: revoked.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    for (const junk of [
      'x',
      'glpat-AAAAAAAAAAAAAAAAAAAAAAAA0000000',
      'some other text of enough length',
      `${revoked.token}x`,
    ]) {
      expect((await service.resolve({ token: junk })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_UNKNOWN);
    }
  });

  it('live at most 365 days', async () => {
    const user = await makeUser();
    await expect(makeToken(user.id, ['api'], '2999-01-01')).rejects.toMatchObject({
      kind: 'unprocessable',
      body: { message: expect.stringMatching(/^Expiration date must be before \d{4}-\d\d-\d\d$/) },
    });
    expect((await makeToken(user.id, ['api'], '0000-01-01')).active).toBe(false);
    await expect(makeToken(user.id, ['sudo'])).rejects.toMatchObject({
      body: { message: 'Scopes can only contain available scopes' },
    });
  });

  it('are listed by their user alone, and by administrators', async () => {
    const user = await makeUser();
    const { token, id } = await makeToken(user.id);
    const other = await makeToken(user.id, ['api'], '2020-01-01');
    const own = await service.as(token);
    const request = ListPersonalAccessTokensRequest.fromPartial({});
    const ids = (reply: Parameters<typeof bodyOf>[0]) => bodyOf(reply).map((record: { id: number }) => record.id);
    expect(ids(await tokens().listPersonalAccessTokens(request, own))).toEqual([other.id, id]);
    expect(ids(await tokens().listPersonalAccessTokens({ ...request, state: 'active' }, own))).toEqual([id]);
    expect(ids(await tokens().listPersonalAccessTokens({ ...request, expiresBefore: '2021-01-01' }, own))).toEqual([
      other.id,
    ]);
    await expect(tokens().listPersonalAccessTokens({ ...request, userId: 1 }, own)).rejects.toEqual(
      kind('unauthorized'),
    );
    expect(ids(await tokens().listPersonalAccessTokens({ ...request, userId: user.id }, root))).toEqual([other.id, id]);
  });

  it('of others cannot be read, revoked or rotated', async () => {
    const [victim, thief] = [await makeUser(), await makeUser()];
    const target = await makeToken(victim.id);
    const own = await service.as((await makeToken(thief.id)).token);
    await expect(tokens().getPersonalAccessToken({ tokenId: target.id }, own)).rejects.toEqual(kind('unauthorized'));
    await expect(
      tokens().revokePersonalAccessToken({ tokenId: target.id, ifUnmodifiedSince: undefined }, own),
    ).rejects.toEqual(kind('bad_request'));
    await expect(tokens().rotatePersonalAccessToken({ tokenId: target.id, expiresAt: '' }, own)).rejects.toEqual(
      kind('unauthorized'),
    );
  });

  it('are replaced by rotation, and the reuse of an old one revokes the chain', async () => {
    const user = await makeUser();
    const first = await makeToken(user.id);
    const rotate = async (tokenId: number) =>
      bodyOf(await tokens().rotatePersonalAccessToken({ tokenId, expiresAt: '' }, root));
    const second = await rotate(first.id);
    expect(second).toMatchObject({ name: 'test', description: 'for tests', scopes: ['api'], active: true });
    expect((await service.resolve({ token: first.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
    const third = await rotate(second.id);
    await expect(rotate(first.id)).rejects.toMatchObject({
      body: { message: '400 Bad request - Token already revoked' },
    });
    expect((await service.resolve({ token: third.token })).tokenRefusal).toBe(Token.TOKEN_REFUSAL_REVOKED);
  });
});

describe('sudo', () => {
  it('acts for another user, with an administrator’s token of that scope alone', async () => {
    const user = await makeUser();
    const granted = await service.resolve({ token: rootToken, sudo: user.username.toUpperCase() });
    expect(granted.actor).toMatchObject({ userId: user.id, admin: false });
    const byId = await service.resolve({ token: rootToken, sudo: String(user.id) });
    expect(byId.actor?.userId).toBe(user.id);
    expect((await service.resolve({ token: rootToken, sudo: 'no\0body' })).sudoRefusal).toBe(
      Sudo.SUDO_REFUSAL_UNKNOWN_USER,
    );
    expect((await service.resolve({ token: rootToken, sudo: 'nobody-there' })).sudoRefusal).toBe(
      Sudo.SUDO_REFUSAL_UNKNOWN_USER,
    );
    const plain = await makeToken(user.id);
    expect((await service.resolve({ token: plain.token, sudo: 'root' })).sudoRefusal).toBe(Sudo.SUDO_REFUSAL_NOT_ADMIN);
    const admin = await makeUser({ admin: true });
    const unscoped = await makeToken(admin.id, ['api']);
    expect((await service.resolve({ token: unscoped.token, sudo: 'root' })).sudoRefusal).toBe(Sudo.SUDO_REFUSAL_SCOPE);
  });
});

describe('namespaces', () => {
  it('of others are hidden, and taken names come with a suggestion', async () => {
    const [one, two] = [await makeUser(), await makeUser()];
    const own = await service.as((await makeToken(one.id)).token);
    const list = bodyOf(
      await namespaces().listNamespaces({ page: undefined, search: '', ownedOnly: false, topLevelOnly: false }, own),
    );
    expect(list.map(({ full_path }: { full_path: string }) => full_path)).toEqual([one.username]);
    await expect(namespaces().getNamespace({ namespace: String(two.namespace_id) }, own)).rejects.toMatchObject({
      body: { message: '404 Namespace Not Found' },
    });
    expect(bodyOf(await namespaces().checkNamespaceExists({ path: 'ROOT', parentId: 0 }, own))).toEqual({
      exists: true,
      suggests: ['ROOT1'],
    });
    expect(bodyOf(await namespaces().checkNamespaceExists({ path: 'free-name', parentId: 0 }, own))).toEqual({
      exists: false,
      suggests: [],
    });
  });
});

describe('names below a group', () => {
  it('are taken as far as the viewer sees what has them', async () => {
    const db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
    const [open, hidden] = [900_001, 900_002];
    await db.query(sql`
      insert into namespaces (id, kind, name, path, parent_id, ancestry, full_path, full_name, visibility) overriding system value
      values (${open}, 'group', 'House', 'house', null, ${[open]}::bigint[], 'house', 'House', 'public'),
        (${hidden}, 'group', 'Room', 'room', ${open}, ${[open, hidden]}::bigint[], 'house/room', 'House / Room', 'private')`);
    const outsider = await service.as((await makeToken((await makeUser()).id)).token);
    const asked = { path: 'room', parentId: open };
    expect(bodyOf(await namespaces().checkNamespaceExists(asked, outsider)).exists).toBe(false);
    const root = await service.as(rootToken);
    expect(bodyOf(await namespaces().checkNamespaceExists(asked, root)).exists).toBe(true);
    await db.close();
  });
});

describe('a database that is away', () => {
  it('costs 503, and no more than as long as it is away', async () => {
    const apart = await startTestService();
    const options = await apart.as(rootToken);
    const own = apart.client(UserServiceService);
    const secret = { userId: 1, name: 'n', description: '', scopes: ['api'], expiresAt: '' };
    try {
      await apart.gate.shut();
      await expect(own.getCurrentUser({}, options)).rejects.toEqual(kind('unavailable'));
      const issued = apart.client(PersonalAccessTokenServiceService).createPersonalAccessToken(secret, options);
      await expect(issued).rejects.toEqual(kind('unavailable'));
      const made = own.createUser(
        CreateUserRequest.fromPartial({ settings: { email: 'a@b', name: 'a', username: 'a' } }),
        options,
      );
      await expect(made).rejects.toEqual(kind('unavailable'));
      await apart.gate.open();
      await eventually(async () => expect(bodyOf(await own.getCurrentUser({}, options)).username).toBe('root'));
    } finally {
      await apart.close();
    }
  });
});

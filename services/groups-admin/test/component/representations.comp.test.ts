import { countStatements, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { NamespaceServiceService } from '@switchyard/protos/groups_admin/v1/namespace';
import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import {
  CreateUserRequest,
  ListUsersRequest,
  UpdateUserRequest,
  UserServiceService,
} from '@switchyard/protos/groups_admin/v1/user';
import type { CallOptions } from '@switchyard/rpc';
import { listNamespaces } from '../../src/namespaces/storage/namespace.list';
import { listTokens } from '../../src/tokens/storage/personal-access-token.list';
import { listUsers } from '../../src/users/storage/user.list';
import { conforming, propertiesOf } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let root: CallOptions;

const settings = {
  email: 'full@example.com',
  name: 'Full',
  username: 'full',
  password: 'long enough',
  admin: true,
  external: true,
  projectsLimit: 7,
  canCreateGroup: true,
  privateProfile: true,
  bio: 'bio',
  location: 'location',
  skype: 'skype',
  linkedin: 'linkedin',
  twitter: 'twitter',
  discord: 'discord',
  github: 'github',
  websiteUrl: 'https://example.com',
  organization: 'Yard',
  jobTitle: 'Engineer',
  pronouns: 'they/them',
  publicEmail: 'full@example.com',
  commitEmail: 'full@example.com',
  note: 'note',
  themeId: 2,
  colorSchemeId: 3,
  sharedRunnersMinutesLimit: 4,
  extraSharedRunnersMinutesLimit: 5,
};

beforeAll(async () => {
  service = await startTestService();
  root = await service.as(rootToken);
});

afterAll(() => service.close());

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);

describe('a user', () => {
  // What this instance has no source for: it is printed for clients that expect it.
  const unsourced = [
    'locked',
    'bot',
    'followers',
    'following',
    'is_followed',
    'local_time',
    'identities',
    'two_factor_enabled',
  ].concat(['scim_identities', 'email_reset_offered_at', 'avatar_url', 'last_sign_in_at', 'current_sign_in_at']);

  it('prints every field of its component, each at a value that says something', async () => {
    const users = service.client(UserServiceService);
    const { id } = bodyOf(
      await users.createUser(CreateUserRequest.fromPartial({ settings, skipConfirmation: true }), root),
    );
    const tokens = service.client(PersonalAccessTokenServiceService);
    const made = bodyOf(
      await tokens.createPersonalAccessToken(
        { userId: id, name: 'n', description: 'd', scopes: ['api'], expiresAt: '' },
        root,
      ),
    );
    conforming('NewPersonalAccessToken', made);
    const own = await service.as(made.token);
    const moves = { userId: id, settings: { email: 'next@example.com' } };
    await users.updateUser(UpdateUserRequest.fromPartial(moves), root);
    const db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
    await db.query(sql`
      update users set avatar_url = 'http://switchyard.test/a.png', last_sign_in_at = now(), current_sign_in_at = now(),
        last_activity_on = current_date where id = ${id}`);
    await db.close();
    const me = bodyOf(await users.getCurrentUser({}, own));
    conforming('CurrentUser', me);
    expect(Object.keys(me).sort()).toEqual(propertiesOf('CurrentUser').sort());
    const empty = Object.keys(me).filter((field) => isEmpty(me[field]) && !unsourced.includes(field));
    expect(empty).toEqual([]);
    expect(me).toMatchObject({ created_by: { username: 'root' }, commit_email: 'full@example.com', note: 'note' });
    const seen = bodyOf(await tokens.getPersonalAccessToken({ tokenId: 0 }, own));
    conforming('SinglePersonalAccessToken', seen);
  });

  it('keeps a private profile from other users, and its e-mail from everybody but administrators', async () => {
    const users = service.client(UserServiceService);
    const { id } = bodyOf(
      await users.createUser(
        CreateUserRequest.fromPartial({ settings: { email: 'nosy@example.com', name: 'Nosy', username: 'nosy' } }),
        root,
      ),
    );
    const { token } = bodyOf(
      await service
        .client(PersonalAccessTokenServiceService)
        .createPersonalAccessToken({ userId: id, name: 'n', description: '', scopes: ['api'], expiresAt: '' }, root),
    );
    const [listed] = bodyOf(
      await users.listUsers(ListUsersRequest.fromPartial({ username: 'full' }), await service.as(token)),
    );
    conforming('UserReference', listed);
    const seen = bodyOf(await users.getUser({ userId: listed.id }, await service.as(token)));
    conforming('User', seen);
    expect(seen).toMatchObject({ username: 'full', bio: null, created_at: null, job_title: null });
    expect(seen).not.toHaveProperty('email');
    const [complete] = bodyOf(await users.listUsers(ListUsersRequest.fromPartial({ username: 'full' }), root));
    conforming('User', complete);
    expect(complete.email).toBe('full@example.com');
  });
});

it('a namespace is what its component says', async () => {
  const found = bodyOf(await service.client(NamespaceServiceService).getNamespace({ namespace: 'full' }, root));
  conforming('Namespace', found);
  expect(Object.keys(found).sort()).toEqual(propertiesOf('Namespace').sort());
});

it('a list costs the same statements for two rows and for a hundred', async () => {
  const db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  const viewer = { userId: 1, admin: true, external: false };
  const page = { mode: 'offset', page: 1, perPage: 100, orderBy: 'id', sort: 'asc' } as const;
  const costs = async () => {
    const cost = async (work: () => Promise<{ rows: unknown[] }>) => {
      const { result, statements } = await countStatements(work);
      return { rows: result.rows.length, statements };
    };
    return [
      await cost(() => listUsers(db, { searchPrivateEmail: true }, page, 1)),
      await cost(() => listTokens(db, {}, page)),
      await cost(() => listNamespaces(db, { search: '', ownedOnly: false, topLevelOnly: false }, viewer, page)),
    ];
  };
  const few = await costs();
  await db.query(sql`
    with made as (
      insert into users (username, name, email)
      select 'many' || i, 'Many', 'many' || i || '@example.com' from generate_series(1, 100) i returning id, username),
    spaces as (
      insert into namespaces (id, kind, name, path, ancestry, full_path, full_name, owner_id)
      select 100000 + id, 'user', username, username, array[100000 + id], username, username, id from made)
    insert into personal_access_tokens (user_id, name, token_digest, scopes)
    select id, username, sha256(username::bytea), '{api}' from made`);
  const many = await costs();
  await db.close();
  expect(many.map(({ rows }) => rows)).toEqual([100, 100, 100]);
  expect(few.every(({ rows }) => rows < 100)).toBe(true);
  expect(many.map(({ statements }) => statements)).toEqual(few.map(({ statements }) => statements));
});

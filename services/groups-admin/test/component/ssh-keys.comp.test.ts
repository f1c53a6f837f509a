import { generateKeyPairSync } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { DeployKeyServiceService } from '@switchyard/protos/groups_admin/v1/deploy_key';
import { SshKeyServiceService } from '@switchyard/protos/groups_admin/v1/ssh_key';
import { UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { groupClients, refusal } from '../support/group-clients';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let group: number;

beforeAll(async () => {
  running = await runGroups();
  [root, ada, bob] = [
    await running.user('chief', { admin: true }),
    await running.user('ada'),
    await running.user('bob'),
  ];
  group = (await newGroup(ada, 'team')).id;
});

afterAll(() => running.close());

const { newGroup, newProject, addMember } = groupClients(() => running);
const keysOf = (user?: TestUser) => running.as(user, SshKeyServiceService);
const deployKeysOf = (user: TestUser) => running.as(user, DeployKeyServiceService);

/** A new key as OpenSSH writes it. */
function newKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const material = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')].flatMap((part) => [
    Buffer.from([0, 0, 0, part.length]),
    part,
  ]);
  return `ssh-ed25519 ${Buffer.concat(material).toString('base64')}`;
}

const add = (user: TestUser, key: string, given: { title?: string; expiresAt?: Date; usageType?: string } = {}) =>
  shown(
    'SshKey',
    keysOf(user).createSshKey({
      userId: user.userId,
      title: 'laptop',
      key,
      usageType: '',
      expiresAt: undefined,
      ...given,
    }),
  );

const addDeployKey = (user: TestUser, projectId: number, key: string, canPush = false) =>
  shown(
    projectId > 0 ? 'DeployKey' : 'SharedDeployKey',
    deployKeysOf(user).createDeployKey({ projectId, title: 'machine', key, canPush, expiresAt: undefined }),
  );

const lookUp = (fingerprint: string) =>
  shown('FoundSshKey', keysOf(root).lookUpSshKey({ name: { $case: 'fingerprint', value: fingerprint } }));

describe('SSH keys of users', () => {
  test('a key is added, listed by id and by username without its comment, and deleted', async () => {
    const key = newKey();
    const expiresAt = new Date(Date.now() + 60_000);
    const added = await add(ada, `${key} ada@secret-host`, { expiresAt, usageType: 'auth' });
    expect(added).toMatchObject({ title: 'laptop', usage_type: 'auth', expires_at: expiresAt.toISOString() });
    expect(added.key).toMatch(`${key} ada Lovelace (`);
    for (const user of [String(ada.userId), 'ADA']) {
      expect(await shown('SshKey', keysOf().listSshKeys({ user, page: pageOf() }))).toContainEqual(added);
      expect(await shown('SshKey', keysOf().getSshKey({ user, keyId: added.id }))).toEqual(added);
    }
    const gone = { userId: ada.userId, keyId: added.id, ifUnmodifiedSince: new Date(0) };
    expect(await refusal(keysOf(ada).deleteSshKey(gone))).toMatchObject({ kind: 'precondition_failed' });
    await keysOf(ada).deleteSshKey({ ...gone, ifUnmodifiedSince: undefined });
    expect(await refusal(keysOf(ada).deleteSshKey(gone))).toMatchObject({ kind: 'not_found' });
  });

  test('all problems are reported at once', async () => {
    const bad = add(ada, 'no key', { title: '', expiresAt: new Date(0) });
    expect(await refusal(bad)).toMatchObject({
      kind: 'invalid',
      message: { title: ["can't be blank"], key: ['is invalid'], expires_at: ['must be in the future'] },
    });
  });

  test('G-4.10-4: a key belongs to one account', async () => {
    const key = newKey();
    await add(ada, key);
    for (const [user, material] of [
      [ada, key],
      [bob, `${key} another comment`],
    ] as const) {
      expect(await refusal(add(user, material))).toEqual({
        kind: 'invalid',
        message: { fingerprint_sha256: ['has already been taken'] },
      });
    }
  });

  test('G-4.10-2: administrators find a key by id and by both fingerprints, with its user', async () => {
    const key = newKey();
    const added = await add(bob, key);
    const byId = await shown('FoundSshKey', keysOf(root).lookUpSshKey({ name: { $case: 'keyId', value: added.id } }));
    expect(byId).toMatchObject({ id: added.id, title: 'laptop', expires_at: null, user: { username: 'bob' } });
    expect(byId.user).toHaveProperty('email');
    const project = (await newProject(ada, group, 'looked-up')).id;
    const deployKey = await addDeployKey(ada, project, newKey(), true);
    for (const fingerprint of [deployKey.fingerprint, `MD5:${deployKey.fingerprint}`, deployKey.fingerprint_sha256]) {
      const found = await lookUp(fingerprint);
      expect(found).toMatchObject({
        id: deployKey.id,
        user: { username: 'ada' },
        deploy_keys_projects: [{ project_id: project, can_push: true }],
      });
      expect(found).not.toHaveProperty('expires_at');
    }
    expect(await refusal(lookUp('nonsense'))).toEqual({ kind: 'invalid', message: 'Failed to return the key' });
    expect(await refusal(lookUp(`SHA256:${'a'.repeat(43)}`))).toMatchObject({ message: '404 Key Not Found' });
  });

  test('the keys of a deleted user are free again', async () => {
    const key = newKey();
    const eve = await running.user('eve');
    await add(eve, key);
    await running.db.query(sql`
      insert into users (username, name, email, user_type) values ('ghost', 'Ghost', 'ghost@example.com', 'ghost')`);
    await running.as(root, UserServiceService).deleteUser({ userId: eve.userId } as never);
    expect(await add(bob, key)).toMatchObject({ title: 'laptop' });
  });
});

describe('deploy keys', () => {
  test('a Maintainer shares a key between projects; it goes with its last one', async () => {
    const [one, two] = [(await newProject(ada, group, 'one')).id, (await newProject(ada, group, 'two')).id];
    const key = newKey();
    const added = await addDeployKey(ada, one, key, true);
    expect(added).toMatchObject({ can_push: true, title: 'machine' });
    const enabled = await shown('DeployKey', deployKeysOf(ada).enableDeployKey({ projectId: two, keyId: added.id }));
    expect(enabled).toMatchObject({ id: added.id, can_push: false });
    expect(await refusal(addDeployKey(ada, two, key))).toMatchObject({ kind: 'invalid' });
    const changed = await shown(
      'DeployKey',
      deployKeysOf(ada).updateDeployKey({ projectId: two, keyId: added.id, title: 'new name', canPush: true }),
    );
    expect(changed).toMatchObject({ title: 'machine', can_push: true });
    const all = await shown(
      'SharedDeployKey',
      deployKeysOf(root).listDeployKeys({ projectId: 0, public: false, page: pageOf() }),
    );
    const listed = all.find(({ id }: { id: number }) => id === added.id);
    expect(listed.projects_with_write_access.map(({ id }: { id: number }) => id)).toEqual([one, two]);
    for (const projectId of [one, two])
      await deployKeysOf(ada).deleteDeployKey({ projectId, keyId: added.id, ifUnmodifiedSince: undefined });
    expect(await add(bob, key)).toMatchObject({ title: 'laptop' });
  });

  test('a key of a project that the caller does not maintain cannot be enabled; a public one can', async () => {
    const [mine, theirs] = [(await newProject(ada, group, 'mine')).id, (await newProject(bob, 0, 'theirs')).id];
    const key = newKey();
    const { id: keyId } = await addDeployKey(ada, mine, key);
    const enable = (id: number) => deployKeysOf(bob).enableDeployKey({ projectId: theirs, keyId: id });
    expect(await refusal(enable(keyId))).toMatchObject({ message: '404 Deploy Key Not Found' });
    expect(await refusal(addDeployKey(bob, theirs, key))).toMatchObject({ kind: 'invalid' });
    await addMember(ada, { project: mine }, bob, 30);
    expect(await refusal(enable(keyId))).toMatchObject({ kind: 'not_found' });
    const open = await addDeployKey(root, 0, newKey());
    expect(await shown('DeployKey', enable(open.id))).toMatchObject({ id: open.id });
    const ofUser = await add(ada, newKey());
    expect(await refusal(enable(ofUser.id))).toMatchObject({ kind: 'not_found' });
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { AvatarServiceService, type GetAvatarRequest } from '@switchyard/protos/groups_admin/v1/avatar';
import { CreateGroupRequest, GroupServiceService, UpdateGroupRequest } from '@switchyard/protos/groups_admin/v1/group';
import { NamespaceServiceService } from '@switchyard/protos/groups_admin/v1/namespace';
import {
  CreateProjectRequest,
  ProjectServiceService,
  UpdateProjectRequest,
} from '@switchyard/protos/groups_admin/v1/project';
import { CreateTopicRequest, TopicServiceService, UpdateTopicRequest } from '@switchyard/protos/groups_admin/v1/topic';
import { CreateUserRequest, UpdateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import type { CallOptions } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { conforming } from '../support/components';
import { refusal } from '../support/group-clients';
import { pngOf } from '../support/pictures';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let db: Database;
let root: CallOptions;

beforeAll(async () => {
  service = await startTestService();
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  root = await service.as(rootToken);
});

afterAll(async () => {
  await db.close();
  await service.close();
});

const file = (filename: string, content: Buffer) => ({ file: { filename, content } });
const picture = (filename = 'logo.png') => file(filename, pngOf());
const removal = { file: undefined };

/** Files in the blob store. */
const files = (): string[] =>
  readdirSync(join(service.dataFolder, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `avatars/${name}`)
    .sort();
const named = async (): Promise<string[]> =>
  (await db.query<{ blob: string }>(sql`select blob from avatars order by blob`)).map(({ blob }) => blob);
/** Until the job has removed what no row names. */
const settled = () =>
  eventually(async () => {
    // A change of an avatar has the job come by at once; the deletion of an owner waits for its next minute.
    await service.client(AvatarServiceService).setOwnAvatar({ avatar: removal }, root);
    expect(files()).toEqual(await named());
  });

type Owner = NonNullable<GetAvatarRequest['owner']>;
const accessTo = ({ $case, value }: Owner) => ({
  kind: $case === 'groupId' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
  id: value,
  fullPath: 'x',
  visibility: 'private',
  level: 10,
  tier: 'free',
  archived: false,
});
const read = (owner: Owner, filename = '', access = accessTo(owner)) =>
  service.client(AvatarServiceService).getAvatar({ owner, filename }, { ...root, access } as CallOptions);

interface Kind {
  readonly owner: Owner['$case'];
  readonly folder: string;
  readonly component: string;
  make(name: string, avatar?: object): Promise<{ id: number; avatar_url: string | null }>;
  update(id: number, avatar: object, others?: object): Promise<{ id: number; avatar_url: string | null }>;
  remove(id: number): Promise<unknown>;
}

const later = (table: 'namespaces' | 'projects', id: number) =>
  table === 'namespaces'
    ? db
        .query(sql`delete from memberships where namespace_id = ${id}`)
        .then(() => db.query(sql`delete from namespaces where id = ${id}`))
    : db
        .query(sql`delete from memberships where project_id = ${id}`)
        .then(() => db.query(sql`delete from projects where id = ${id}`));

const kinds: Readonly<Record<string, Kind>> = {
  group: {
    owner: 'groupId',
    folder: 'group',
    component: 'Group',
    make: async (path, avatar) =>
      bodyOf(
        await service
          .client(GroupServiceService)
          .createGroup(CreateGroupRequest.fromPartial({ settings: { name: path, path, avatar } }), root),
      ),
    update: async (groupId, avatar, others) =>
      bodyOf(
        await service
          .client(GroupServiceService)
          .updateGroup(UpdateGroupRequest.fromPartial({ groupId, settings: { ...others, avatar } }), root),
      ),
    remove: (id) => later('namespaces', id),
  },
  project: {
    owner: 'projectId',
    folder: 'project',
    component: 'Project',
    make: async (path, avatar) =>
      bodyOf(
        await service
          .client(ProjectServiceService)
          .createProject(CreateProjectRequest.fromPartial({ settings: { path, avatar } }), root),
      ),
    update: async (projectId, avatar, others) =>
      bodyOf(
        await service
          .client(ProjectServiceService)
          .updateProject(UpdateProjectRequest.fromPartial({ projectId, settings: { ...others, avatar } }), root),
      ),
    remove: (id) => later('projects', id),
  },
  user: {
    owner: 'userId',
    folder: 'user',
    component: 'User',
    make: async (username, avatar) =>
      bodyOf(
        await service.client(UserServiceService).createUser(
          CreateUserRequest.fromPartial({
            settings: { username, name: username, email: `${username}@example.com`, avatar },
            randomPassword: true,
            skipConfirmation: true,
          }),
          root,
        ),
      ),
    update: async (userId, avatar, others) =>
      bodyOf(
        await service
          .client(UserServiceService)
          .updateUser(UpdateUserRequest.fromPartial({ userId, settings: { ...others, avatar } }), root),
      ),
    remove: (userId) =>
      service.client(UserServiceService).deleteUser({ userId, ifUnmodifiedSince: undefined, hardDelete: false }, root),
  },
  topic: {
    owner: 'topicId',
    folder: 'projects/topic',
    component: 'Topic',
    make: async (name, avatar) =>
      bodyOf(
        await service
          .client(TopicServiceService)
          .createTopic(CreateTopicRequest.fromPartial({ settings: { name, title: name, avatar } }), root),
      ),
    update: async (topicId, avatar, others) =>
      bodyOf(
        await service
          .client(TopicServiceService)
          .updateTopic(UpdateTopicRequest.fromPartial({ topicId, settings: { ...others, avatar } }), root),
      ),
    remove: (topicId) =>
      service.client(TopicServiceService).deleteTopic({ topicId, ifUnmodifiedSince: undefined }, root),
  },
};

describe.each(Object.entries(kinds))('the avatar of a %s', (kind, { owner, folder, component, ...calls }) => {
  const as = (value: number): Owner => ({ $case: owner, value }) as Owner;
  const none = { kind: 'not_found', message: '404 Avatar Not Found' };

  it('is set with its owner, replaced, removed, and goes with its owner (G-4.16-6)', async () => {
    const made = conforming(component, await calls.make(`${kind}-a`, picture('my logo.PNG')));
    const url = `http://switchyard.test/uploads/-/system/${folder}/avatar/${made.id}/`;
    expect(made.avatar_url).toBe(`${url}my%20logo.PNG`);
    const content = { content: pngOf(), contentType: 'image/png', filename: 'my logo.PNG' };
    expect(await read(as(made.id))).toEqual(content);
    expect(await read(as(made.id), 'my logo.PNG')).toEqual(content);
    expect(await refusal(read(as(made.id), 'other.png'))).toEqual(none);
    expect((await calls.update(made.id, file('b.png', pngOf(16, 16)))).avatar_url).toBe(`${url}b.png`);
    expect((await read(as(made.id))).content).toEqual(pngOf(16, 16));
    expect((await calls.update(made.id, removal)).avatar_url).toBeNull();
    expect(await refusal(read(as(made.id)))).toEqual(none);
    await calls.update(made.id, picture());
    await calls.remove(made.id);
    expect(await refusal(read(as(made.id)))).toEqual(none);
    await settled();
  });

  it('is refused, and nothing is half made', async () => {
    const kept = await calls.make(`${kind}-b`, picture());
    const before = await db.query(sql`select (select count(*) from users) + (select count(*) from namespaces)
      + (select count(*) from projects) + (select count(*) from topics) as n`);
    const formats =
      'file format is not supported. Please try one of the following supported formats: png, jpg, jpeg, gif, bmp, tif, tiff, ico, webp';
    const refused: [object, string][] = [
      [file('a.png', pngOf(8, 8, 200 << 10)), 'is too big (should be at most 200 KiB)'],
      [file('a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>')), formats],
      [file('a.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>')), formats],
      [file('a.png', Buffer.from('<!doctype html><script>alert(1)</script>')), formats],
      [file('a.html', pngOf()), formats],
      [file('a.gif', pngOf()), 'is not of the format that its name says'],
      [file('a.png', pngOf(10_000, 10_000)), 'has too many pixels (should be at most 5000 x 5000)'],
      [file('a.png', Buffer.alloc(0)), formats],
      [file('a.png', pngOf().subarray(0, 40)), formats],
      [file('', pngOf()), formats],
    ];
    for (const [avatar, text] of refused) {
      for (const call of [calls.make(`${kind}-c`, avatar), calls.update(kept.id, avatar)]) {
        const { kind: refusedAs, message } = await refusal(call);
        expect([refusedAs, JSON.stringify(message)]).toEqual(['invalid', expect.stringContaining(text)]);
      }
    }
    // With what else is wrong.
    const both = await refusal(calls.update(kept.id, refused[0]?.[0] as object, { name: 'a\nb' }));
    expect(both.message).toEqual({ name: expect.anything(), avatar: [refused[0]?.[1]] });
    expect(
      await db.query(sql`select (select count(*) from users) + (select count(*) from namespaces)
      + (select count(*) from projects) + (select count(*) from topics) as n`),
    ).toEqual(before);
    expect((await read(as(kept.id))).content).toEqual(pngOf());
    await settled();
  });
});

it('an avatar of exactly 200 KiB is taken', async () => {
  const padding = (200 << 10) - pngOf().length;
  const { id } = (await kinds.topic?.make('exact', file('a.png', pngOf(8, 8, padding)))) ?? { id: 0 };
  expect((await read({ $case: 'topicId', value: id })).content).toHaveLength(200 << 10);
});

it('one owner has one avatar, whoever sets it at the same time', async () => {
  const { id } = await (kinds.project as Kind).make('contended');
  await Promise.all(Array.from({ length: 6 }, (_, at) => (kinds.project as Kind).update(id, picture(`p${at}.png`))));
  const row = await db.one<{ avatar_url: string; filename: string }>(
    sql`select p.avatar_url, a.filename from projects p join avatars a on a.project_id = p.id where p.id = ${id}`,
  );
  expect(row?.avatar_url).toBe(`/uploads/-/system/project/avatar/${id}/${row?.filename}`);
  await settled();
});

it('a change that is refused for something else leaves no file', async () => {
  await (kinds.group as Kind).make('taken-path');
  expect((await refusal((kinds.group as Kind).make('taken-path', picture()))).kind).toBe('invalid');
  await settled();
});

it('a group or project is the one that the gateway resolved', async () => {
  const { id } = await (kinds.group as Kind).make('guarded', picture());
  const owner: Owner = { $case: 'groupId', value: id };
  for (const access of [accessTo({ $case: 'groupId', value: id + 1 }), accessTo({ $case: 'projectId', value: id })])
    expect((await refusal(read(owner, '', access))).kind).toBe('not_found');
});

it('users set their own, and are found by the e-mail that they show', async () => {
  const { id } = await (kinds.user as Kind).make('grace');
  await (kinds.user as Kind).update(id, removal, { publicEmail: 'Grace@example.com' });
  const grace = { ...root, actor: { ...root.actor, userId: id, admin: false } } as CallOptions;
  const avatars = service.client(AvatarServiceService);
  const find = async (email: string) => conforming('AvatarUrl', bodyOf(await avatars.findAvatar({ email }, root)));
  expect(await find('grace@EXAMPLE.com')).toEqual({ avatar_url: null });
  const set = bodyOf(await avatars.setOwnAvatar({ avatar: picture('me.png') }, grace));
  const avatar_url = `http://switchyard.test/uploads/-/system/user/avatar/${id}/me.png`;
  expect(conforming('AvatarUrl', set)).toEqual({ avatar_url });
  expect(await find('grace@EXAMPLE.com')).toEqual({ avatar_url });
  for (const email of ['nobody@example.com', '', 'admin@example.com', '%'])
    expect(await find(email)).toEqual({ avatar_url: null });
  const own = await service.client(NamespaceServiceService).getNamespace({ namespace: 'grace' }, root);
  expect(bodyOf(own)).toMatchObject({ avatar_url });
  const wrong = avatars.setOwnAvatar({ avatar: file('a.png', randomBytes(100)) }, grace);
  expect((await refusal(wrong)).message).toEqual({ avatar: [expect.stringContaining('not supported')] });
  expect(bodyOf(await avatars.setOwnAvatar({ avatar: removal }, grace))).toEqual({ avatar_url: null });
});

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { type PackageFilter, PackageServiceService } from '@switchyard/protos/packages/v1/package';
import { DuplicatesChange, PackageSettingsServiceService } from '@switchyard/protos/packages/v1/package_settings';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import type { RpcClient } from '@switchyard/rpc';
import { dieAt, eventually } from '@switchyard/testkit';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';

let here: TestInstallation;
let packages: RpcClient<typeof PackageServiceService>;
let group: number;
let projectId = 0;
let projects: number[];

const limit = 100_000;

beforeAll(async () => {
  here = await testInstallation({ service, main: join(__dirname, '..', '..', 'dist', 'main.js') });
  await here.stop();
  await here.start({ SWITCHYARD_GENERIC_PACKAGE_LIMIT: String(limit) });
  packages = here.client(PackageServiceService);
  group = here.directory.namespace({ visibility: 'public' }).id;
  projects = Array.from({ length: 20 }, () => here.directory.project(group, { visibility: 'public' }).id);
  // A replica that is far behind answers 503 at first (D5).
  projectId = projects.pop() ?? 0;
  await eventually(() => list());
});
beforeEach(() => {
  projectId = projects.pop() ?? 0;
});
afterAll(() => here?.close());

const pathOf = (path: string, query = '') => `/projects/${projectId}/packages/generic/${path}${query}`;
const put = (path: string, body: Buffer | string | ReadableStream, query = '') =>
  here.forward('PUT', pathOf(path, query), { project: projectId, body: body as never });
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  here.forward(method, pathOf(path), { project: projectId, headers });
const as = (level = 30) => here.as({ id: 7 }, { id: projectId, level });
const filter: PackageFilter = {
  packageType: '',
  packageName: '',
  packageVersion: undefined,
  includeVersionless: false,
  status: '',
};
const list = async (given: Partial<PackageFilter> = {}, level = 30) =>
  json(
    await packages.listProjectPackages({ projectId, filter: { ...filter, ...given }, page: undefined }, as(level)),
  ) as { id: number; name: string; version: string; status: string; _links: object }[];

const blobs = (): string[] => {
  const root = join(here.folder, 'blobs', 'packages');
  return existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((one) => one.length > 3)
    : [];
};
const contents = (size: number) => here.db.query(sql`select uses from contents where size = ${size}`);
const digest = (algorithm: string, body: Buffer): string => createHash(algorithm).update(body).digest('hex');

it('stores a file and gives it back, whole and in parts, with its digests (G-4.17-10, G-4.17-11)', async () => {
  const body = Buffer.from('0123456789'.repeat(1_000));
  const reply = await put('app/1.0/linux/app.tar', body, '?select=package_file');
  expect(reply.status).toBe(201);
  const record = (await reply.json()) as { package_id: number };
  expect(record).toMatchObject({
    file_name: 'linux/app.tar',
    size: 10_000,
    file_md5: digest('md5', body),
    file_sha1: digest('sha1', body),
    file_sha256: digest('sha256', body),
  });
  const whole = await get('app/1.0/linux/app.tar');
  expect([whole.status, whole.headers.get('x-checksum-sha256')]).toEqual([200, digest('sha256', body)]);
  expect(Buffer.from(await whole.arrayBuffer()).equals(body)).toBe(true);
  const part = await get('app/1.0/linux/app.tar', { Range: 'bytes=5-14' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 5-14/10000',
    '5678901234',
  ]);
  expect((await get('app/1.0/linux/app.tar', { Range: 'bytes=10000-' })).status).toBe(416);
  const head = await get('app/1.0/linux/app.tar', {}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10000', '']);
  await eventually(async () => {
    const [row] = await here.db.query(sql`select last_downloaded_at from packages where id = ${record.package_id}`);
    expect(row?.last_downloaded_at).toBeInstanceOf(Date);
  });
  const files = json(
    await packages.listPackageFiles({ projectId, packageId: record.package_id, page: undefined }, as()),
  );
  expect(files).toEqual([record]);
});

it('keeps one blob of one content, and collects it when the last file is gone', async () => {
  const body = Buffer.alloc(1_234, 'same');
  for (const path of ['one/1.0/a', 'one/1.0/b', 'two/1.0/a']) expect((await put(path, body)).status).toBe(201);
  expect(await contents(1_234)).toEqual([{ uses: 3 }]);
  const before = blobs();
  for (const { id } of await list())
    await packages.deletePackage({ projectId, packageId: id, ifUnmodifiedSince: undefined }, as(40));
  expect(await list()).toEqual([]);
  expect((await get('one/1.0/a')).status).toBe(404);
  await eventually(async () => {
    expect(await contents(1_234)).toEqual([]);
    expect(blobs().length).toBeLessThan(before.length);
  });
});

it('serves the newest of several files with one name, and hides what is published as hidden', async () => {
  await put('twice/1/x', 'old');
  await put('twice/1/x', 'new');
  expect(await (await get('twice/1/x')).text()).toBe('new');
  await put('quiet/1/x', 'psst', '?status=hidden');
  expect((await list()).map(({ name }) => name)).toEqual(['twice']);
  expect((await list({ status: 'hidden' })).map(({ name }) => name)).toEqual(['quiet']);
  expect(await (await get('quiet/1/x')).text()).toBe('psst');
});

it('frees name and version of a deleted package at once (G-3-3)', async () => {
  await put('again/1/x', 'first');
  const [{ id } = { id: 0 }] = await list();
  await packages.deletePackage({ projectId, packageId: id, ifUnmodifiedSince: undefined }, as(40));
  expect((await put('again/1/x', 'second')).status).toBe(201);
  expect(await (await get('again/1/x')).text()).toBe('second');
  await expect(packages.getPackage({ projectId, packageId: id }, as())).rejects.toMatchObject({
    body: { message: 'Package not found' },
  });
});

it('lists by type, name, version and level of the caller', async () => {
  await put('alpha/1.0/x', 'x');
  await put('alphabet/2.0/x', 'x');
  expect((await list({ packageName: 'BET' })).map(({ version }) => version)).toEqual(['2.0']);
  expect((await list({ packageVersion: '1.0' })).map(({ name }) => name)).toEqual(['alpha']);
  expect(await list({ packageType: 'npm' })).toEqual([]);
  const [seen] = await list();
  const [managed] = await list({}, 40);
  expect(seen?._links).not.toHaveProperty('delete_api_path');
  expect(managed?._links).toHaveProperty('delete_api_path');
  const one = json(await packages.getPackage({ projectId, packageId: seen?.id ?? 0 }, as()));
  expect(one).toMatchObject({ name: 'alpha', versions: [] });
  const page = { keyset: false, page: 1, perPage: 20, cursor: '', orderBy: 'project_path', descending: true };
  const ofGroup = json(
    await packages.listGroupPackages(
      { groupId: group, filter: { ...filter, packageName: 'alpha' }, excludeSubgroups: false, page },
      here.as({ id: 7 }, { id: group, kind: Access_Kind.KIND_GROUP, level: 30 }),
    ),
  );
  expect(ofGroup).toHaveLength(2);
  expect(ofGroup[0]).toMatchObject({ project_id: projectId });
});

it.each([
  ['..%2F..%2Fetc/1/x', 'package_name is invalid'],
  ['a/1/..%2Fx', 'path is invalid'],
  ['a/1/x%00', 'file_name is invalid'],
  ['a/1/x%0Ay', 'file_name is invalid'],
  ['a/1..0%2F../x', 'package_version is invalid'],
])('refuses the path %s', async (path, error) => {
  const reply = await put(path, 'x');
  expect([reply.status, await reply.json()]).toEqual([400, { error }]);
});

it('refuses to publish a file again where the nearest group forbids it (G-4.17-10)', async () => {
  const settings = here.client(PackageSettingsServiceService);
  const below = here.directory.namespace({ visibility: 'public', parentId: group }).id;
  const inherits = projectId;
  projectId = here.directory.project(below, { visibility: 'public' }).id;
  await eventually(() => list());
  const set = async (groupId: number, duplicates: DuplicatesChange[]) =>
    json(await settings.updatePackageSettings({ groupId, duplicates }, here.as({ id: 7 })));
  const change = (given: Partial<DuplicatesChange>) => DuplicatesChange.fromPartial({ format: 'generic', ...given });
  const twice = async (path: string) => [(await put(path, 'x')).status, (await put(path, 'y')).status];
  expect(await twice('before/1/x')).toEqual([201, 201]);
  expect(await set(group, [change({ allowed: false, exceptions: '.*-dev' })])).toEqual({
    generic_duplicates_allowed: false,
    generic_duplicate_exception_regex: '.*-dev',
    maven_duplicates_allowed: true,
    maven_duplicate_exception_regex: '',
  });
  expect(await twice('app/1/x')).toEqual([201, 400]);
  const again = await put('app/1/x', 'z');
  expect(await again.json()).toEqual({ message: '400 Bad request - Duplicate package is not allowed' });
  expect(await (await get('app/1/x')).text()).toBe('x');
  expect(await twice('app/1-dev/x')).toEqual([201, 201]);
  expect((await put('app/1/y', 'another file of it')).status).toBe(201);
  // Of several at once one wins.
  const replies = await Promise.all(Array.from({ length: 6 }, (_, at) => put('race/1/x', `${at}`)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  // A group below decides for itself, and inherits what it does not say.
  expect(await set(below, [change({ allowed: true })])).toMatchObject({
    generic_duplicates_allowed: true,
    generic_duplicate_exception_regex: '.*-dev',
  });
  expect(await twice('own/1/x')).toEqual([201, 201]);
  expect(await twice('own/1-dev/x')).toEqual([201, 400]);
  projectId = inherits;
  expect(await twice('app/1/x')).toEqual([201, 400]);
  await set(group, [change({ allowed: true, exceptions: '' })]);
  expect((await put('app/1/x', 'y')).status).toBe(201);
  await expect(set(group, [change({ exceptions: '(' })])).rejects.toMatchObject({ kind: 'invalid' });
});

it('keeps nothing of a file that is too large, or of one that breaks off', async () => {
  const before = new Set(blobs());
  const tooLarge = await put('big/1/x', Buffer.alloc(limit + 1));
  expect([tooLarge.status, await tooLarge.json()]).toEqual([400, { message: '400 Bad request - File is too large' }]);
  const headers = { 'X-Checksum-SHA256': '0'.repeat(64) };
  const lies = await here.forward('PUT', pathOf('big/1/x'), { project: projectId, body: 'x', headers });
  const message = '400 Bad request - File does not match X-Checksum-SHA256';
  expect([lies.status, await lies.json()]).toEqual([400, { message }]);
  // Its length is not known before.
  const stream = (end: (to: ReadableStreamDefaultController) => void) =>
    new ReadableStream({
      start(to) {
        to.enqueue(Buffer.alloc(limit - 1));
        end(to);
      },
    });
  const longer = await put(
    'big/1/x',
    stream((to) => {
      to.enqueue(Buffer.alloc(2));
      to.close();
    }),
  );
  expect(longer.status).toBe(400);
  await expect(
    put(
      'big/1/x',
      stream((to) => to.error(new Error('gone'))),
    ),
  ).rejects.toThrow();
  expect(await list()).toEqual([]);
  await eventually(() => expect(blobs().filter((one) => !before.has(one))).toEqual([]));
});

it('is whole after a death at any point of a publication', async () => {
  await here.stop();
  for (const point of ['content.expected', 'content.stored', 'package.file_written', 'package.file_committed'])
    await dieAt(point, here.startProcess, () => put(`dies/${point}/x`, Buffer.from(point)).catch(() => undefined));
  await here.start();
  const committed = 'package.file_committed';
  expect((await list()).map(({ version }) => version)).toEqual([committed]);
  expect(await (await get(`dies/${committed}/x`)).text()).toBe(committed);
  // What was not acknowledged is recorded as a remainder, and can be published again.
  expect(await here.db.query(sql`select count(*)::int as remains from blob_remains`)).toEqual([{ remains: 3 }]);
  expect((await put('dies/content.stored/x', 'again')).status).toBe(201);
});

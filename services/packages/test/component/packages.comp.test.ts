import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobConfig, openBlobStore } from '@switchyard/blobs';
import { sql } from '@switchyard/database/sql';
import { forbidden, unavailable } from '@switchyard/errors';
import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import { PackageServiceService } from '@switchyard/protos/packages/v1/package';
import { PackageCleanupServiceService } from '@switchyard/protos/packages/v1/package_cleanup';
import {
  CreatePackageProtectionRuleRequest,
  PackageProtectionServiceService,
} from '@switchyard/protos/packages/v1/package_protection';
import { UploadServiceService } from '@switchyard/protos/packages/v1/upload';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, type Handlers, implement, type RpcClient } from '@switchyard/rpc';
import { dieAt, eventually, type TcpGate, tcpGate } from '@switchyard/testkit';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import S3rver from 's3rver';
import { verifyBlobs } from '../../src/contents';
import { service } from '../../src/service';

let here: TestInstallation;
let packages: RpcClient<typeof PackageServiceService>;
let group: number;
let projectId = 0;

/** Pipelines that are there; user 8 may not read them. */
const pipelines = new Set([11, 12, 14]);
let asked: number[][] = [];

/** The part of merge-requests that packages asks. */
const pipelineService = implement(
  PipelineServiceService,
  {
    ...(Object.fromEntries(
      Object.keys(PipelineServiceService).map((name) => [name, () => Promise.reject(new Error('not asked for'))]),
    ) as unknown as Handlers<typeof PipelineServiceService>),
    async batchGetPipelines({ projectId, pipelineIds }, { actor }) {
      if (actor.userId === 8 && projectId > 0) throw forbidden();
      if (actor.userId === 0) return entity([]);
      if (actor.userId === 9) throw unavailable(new Error('away'));
      asked.push(pipelineIds);
      const readable = actor.userId === 8 ? [] : pipelineIds;
      return entity(readable.filter((id) => pipelines.has(id)).map((id) => ({ id, ref: 'main' })));
    },
  },
  { batchGetPipelines: { callers: ['packages'], onBehalfOf: true } },
);

beforeAll(async () => {
  here = await testInstallation({
    service,
    main: join(__dirname, '..', '..', 'dist', 'main.js'),
    peers: () => [pipelineService],
  });
  packages = here.client(PackageServiceService);
  group = here.directory.namespace({ visibility: 'public' }).id;
});
beforeEach(async () => {
  projectId = here.directory.project(group, { visibility: 'public' }).id;
  asked = [];
  await eventually(() => list());
});
afterAll(() => here?.close());

const as = (level = 30, id = 7) => here.as({ id }, { id: projectId, level });
const put = (path: string, body = 'x', query = '') =>
  here.forward('PUT', `/projects/${projectId}/packages/generic/${path}${query}`, { project: projectId, body });
const filter = { packageType: '', packageName: '', packageVersion: undefined, includeVersionless: false, status: '' };
const list = async () =>
  json(await packages.listProjectPackages({ projectId, filter, page: undefined }, as())) as {
    id: number;
    name: string;
    version: string;
  }[];
/** Publishes a file; settles with the id of its package. */
async function publish(path: string, body = 'x'): Promise<number> {
  const reply = await put(path, body, '?select=package_file');
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { package_id: number }).package_id;
}

it('pages the pipelines of a package, newest first, without those that are gone (G-4.17-1)', async () => {
  const packageId = await publish('built/1.0/x');
  for (const pipelineId of [11, 12, 13, 14])
    await here.db.query(sql`insert into package_pipelines values (${packageId}, ${pipelineId})`);
  const read = (cursor: string, userId = 7) => {
    const page = { keyset: true, page: 1, perPage: 3, cursor, orderBy: '', descending: false };
    return packages.listPackagePipelines({ projectId, packageId, page }, as(30, userId));
  };
  const first = await read('');
  expect(json(first)).toEqual([14, 12].map((id) => ({ id, ref: 'main' })));
  expect(json(await read(first.page?.nextCursor ?? ''))).toEqual([{ id: 11, ref: 'main' }]);
  expect(asked).toEqual([[14, 13, 12], [11]]);
  await expect(read('', 8)).rejects.toMatchObject({ kind: 'forbidden' });
});

it('shows the last pipeline beside a package, and that of each file, to who may read them (G-2-34, G-2-35)', async () => {
  const packageId = await publish('shown/1.0/x');
  await publish('shown/1.0/y');
  await publish('other/1.0/x');
  for (const pipelineId of [11, 12]) {
    await here.db.query(sql`insert into package_pipelines values (${packageId}, ${pipelineId})`);
    await here.db.query(sql`update package_files set pipeline_id = ${pipelineId}
      where package_id = ${packageId} and file_name = ${pipelineId === 11 ? 'x' : 'y'}`);
  }
  const read = async (userId: number) => {
    const reader = as(30, userId);
    const listed = json(await packages.listProjectPackages({ projectId, filter, page: undefined }, reader)) as object[];
    const inGroup = here.as({ id: userId }, { id: group, kind: Access_Kind.KIND_GROUP, level: 30 });
    const ofGroup = {
      groupId: group,
      filter: { ...filter, packageName: 'shown' },
      excludeSubgroups: false,
      page: undefined,
    };
    const [grouped] = json(await packages.listGroupPackages(ofGroup, inGroup)) as object[];
    const one = json(await packages.getPackage({ projectId, packageId }, reader)) as object;
    const files = json(await packages.listPackageFiles({ projectId, packageId, page: undefined }, reader)) as object[];
    return { packages: [...listed, grouped, one], files };
  };
  const shown = await read(7);
  const [last, none] = [{ pipeline: { id: 12 }, pipelines: [] }, {}];
  const beside = ({ pipeline, pipelines }: Record<string, unknown>) =>
    JSON.parse(JSON.stringify({ pipeline, pipelines }));
  expect(shown.packages.map((one) => beside(one as never))).toMatchObject([last, none, last, last]);
  expect(shown.files).toMatchObject([{ pipelines: [{ id: 11 }] }, { pipelines: [{ id: 12 }] }]);
  // One question a page, none for a page without any.
  expect(asked).toHaveLength(4);
  for (const userId of [8, 9]) {
    const { packages: seen, files } = await read(userId);
    expect(seen.map((one) => beside(one as never))).toEqual([
      { pipelines: [] },
      {},
      { pipelines: [] },
      { pipelines: [] },
    ]);
    for (const file of files) expect(file).not.toHaveProperty('pipelines');
  }
});

it('shows a job of another project what everybody reads, and no pipelines (G-4.17-12, G-5-13)', async () => {
  const user = here.directory.user();
  projectId = here.directory.project(group).id;
  here.directory.member(user.id, { projectId }, 30);
  const packageId = await publish('built-here/1.0/x');
  await here.db.query(sql`insert into package_pipelines values (${packageId}, 11)`);
  const asJob = (of: number, kind: Access_Kind) => ({
    ...here.as(undefined, { id: kind === Access_Kind.KIND_GROUP ? group : projectId, kind, level: 0 }),
    actor: { ...anonymous, userId: user.id, job: { projectId: of, pipelineId: 11 } },
  });
  const ofGroup = { groupId: group, filter: { ...filter, packageName: 'built-here' }, excludeSubgroups: false };
  const inGroup = async (of: number) =>
    json(
      await packages.listGroupPackages({ ...ofGroup, page: undefined }, asJob(of, Access_Kind.KIND_GROUP)),
    ) as object[];
  const one = async (of: number) =>
    json(await packages.getPackage({ projectId, packageId }, asJob(of, Access_Kind.KIND_PROJECT)));
  expect(await inGroup(projectId)).toMatchObject([{ id: packageId }]);
  expect(await inGroup(projectId + 1)).toEqual([]);
  expect(await one(projectId)).toMatchObject({ pipeline: { id: 11 } });
  expect(await one(projectId + 1)).not.toHaveProperty('pipeline');
});

const createRule = (given: Partial<CreatePackageProtectionRuleRequest>) =>
  here.client(PackageProtectionServiceService).createPackageProtectionRule(
    CreatePackageProtectionRuleRequest.fromPartial({
      projectId,
      packageNamePattern: 'safe*',
      packageType: 'generic',
      ...given,
    }),
    as(40),
  );

it('protects packages by name against publication and deletion, and nothing is kept (G-4.17-2)', async () => {
  const packageId = await publish('safe-app/1.0/x');
  const other = await publish('other/1.0/x');
  const rule = json(await createRule({ pushRole: 'maintainer', deleteRole: 'owner' })) as { id: number };
  expect(rule).toMatchObject({ project_id: projectId, minimum_access_level_for_delete: 'owner' });
  const refused = await put('safe-app/2.0/x');
  expect([refused.status, await refused.json()]).toEqual([403, { message: '403 Forbidden - Package protected.' }]);
  expect(await list()).toHaveLength(2);
  const fileId = Number(
    (await here.db.one<{ id: number }>(sql`select id from package_files where package_id = ${packageId}`))?.id,
  );
  const since = { ifUnmodifiedSince: undefined };
  const removeFile = (level: number) =>
    packages.deletePackageFile({ projectId, packageId, packageFileId: fileId, ...since }, as(level));
  const remove = (id: number, level: number) =>
    packages.deletePackage({ projectId, packageId: id, ...since }, as(level));
  const protectedBody = { body: { message: '403 Forbidden - Package is deletion protected.' } };
  await expect(remove(packageId, 40)).rejects.toMatchObject(protectedBody);
  await expect(removeFile(40)).rejects.toMatchObject(protectedBody);
  expect(await here.db.query(sql`select 1 from package_files where id = ${fileId}`)).toHaveLength(1);
  await remove(other, 40);
  await removeFile(50);
  const rules = here.client(PackageProtectionServiceService);
  const change = { packageNamePattern: undefined, packageType: undefined, pushRole: '', deleteRole: undefined };
  await rules.updatePackageProtectionRule({ projectId, ruleId: rule.id, ...change }, as(40));
  expect((await put('safe-app/2.0/x')).status).toBe(201);
  await expect(
    rules.updatePackageProtectionRule({ projectId, ruleId: rule.id, ...change, deleteRole: '' }, as(40)),
  ).rejects.toMatchObject({ kind: 'unprocessable' });
  await expect(createRule({ deleteRole: 'owner' })).rejects.toMatchObject({
    body: { message: ['Package name pattern has already been taken'] },
  });
  await rules.deletePackageProtectionRule({ projectId, ruleId: rule.id, ...since }, as(40));
  await remove(packageId, 40);
});

/** Sizes of packages and uploads that were published of the project, the oldest first. */
const sizes = async (): Promise<[number, number][]> =>
  (
    await here.db.query<{ size: string; uploads: string }>(sql`
      select body ->> 'size' as size, body ->> 'uploadsSize' as uploads from events.outbox
      where event_id like ${`packages.measured:${projectId}:%`} order by id`)
  ).map(({ size, uploads }) => [Number(size), Number(uploads)]);

async function upload(content: string): Promise<number> {
  const body = new FormData();
  body.set('file', new Blob([content]), 'load.png');
  const reply = await here.forward('POST', `/projects/${projectId}/uploads`, {
    project: projectId,
    body: body as never,
  });
  return ((await reply.json()) as { id: number }).id;
}

it('publishes the sizes of a project after changes, and purges a deleted one with its contents', async () => {
  const packageId = await publish('sized/1.0/x', 'a'.repeat(777));
  await publish('sized/1.0/y', 'a'.repeat(777));
  await publish('other/1.0/x', 'b'.repeat(23));
  const uploadId = await upload('c'.repeat(40));
  await upload('b'.repeat(23));
  // Changes gather for 5 s, and the search for them comes every 5 s.
  const measured = (packages: number, uploads: number) =>
    eventually(async () => expect((await sizes()).at(-1)).toEqual([packages, uploads]), { within: 30_000 });
  await measured(1_577, 63);
  await packages.deletePackage({ projectId, packageId, ifUnmodifiedSince: undefined }, as(40));
  await here.client(UploadServiceService).deleteUpload({ projectId, uploadId }, as(40));
  await measured(23, 23);
  await createRule({ pushRole: 'owner' });

  here.directory.removeProject(projectId);
  const deleted = sql`select 1 from directory.projects where id = ${projectId} and deleted_at is not null`;
  await eventually(async () => expect(await here.db.query(deleted)).toHaveLength(1));
  // It purges when it starts.
  await here.stop();
  await here.start();
  await eventually(async () => expect(await rowsOf(projectId)).toEqual([0, 0, 0, 0, 0]));
});

const rowsOf = async (id: number): Promise<number[]> =>
  Object.values(
    (await here.db.one<Record<string, number>>(sql`
      select (select count(*)::int from packages where project_id = ${id}) as packages,
        (select count(*)::int from package_protection_rules where project_id = ${id}) as rules,
        (select count(*)::int from package_measurements where project_id = ${id}) as measurements,
        (select count(*)::int from uploads where project_id = ${id}) as uploads,
        (select count(*)::int from contents where size = 23) as contents`)) ?? {},
  );

const cleanup = (given: Partial<{ keepFiles: number; keepVersions: number; olderThanDays: number }>) =>
  here
    .client(PackageCleanupServiceService)
    .updatePackageCleanupPolicy(
      { projectId, keepFiles: undefined, keepVersions: undefined, olderThanDays: undefined, ...given },
      as(40),
    );

it('keeps the newest files and versions that are young or few enough, and what is protected', async () => {
  const old = await publish('lib/1.0/x', 'one');
  for (const body of ['two', 'three']) await publish('lib/1.0/x', body);
  for (const version of ['2.0', '3.0']) await publish(`lib/${version}/x`);
  for (const version of ['1.0', '2.0', '3.0']) await publish(`safe-lib/${version}/x`);
  for (const body of ['two', 'three']) await publish('safe-lib/1.0/x', body);
  const young = await publish('other/1.0/x');
  await publish('other/2.0/x');
  await createRule({ deleteRole: 'owner' });
  const long = sql`update packages set created_at = now() - interval '9 days' where project_id = ${projectId} and id <> ${young}`;
  await here.db.query(long);
  const left = async () => (await list()).map(({ name, version }) => `${name} ${version}`).sort();
  const before = await left();

  expect(json(await cleanup({ keepFiles: 2 }))).toMatchObject({ keep_n_duplicated_package_files: 2 });
  await eventually(async () =>
    expect(await here.db.query(sql`select 1 from package_files where package_id = ${old}`)).toHaveLength(2),
  );
  expect(await left()).toEqual(before);
  const files = sql`select count(*)::int as files from package_files f join packages k on k.id = f.package_id
    where k.project_id = ${projectId} and k.name = 'safe-lib' and k.version = '1.0'`;
  expect(await here.db.query(files)).toEqual([{ files: 3 }]);
  await cleanup({ keepVersions: 1, olderThanDays: 8 });
  await eventually(async () => expect(await left()).toEqual(before.filter((one) => !/^lib [12]/.test(one))));
  expect(json(await cleanup({ keepFiles: 0, keepVersions: 0, olderThanDays: 0 }))).toEqual({
    keep_n_duplicated_package_files: null,
    keep_n_versions: null,
    older_than_days: null,
    next_run_at: null,
  });
});

it('counts no package without a version, and keeps it as long as a version is there', async () => {
  const maven = (path: string) =>
    here.forward('PUT', `/projects/${projectId}/packages/maven/com/acme/lib/${path}`, {
      project: projectId,
      body: 'x',
    });
  await maven('1.0/lib-1.0.jar');
  await maven('maven-metadata.xml');
  for (const version of ['1.1', '2.0']) await maven(`${version}/lib-${version}.jar`);
  const left = async () =>
    (
      await here.db.query<{ version: string | null }>(sql`
      select version from packages where project_id = ${projectId} and status = 'default' order by id`)
    ).map(({ version }) => version);
  expect(await left()).toEqual(['1.0', null, '1.1', '2.0']);
  await cleanup({ keepVersions: 2 });
  await eventually(async () => expect(await left()).toEqual([null, '1.1', '2.0']));
  await here.db.query(
    sql`update packages set created_at = now() - interval '9 days' where project_id = ${projectId} and version <> '2.0' is not false`,
  );
  await cleanup({ keepVersions: 1, olderThanDays: 8 });
  await eventually(async () => expect(await left()).toEqual([null, '2.0']));
});

it('goes on with a cleanup after a death within it', async () => {
  for (const version of ['1.0', '2.0']) await publish(`lib/${version}/x`);
  const due = { keepFiles: undefined, keepVersions: 1, olderThanDays: undefined };
  await here.stop();
  await dieAt('package.cleaned', here.startProcess, () =>
    here
      .client(PackageCleanupServiceService)
      .updatePackageCleanupPolicy({ projectId, ...due }, as(40))
      .catch(() => undefined),
  );
  expect(
    (await here.db.query(sql`select 1 from packages where status = 'default' and project_id = ${projectId}`)).length,
  ).toBe(2);
  await here.start();
  await eventually(async () => expect((await list()).map(({ version }) => version)).toEqual(['2.0']));
});

const get = (path: string) =>
  here.forward('GET', `/projects/${projectId}/packages/generic/${path}`, { project: projectId });

it('verifies every content, and names what is missing or was changed (verify-blobs)', async () => {
  const bodies = ['sound', 'changed', 'missing'].map((one) => `${one} ${projectId}`);
  for (const [at, body] of bodies.entries()) await publish(`verified/${at}/x`, body);
  const blobOf = async (body: string) => {
    const digest = createHash('sha256').update(body).digest('hex');
    const [row] = await here.db.query<{ blob: string }>(
      sql`select blob from contents where sha256 = decode(${digest}, 'hex')`,
    );
    return row?.blob ?? '';
  };
  const [, changed = '', missing = ''] = await Promise.all(bodies.map(blobOf));
  const blobs = await openBlobStore({ SWITCHYARD_DATA: here.folder } as BlobConfig);
  await blobs.remove(missing);
  await blobs.remove(changed);
  await blobs.write(changed, Readable.from([Buffer.from(bodies[1]?.replace('changed', 'CHANGED') ?? '')]));
  const lines: string[] = [];
  const given = { db: here.db, bus: () => here.bus, write: (line: string) => void lines.push(line) };
  expect(await verifyBlobs.run(given, [], { SWITCHYARD_DATA: here.folder })).toBe(1);
  expect(lines.filter((line) => line.startsWith('differs'))).toEqual([
    expect.stringMatching(`${changed}.*another sha256 and sha1 and md5$`),
    expect.stringMatching(`${missing}.*its blob is missing$`),
  ]);
  expect(lines.at(-1)).toMatch(/^\d+ contents verified, \d+ bytes, 2 differ$/);
  // To publish a content again heals one that was lost, wherever it is used.
  await blobs.remove(changed);
  for (const [at, body] of bodies.entries()) {
    await publish(`again/${at}/x`, body);
    expect(await (await get(`verified/${at}/x`)).text()).toBe(body);
  }
  lines.length = 0;
  expect(await verifyBlobs.run(given, [], { SWITCHYARD_DATA: here.folder })).toBe(0);
});

describe('with files on S3', () => {
  let server: S3rver;
  let gate: TcpGate;

  beforeAll(async () => {
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: join(here.folder, 's3') };
    server = new S3rver({ ...options, configureBuckets: [{ name: 'files', configs: [] }] });
    gate = await tcpGate({ host: '127.0.0.1', port: ((await server.run()) as AddressInfo).port });
  });
  afterAll(async () => {
    await gate?.close();
    await server?.close();
  });

  const startWith = async (environment: Record<string, string>) => {
    await here.stop();
    const keys = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' };
    await here.start({ S3_BUCKET: 'files', S3_ENDPOINT: `http://127.0.0.1:${gate.port}`, ...keys, ...environment });
    await eventually(() => list());
  };
  it('refuses while the bucket is away, keeps what it acknowledged, and leaves nothing', async () => {
    await startWith({});
    await publish('app/1.0/x', 'acknowledged');
    await gate.shut();
    for (const reply of await Promise.all([put('app/1.0/lost', 'lost'), get('app/1.0/x')]))
      expect([reply.status, reply.headers.has('retry-after')]).toEqual([503, true]);
    await gate.open();
    expect(await (await get('app/1.0/x')).text()).toBe('acknowledged');
    expect((await get('app/1.0/lost')).status).toBe(404);
    await publish('app/1.0/lost', 'found');
    expect(await here.db.query(sql`select 1 from blob_remains where due_at > now() + interval '50 minutes'`)).toEqual(
      [],
    );
  });

  it('starts while the bucket is away, and not where there is none', async () => {
    await gate.shut();
    await startWith({});
    expect((await put('app/1.0/early', 'early')).status).toBe(503);
    await gate.open();
    await publish('app/1.0/early', 'later');
    await expect(startWith({ S3_BUCKET: 'flies' })).rejects.toThrow(/^S3_BUCKET: \S+ has no bucket flies$/);
    await startWith({});
  });

  it('redirects downloads to the bucket where that is wanted', async () => {
    await startWith({ S3_SIGNED_DOWNLOADS: 'true' });
    await publish('app/1.0/x.tar', 'from the bucket');
    const reply = await get('app/1.0/x.tar');
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const file = await fetch(reply.headers.get('location') ?? '', { headers: { Range: 'bytes=0-3' } });
    expect([file.status, file.headers.get('content-disposition'), await file.text()]).toEqual([
      206,
      'attachment; filename="x.tar"',
      'from',
    ]);
  });
});

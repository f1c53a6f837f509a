import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  CreatePackageProtectionRuleRequest,
  PackageProtectionServiceService,
} from '@switchyard/protos/packages/v1/package_protection';
import { eventually } from '@switchyard/testkit';
import { type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { pack } from 'tar-stream';
import { mostTags } from '../../src/npm/domain/packument';
import { npmStore } from '../../src/npm/storage/npm.store';
import { service } from '../../src/service';

let here: TestInstallation;
let groupId = 0;
let groupPath = '';
let projectId = 0;
let projects: number[];

const limit = 200_000;

beforeAll(async () => {
  here = await testInstallation({ service, main: join(__dirname, '..', '..', 'dist', 'main.js') });
  await here.stop();
  await here.start({ SWITCHYARD_NPM_PACKAGE_LIMIT: String(limit) });
  const { id, fullPath } = here.directory.namespace({ visibility: 'public' });
  groupId = id;
  groupPath = fullPath;
  projects = Array.from({ length: 20 }, () => here.directory.project(id, { visibility: 'public' }).id);
  projectId = projects[0] ?? 0;
  await eventually(async () => expect((await metadata('none')).status).toBe(404));
});
beforeEach(() => {
  projectId = projects.pop() ?? 0;
});
afterAll(() => here?.close());

const pathOf = (...parts: string[]) => `/projects/${projectId}/npm/${parts.map(encodeURIComponent).join('/')}`;
const metadata = (name: string, headers: Record<string, string> = {}) =>
  here.forward('GET', pathOf('metadata', name), { project: projectId, headers });
const put = (path: string, body: unknown) =>
  here.forward('PUT', path, { project: projectId, body: JSON.stringify(body) });
const publish = (document: { name: string }) => put(pathOf('metadata', document.name), document);
const reply = async (response: Response) => [response.status, await response.json()];
const error = (text: string) => ({ message: text, error: text });

interface Header {
  readonly name: string;
  readonly type?: 'symlink';
  readonly linkname?: string;
}

type File = readonly [header: Header, content?: Buffer | string];

async function tarOf(files: readonly File[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of files) archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const packageJson = (name: string, version: string): File => [
  { name: 'package/package.json' },
  JSON.stringify({ name, version }),
];

/** The document that npm sends; `tarball` instead of one that agrees with it. */
async function documentOf(
  name: string,
  version: string,
  { tarball, more = {} }: { tarball?: Buffer; more?: object } = {},
) {
  const content = tarball ?? gzipSync(await tarOf([packageJson(name, version)]));
  const shasum = createHash('sha1').update(content).digest('hex');
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, description: 'd', ...more, dist: { shasum } } },
    _attachments: { [`${name}-${version}.tgz`]: { data: content.toString('base64'), length: content.length } },
  };
}

const packages = () =>
  here.db.query(sql`select name, version, status from packages where project_id = ${projectId} order by id`);

it('publishes a version once, and serves metadata and tarball (G-4.17-13 … -15)', async () => {
  const document = await documentOf('@acme/app', '1.0.0');
  expect(await reply(await publish(document))).toEqual([200, {}]);
  expect(await reply(await publish(document))).toEqual([403, error('Package already exists.')]);
  const found = await metadata('@acme/app');
  const { versions, ...rest } = (await found.json()) as { versions: Record<string, { dist: { tarball: string } }> };
  expect(rest).toMatchObject({ name: '@acme/app', 'dist-tags': { latest: '1.0.0' } });
  expect(versions['1.0.0']).toMatchObject({ name: '@acme/app', description: 'd' });
  expect(versions['1.0.0']?.dist.tarball).toBe(
    `https://forge.example/api/v4/projects/${projectId}/packages/npm/@acme/app/-/@acme/app-1.0.0.tgz`,
  );
  const tarball = await here.forward('GET', pathOf('tarballs', '@acme/app', '@acme/app-1.0.0.tgz'), {
    project: projectId,
    headers: { Range: 'bytes=0-1' },
  });
  expect([tarball.status, Buffer.from(await tarball.arrayBuffer())]).toEqual([206, Buffer.from([0x1f, 0x8b])]);
  const again = await metadata('@acme/app', { 'If-None-Match': found.headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
  const short = await metadata('@acme/app', { Accept: 'application/vnd.npm.install-v1+json' });
  expect(await short.json()).toMatchObject({
    modified: expect.any(String),
    versions: { '1.0.0': { name: '@acme/app' } },
  });
});

it('has versions that differ in build metadata alone once, by the version that clients ask for', async () => {
  // As Yarn sends it; npm leaves the build metadata of the package.json out.
  expect((await publish(await documentOf('built', '1.0.0+a'))).status).toBe(200);
  const again = await publish(await documentOf('built', '1.0.0+b'));
  expect(await reply(again)).toEqual([403, error('Package already exists.')]);
  expect((await put(pathOf('tags', 'built', 'next'), '1.0.0+c')).status).toBe(204);
  expect(await (await metadata('built')).json()).toMatchObject({
    'dist-tags': { latest: '1.0.0', next: '1.0.0' },
    versions: { '1.0.0': { _id: 'built@1.0.0', version: '1.0.0' } },
  });
  expect(await packages()).toMatchObject([{ version: '1.0.0' }]);
});

it('lets one of two publications of a version win', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 4 }, async () => (await publish(await documentOf('race', '1.0.0'))).status),
  );
  expect(statuses.sort()).toEqual([200, 403, 403, 403]);
});

it('keeps nothing of what does not agree, is no tarball, or is too large', async () => {
  const link: File = [{ name: 'package/x', type: 'symlink', linkname: '/etc/passwd' }];
  const bad = async (files: readonly File[]) => documentOf('bad', '1.0.0', { tarball: gzipSync(await tarOf(files)) });
  const cases: [object, number, string][] = [
    [await bad([packageJson('bad', '2.0.0')]), 400, 'package.json of the tarball has another name or version'],
    [
      await bad([packageJson('bad', '1.0.0'), packageJson('other', '1.0.0')]),
      400,
      'the tarball has more than one package.json',
    ],
    [await bad([packageJson('bad', '1.0.0'), link]), 400, 'the tarball has a link or a device'],
    [
      await bad([packageJson('bad', '1.0.0'), [{ name: '../x' }, 'x']]),
      400,
      'the tarball has a file outside of its folder',
    ],
    [await bad([[{ name: 'package/x' }, '']]), 400, 'the tarball has no readable package.json'],
    [await bad([[{ name: 'package/package.json' }, '{']]), 400, 'the tarball has no readable package.json'],
    [
      await documentOf('bad', '1.0.0', { tarball: Buffer.from('no gzip') }),
      400,
      'the tarball is not a gzipped tar archive',
    ],
    [
      await documentOf('bad', '1.0.0', {
        tarball: gzipSync(await tarOf([packageJson('bad', '1.0.0')])).subarray(0, -20),
      }),
      400,
      'the tarball is not a gzipped tar archive',
    ],
    [await documentOf('bad', '1.0.0', { tarball: randomBytes(limit + 1) }), 413, ''],
    [
      await bad([packageJson('bad', '1.0.0'), [{ name: 'package/x' }, randomBytes(limit)]]),
      413,
      'Package is too large',
    ],
  ];
  for (const [document, status, text] of cases) {
    const [found, body] = await reply(await publish({ name: 'bad', ...document }));
    // What is no gzip is found before it is too large, or after.
    if (text === '') expect([400, 413]).toContain(found);
    else expect([found, body]).toEqual([status, error(text)]);
  }
  expect((await put(pathOf('metadata', '../x'), await documentOf('../x', '1.0.0'))).status).toBe(400);
  expect(await packages()).toEqual([]);
});

it('finds in the instance what is named after its top-level group, and nothing else (G-4.17-14)', async () => {
  const scoped = `@${groupPath}/app`;
  for (const name of [scoped, 'app', '@other/app']) await publish(await documentOf(name, '1.0.0'));
  const statuses = await Promise.all(
    [scoped, 'app', '@other/app'].map(async (name) => {
      const found = await here.forward('GET', `/npm/metadata/${encodeURIComponent(name)}`, {});
      return found.status;
    }),
  );
  expect(statuses).toEqual([200, 404, 404]);
  const search = await here.forward('GET', '/npm/search?text=app&size=20', {});
  expect(await search.json()).toMatchObject({ objects: [{ package: { name: scoped } }], total: 1 });
  // What is open to some addresses alone is found where the gateway compares them (G-4.15-6).
  here.directory.changeNamespace(groupId, { addressRestricted: true });
  const instance = (path: string) => here.forward('GET', path, {});
  await eventually(async () =>
    expect((await instance(`/npm/metadata/${encodeURIComponent(scoped)}`)).status).toBe(404),
  );
  expect(await (await instance('/npm/search?text=app&size=20')).json()).toMatchObject({ objects: [], total: 0 });
  here.directory.changeNamespace(groupId, { addressRestricted: false });
});

it('refuses a version of a package that has too much metadata together', async () => {
  await publish(await documentOf('full', '1.0.0'));
  // Manifests that are too long together are served of the newest versions.
  await here.db.query(sql`
    update packages set metadata_length = null,
      metadata = jsonb_set(metadata, '{short,more}', to_jsonb(repeat('x', ${33 << 20}::int)))
    where project_id = ${projectId} and name = 'full'`);
  await here.db.query(sql`
    insert into packages (project_id, format, name, version, status, metadata)
    select project_id, format, name, '1.0.1', status, metadata from packages
    where project_id = ${projectId} and name = 'full'`);
  const short = await metadata('full', { Accept: 'application/vnd.npm.install-v1+json' });
  expect(Object.keys(((await short.json()) as { versions: object }).versions)).toEqual(['1.0.1']);
  const refused = error('the versions of the package have too much metadata');
  expect(await reply(await publish(await documentOf('full', '1.1.0')))).toEqual([400, refused]);
  expect(await packages()).toHaveLength(2);
});

it('counts what is kept of each version once, and again after a change', async () => {
  const lengths = () =>
    here.db.query(sql`
      select version, metadata_length as counted, octet_length(metadata::text) as length from packages
      where project_id = ${projectId} order by id`);
  const counted = [{ version: '1.0.0' }, { version: '1.1.0' }, { version: '1.2.0' }];
  for (const { version } of counted.slice(0, 2)) await publish(await documentOf('counted', version));
  const before = await lengths();
  const versions = { '1.0.0': { deprecated: 'old' } };
  expect((await publish({ name: 'counted', versions } as never)).status).toBe(200);
  expect((await publish(await documentOf('counted', '1.2.0'))).status).toBe(200);
  const after = await lengths();
  for (const rows of [before, after]) expect(rows).toEqual(rows.map((row) => ({ ...row, counted: row.length })));
  expect(after).toMatchObject(counted);
  expect(after[0]?.length).toBeGreaterThan(Number(before[0]?.length));
});

it('reads no manifests of other versions for a publication', async () => {
  const store = npmStore(here.db);
  /** Pages that are read for the length of what is kept of a name. */
  async function pagesOf(name: string, versions: number): Promise<number> {
    await here.db.query(sql`
      insert into packages (project_id, format, name, version, metadata)
      select ${projectId}, 'npm', ${name}, '1.0.' || i, jsonb_build_object('manifest', (
        select jsonb_agg(md5(i || ' ' || part)) from generate_series(1, 100) part))
      from generate_series(1, ${versions}::int) i`);
    await here.db.transaction((tx) => store.metadataLength(tx, projectId, name));
    await here.db.query(sql`vacuum analyze packages`);
    let pages = 0;
    await here.db.transaction(async (tx) => {
      const query = async <T>(statement: Sql): Promise<T[]> => {
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          sql`explain (analyze, buffers, format json) ${statement}`,
        );
        const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
        pages += Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
        return [];
      };
      await store.metadataLength(
        { ...tx, query, one: async (statement) => (await query(statement))[0] as never },
        projectId,
        name,
      );
    });
    return pages;
  }
  const [few, many] = [await pagesOf('few', 2), await pagesOf('numerous', 2_000)];
  expect(few).toBeGreaterThan(0);
  // 2,000 lengths are on some ten pages of an index, or sixty of the table; manifests have 2,000 and more.
  expect(many - few).toBeLessThan(200);
});

it('refuses a manifest that is too long', async () => {
  const document = await documentOf('long', '1.0.0');
  const versions = document.versions as Record<string, object>;
  versions['1.0.0'] = { ...versions['1.0.0'], keywords: ['x'.repeat(1 << 20)] };
  expect(await reply(await publish(document))).toEqual([400, error('the manifest is too long')]);
});

it.each([{}, { _attachments: [] }, { versions: {}, _attachments: { a: { data: 1 } } }])(
  'refuses a document that neither publishes nor deprecates: %j',
  async (document) => {
    await publish(await documentOf('said', '1.0.0'));
    expect(await reply(await put(pathOf('metadata', 'said'), { name: 'said', ...document }))).toEqual([
      400,
      error('the body has neither a tarball nor deprecations'),
    ]);
  },
);

it('keeps the versions where a document has none, as that of `npm owner`', async () => {
  await publish(await documentOf('owned', '1.0.0'));
  const { _rev: revision } = (await (await metadata('owned')).json()) as { _rev: string };
  for (const document of [
    {},
    { maintainers: [{ name: 'bob' }] },
    { versions: {}, 'dist-tags': {} },
    { versions: { '1.0.0': {} } },
  ]) {
    const replaced = await put(pathOf('revisions', 'owned', revision), document);
    expect(await reply(replaced)).toEqual([400, error('the body has no versions or no dist-tags')]);
  }
  expect((await metadata('owned')).status).toBe(200);
});

it('deprecates, names and unpublishes versions, and refuses to undo what came in between', async () => {
  for (const version of ['1.0.0', '1.1.0']) await publish(await documentOf('life', version));
  const whole = async () =>
    (await (await metadata('life')).json()) as Record<string, Record<string, object>> & { _rev: string };
  const first = await whole();
  const deprecated = { ...first.versions, '1.0.0': { ...first.versions?.['1.0.0'], deprecated: 'old' } };
  expect((await publish({ name: 'life', versions: deprecated } as never)).status).toBe(200);
  expect(await packages()).toMatchObject([{ status: 'deprecated' }, { status: 'default' }]);
  expect((await whole()).versions?.['1.0.0']).toMatchObject({ deprecated: 'old' });
  expect((await put(pathOf('tags', 'life', 'beta'), '1.0.0')).status).toBe(204);
  expect((await put(pathOf('tags', 'life', 'beta'), '9.0.0')).status).toBe(404);
  expect(await whole()).toMatchObject({ 'dist-tags': { beta: '1.0.0', latest: '1.1.0' } });
  const onlyOld = { versions: { '1.0.0': {} }, 'dist-tags': { latest: '1.0.0' } };
  expect((await put(pathOf('revisions', 'life', first._rev), onlyOld)).status).toBe(409);
  expect((await put(pathOf('revisions', 'life', (await whole())._rev), onlyOld)).status).toBe(200);
  expect(await whole()).toMatchObject({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': {} } });
  const remove = async () =>
    here.forward('DELETE', pathOf('revisions', 'life', (await whole())._rev), { project: projectId });
  expect((await remove()).status).toBe(200);
  expect((await metadata('life')).status).toBe(404);
  expect((await publish(await documentOf('life', '1.0.0'))).status).toBe(200);
});

it('gives the versions of a package a bounded number of names, and moves those that they have (G-4.17-15)', async () => {
  const named = (tags: object) => put(pathOf('metadata', 'tagged'), { ...document, 'dist-tags': tags });
  const document = await documentOf('tagged', '1.0.0');
  const tags = Object.fromEntries(Array.from({ length: mostTags }, (_, at) => [`t${at}`, '1.0.0']));
  const refused = error(`the package has too many dist-tags (maximum is ${mostTags})`);
  expect(await reply(await named({ ...tags, latest: '1.0.0' }))).toEqual([400, refused]);
  expect(await packages()).toEqual([]);
  expect((await named(tags)).status).toBe(200);
  expect(await reply(await put(pathOf('tags', 'tagged', 'latest'), '1.0.0'))).toEqual([400, refused]);
  expect(await reply(await publish(await documentOf('tagged', '1.1.0')))).toEqual([400, refused]);
  const next = { ...(await documentOf('tagged', '1.1.0')), 'dist-tags': { t0: '1.1.0' } };
  expect((await publish(next)).status).toBe(200);
  const { _rev: revision } = (await (await metadata('tagged')).json()) as { _rev: string };
  const versions = { '1.0.0': {}, '1.1.0': {} };
  const replaced = (given: object) =>
    put(pathOf('revisions', 'tagged', revision), { versions, 'dist-tags': { ...tags, t0: '1.1.0', ...given } });
  expect(await reply(await replaced({ latest: '1.0.0' }))).toEqual([400, refused]);
  expect((await here.forward('DELETE', pathOf('tags', 'tagged', 't1'), { project: projectId })).status).toBe(204);
  expect((await put(pathOf('tags', 'tagged', 'latest'), '1.0.0')).status).toBe(204);
});

it('changes nothing of a package that a rule protects from the caller', async () => {
  for (const version of ['1.0.0', '1.1.0']) await publish(await documentOf('prot', version));
  const { _rev: revision } = (await (await metadata('prot')).json()) as { _rev: string };
  const rule = { projectId, packageNamePattern: 'prot', packageType: 'npm', pushRole: 'owner', deleteRole: 'owner' };
  await here
    .client(PackageProtectionServiceService)
    .createPackageProtectionRule(
      CreatePackageProtectionRuleRequest.fromPartial(rule),
      here.as({ id: 7 }, { id: projectId, level: 40 }),
    );
  const deprecated = { name: 'prot', versions: { '1.0.0': { deprecated: 'old' } } };
  const onlyOld = { versions: { '1.0.0': {} }, 'dist-tags': { latest: '1.0.0' } };
  const moved = { versions: { '1.0.0': {}, '1.1.0': {} }, 'dist-tags': { latest: '1.0.0' } };
  const tag = pathOf('tags', 'prot', 'latest');
  // Refused before the body has come, which never does.
  const body = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{')) }) as NonNullable<
    RequestInit['body']
  >;
  const replies = [
    await here.forward('PUT', pathOf('metadata', 'prot'), { project: projectId, body }),
    await publish(deprecated),
    await put(tag, '1.0.0'),
    await here.forward('DELETE', tag, { project: projectId }),
    await put(pathOf('revisions', 'prot', revision), onlyOld),
    await put(pathOf('revisions', 'prot', revision), moved),
    await here.forward('DELETE', pathOf('revisions', 'prot', revision), { project: projectId }),
  ];
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 403));
  // npm prints `error` alone.
  const protectedSaid = '403 Forbidden - Package protected.';
  expect(await replies[1]?.json()).toEqual({ message: protectedSaid, error: protectedSaid });
  const { _rev: after, 'dist-tags': tags } = (await (await metadata('prot')).json()) as Record<string, unknown>;
  expect([after, tags]).toEqual([revision, { latest: '1.1.0' }]);
  expect(await packages()).toMatchObject([{ status: 'default' }, { status: 'default' }]);
});

it('lets who may delete but not publish take versions away, and nothing else with them', async () => {
  for (const version of ['1.0.0', '1.1.0', '2.0.0']) await publish(await documentOf('part', version));
  await put(pathOf('tags', 'part', 'old'), '1.1.0');
  const rule = {
    projectId,
    packageNamePattern: 'part',
    packageType: 'npm',
    pushRole: 'owner',
    deleteRole: 'maintainer',
  };
  await here
    .client(PackageProtectionServiceService)
    .createPackageProtectionRule(
      CreatePackageProtectionRuleRequest.fromPartial(rule),
      here.as({ id: 7 }, { id: projectId, level: 40 }),
    );
  const current = async () => (await (await metadata('part')).json()) as Record<string, unknown>;
  const replace = async (document: object) =>
    here.forward('PUT', pathOf('revisions', 'part', String((await current())._rev)), {
      ...{ project: projectId, body: JSON.stringify(document), actor: { is: { userId: 7 }, level: 40 } },
    });
  const before = await current();
  const tags = { latest: '2.0.0', old: '1.1.0' };
  for (const more of [
    { 'dist-tags': { ...tags, latest: '1.1.0' } },
    { 'dist-tags': { ...tags, next: '2.0.0' } },
    { 'dist-tags': { latest: '2.0.0' } },
    { 'dist-tags': tags, versions: { '1.1.0': {}, '2.0.0': { deprecated: 'no' } } },
  ])
    expect((await replace({ versions: { '1.1.0': {}, '2.0.0': {} }, ...more })).status).toBe(403);
  expect(await current()).toEqual(before);
  // As `npm unpublish` does: an old version alone, then the latest one.
  expect((await replace({ versions: { '1.1.0': {}, '2.0.0': {} }, 'dist-tags': tags })).status).toBe(200);
  const fallen = { latest: '1.1.0', old: '1.1.0' };
  expect((await replace({ versions: { '1.1.0': {} }, 'dist-tags': fallen })).status).toBe(200);
  expect((await current())['dist-tags']).toEqual(fallen);
});

it('serves 2,000 versions compressed, without those that are hidden', async () => {
  await here.db.query(sql`
    insert into packages (project_id, format, name, version, status, metadata)
    select ${projectId}, 'npm', 'many', '1.0.' || i, case when i = 0 then 'hidden' else 'default' end, jsonb_build_object(
      'manifest', jsonb_build_object('name', 'many', 'version', '1.0.' || i, 'description', repeat(md5(i::text), 60)),
      'short', jsonb_build_object('name', 'many', 'version', '1.0.' || i, 'dependencies', jsonb_build_object('a', md5(i::text))),
      'dist', jsonb_build_object('shasum', md5(i::text)))
    from generate_series(0, 2000) i`);
  const headers = { 'Accept-Encoding': 'gzip' };
  await metadata('many', headers).then((one) => one.arrayBuffer());
  const before = process.cpuUsage();
  const found = await metadata('many', headers);
  const body = (await found.json()) as { versions: object; 'dist-tags': object };
  // Milliseconds of this process, service and client; the benchmark `packages` has how long it takes.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  expect([found.headers.get('content-encoding'), Object.keys(body.versions).length]).toEqual(['gzip', 2_000]);
  expect(body['dist-tags']).toEqual({ latest: '1.0.2000' });
});

it('sends callers to another registry for names that are not here, where the installation forwards (G-4.17-14)', async () => {
  await publish(await documentOf('@acme/own', '1.0.0'));
  const read = async (path: string, given: { project?: number }) => {
    const found = await here.forward('GET', `${path}/npm/metadata/${encodeURIComponent('@acme/other')}`, given);
    return [found.status, found.headers.get('location')];
  };
  const project = `/projects/${projectId}`;
  expect(await read(project, { project: projectId })).toEqual([404, null]);
  await here.stop();
  await here.start({ SWITCHYARD_NPM_FORWARD_URL: 'https://npm.example.org/registry/' });
  await eventually(async () => expect((await metadata('@acme/own')).status).toBe(200));
  const elsewhere = [302, 'https://npm.example.org/registry/@acme%2fother'];
  expect(await read(project, { project: projectId })).toEqual(elsewhere);
  expect(await read('', {})).toEqual(elsewhere);
  for (const name of ['中', 'a\nb', 'x\u007f', '../../x', '@a/../../x', 'a?b=c', 'a#b', '.x', '@a/']) {
    const found = await metadata(name);
    expect([name, found.status, found.headers.get('location')]).toEqual([name, 404, null]);
  }
});

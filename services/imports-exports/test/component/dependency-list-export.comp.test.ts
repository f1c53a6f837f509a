import { createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import {
  type CreateDependencyListExportRequest,
  DependencyListExportServiceService,
} from '@switchyard/protos/imports_exports/v1/dependency_list_export';
import { DependencySourceServiceService } from '@switchyard/protos/merge_requests/v1/dependency_source';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { implement, type RpcClient } from '@switchyard/rpc';
import { dieAt, eventually } from '@switchyard/testkit';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { reportMeasurements } from '../../src/reports/storage/report-measurement.store';
import { service } from '../../src/service';
import { keysIn } from '../support/keys';

let here: TestInstallation;
let exports: RpcClient<typeof DependencyListExportServiceService>;
let group: number;
let [project, other] = [0, 0];
let [author, stranger] = [0, 0];

const sha = 'a'.repeat(40);
const createdAt = new Date('2026-01-02T03:04:05.000Z');

/** Pipelines of `project`: 11 and 14 have reports, 12 has none. The newest of the default branches are 11 and, in `other`, 13. */
const pipelineOf = (pipelineId: number) => {
  const projectId = pipelineId === 13 ? other : project;
  return { projectId, pipelineId, sha, createdAt };
};
const lockFile = 'module x\n\nrequire example.com/m v1.2.3\n';
const rule = { callers: ['imports-exports'] };
const sources = implement(
  DependencySourceServiceService,
  {
    async getPipelineCommit({ projectId, pipelineId }) {
      if (![11, 12, 14].includes(pipelineId) || projectId !== project) throw notFound('Pipeline');
      return pipelineOf(pipelineId);
    },
    listLatestPipelineCommits: async ({ projectIds }) => ({
      pipelines: [pipelineOf(11), pipelineOf(13)].filter(({ projectId }) => projectIds.includes(projectId)),
    }),
    listNewestPipelines: async ({ pipelineIds }) => ({ pipelineIds: pipelineIds.filter((id) => id === 11) }),
    findFiles: async () => ({ files: [{ path: 'go.mod', blob: 'b'.repeat(40), size: 1 }] }),
    readFile: async () => ({ content: Buffer.from(lockFile) }),
  },
  {
    getPipelineCommit: rule,
    listLatestPipelineCommits: rule,
    listNewestPipelines: rule,
    findFiles: rule,
    readFile: rule,
  },
);

beforeAll(async () => {
  here = await testInstallation({
    service,
    main: join(__dirname, '..', '..', 'dist', 'main.js'),
    peers: () => [sources],
    environment: keysIn,
  });
  exports = here.client(DependencyListExportServiceService);
  [author, stranger] = [here.directory.user().id, here.directory.user().id];
  group = here.directory.namespace().id;
  project = here.directory.project(group).id;
  other = here.directory.project(group).id;
  here.directory.member(author, { namespaceId: group }, 30);
  // A replica that is behind answers 503 at first (D5).
  await eventually(async () => expect(await here.db.query(sql`select 1 from directory.memberships`)).toHaveLength(1));
});
afterAll(() => here?.close());

const bom = (components: object[], given: object = {}) =>
  JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.4', components, ...given });

async function attach(content: Buffer | string, name = 'gl-sbom.cdx.json', path = '11/reports'): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob([content as never]), name);
  return here.forward('POST', `/projects/${project}/pipelines/${path}`, { project, user: author, body: form });
}

const as = (id: number, target = project, kind = Access_Kind.KIND_PROJECT) =>
  here.as({ id }, { id: target, kind, level: 30 });

interface Shown {
  readonly id: number;
  readonly status: string;
  readonly problem: string | null;
}

const ofPipeline = (pipelineId: number): CreateDependencyListExportRequest['target'] => ({
  $case: 'pipeline',
  value: { projectId: project, pipelineId },
});
const form = { format: 'cyclonedx', specVersion: '1.4', sendEmail: false };

async function create(
  target: CreateDependencyListExportRequest['target'],
  given: Partial<typeof form> = {},
): Promise<Shown> {
  const options = target?.$case === 'groupId' ? as(author, group, Access_Kind.KIND_GROUP) : as(author);
  return json(await exports.createDependencyListExport({ target, ...form, ...given }, options)) as Shown;
}

const ended = ({ id }: Shown, user = author): Promise<Shown> =>
  eventually(async () => {
    const reply = await exports.getDependencyListExport({ exportId: id }, as(user));
    const shown = json(reply) as Shown;
    expect([reply.status, shown.status]).not.toEqual([202, expect.anything()]);
    return shown;
  });

const download = (id: number, user = author): Promise<Response> =>
  here.forward('GET', `/dependency_list_exports/${id}/download`, { user });

async function exported(target: CreateDependencyListExportRequest['target'], given: Partial<typeof form> = {}) {
  const made = await ended(await create(target, given));
  expect(made).toMatchObject({ status: 'finished', problem: null });
  const reply = await download(made.id);
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { id: made.id, reply, bytes, document: JSON.parse(bytes.toString()) };
}

const first = bom(
  [
    {
      type: 'library',
      name: 'a',
      version: '1',
      purl: 'pkg:npm/a@1',
      'bom-ref': 'x',
      licenses: [{ license: { id: 'MIT' } }],
    },
    { type: 'library', name: 'b', version: '2', purl: 'pkg:npm/b@2', 'bom-ref': 'y' },
  ],
  {
    metadata: { component: { type: 'application', name: 'app', 'bom-ref': 'root' } },
    dependencies: [
      { ref: 'root', dependsOn: ['x'] },
      { ref: 'x', dependsOn: ['y', 'nowhere'] },
    ],
  },
);
const second = bom([
  {
    type: 'library',
    name: 'a',
    version: '1',
    purl: 'pkg:npm/a@1',
    'bom-ref': 'z',
    hashes: [{ alg: 'MD5', content: 'f'.repeat(32) }],
  },
]);

it('takes reports in JSON and gzip, and says what is wrong with others (G-13-10)', async () => {
  const reply = await attach(first);
  expect([reply.status, await reply.json()]).toEqual([
    201,
    expect.objectContaining({
      pipeline_id: 11,
      job_id: null,
      filename: 'gl-sbom.cdx.json',
      size: first.length,
      components: 2,
    }),
  ]);
  expect((await attach(gzipSync(second), 'two.json', '11/reports?job_id=5&artifact_format=gzip')).status).toBe(201);
  const refused = async (...given: Parameters<typeof attach>) => {
    const { status, body } = await attach(...given).then(async (found) => ({
      status: found.status,
      body: await found.json(),
    }));
    return [status, (body as { error?: string }).error];
  };
  expect(await refused('{}')).toEqual([400, expect.stringContaining('bomFormat is not CycloneDX')]);
  expect(await refused('')).toEqual([400, 'file is not valid JSON: it is empty']);
  expect(await refused(gzipSync(first).subarray(0, 40))).toEqual([400, 'file is not valid gzip']);
  expect(await refused(first, 'x', '11/reports?artifact_format=gzip')).toEqual([400, 'file is not gzip']);
  expect(await refused(first, 'x', '11/reports?artifact_type=junit')).toEqual([
    400,
    'artifact_type does not have a valid value',
  ]);
  // 1 GB of blanks in 1 MB: it ends at 100 MB.
  const bomb = Buffer.concat([
    gzipSync('{"a":"'),
    ...Array.from({ length: 20 }, () => gzipSync(Buffer.alloc(10_000_000, 'x'))),
  ]);
  expect((await attach(bomb)).status).toBe(413);
  expect((await attach(first, 'x', '99/reports')).status).toBe(404);
  // The blobs of what was refused are removed.
  await eventually(async () =>
    expect(await here.db.query(sql`select count(*)::int as left from blob_remains where due_at <= now()`)).toEqual([
      { left: 0 },
    ]),
  );
});

it('merges the reports of a pipeline without doubles, the same each time, and signs it (G-4.14-5)', async () => {
  const { id, reply, bytes, document } = await exported(ofPipeline(11));
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="pipeline_11_dependencies.cdx.json"');
  expect(document.components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:npm/a@1',
      name: 'a',
      version: '1',
      hashes: [{ alg: 'MD5', content: 'f'.repeat(32) }],
      licenses: [{ license: { id: 'MIT' } }],
      purl: 'pkg:npm/a@1',
    },
    { type: 'library', 'bom-ref': 'pkg:npm/b@2', name: 'b', version: '2', purl: 'pkg:npm/b@2' },
  ]);
  expect(document.dependencies).toEqual([
    { ref: 'pkg:npm/a@1', dependsOn: ['pkg:npm/b@2'] },
    { ref: `project:${project}`, dependsOn: ['pkg:npm/a@1'] },
  ]);
  const again = await exported(ofPipeline(11));
  expect(again.bytes.equals(bytes)).toBe(true);
  const { signature, filename } = await exports.getDependencyListExportSignature({ exportId: id }, as(author));
  const { public_key: key } = json(await exports.getSigningKey({}, as(author))) as { public_key: string };
  expect(filename).toBe('pipeline_11_dependencies.cdx.json');
  expect(verify(null, bytes, createPublicKey(key), signature)).toBe(true);
  expect((await exported(ofPipeline(11), { specVersion: '1.6' })).document.specVersion).toBe('1.6');
  expect((await exported(ofPipeline(11), { format: 'spdx' })).document.spdxVersion).toBe('SPDX-2.3');
  // Work in progress does not stay.
  await eventually(async () => {
    await here.db.query(sql`select 1`);
    expect((await exports.getDependencyListExport({ exportId: id }, as(author))).status).toBe(0);
  });
});

it('lists components that are larger than a page of them together', async () => {
  // 20 MiB, packed to some kilobytes.
  const properties = Array.from({ length: 500 }, (_, at) => ({ name: `p${at}`, value: 'x'.repeat(7_000) }));
  const components = Array.from({ length: 6 }, (_, at) => ({ type: 'library', name: `large${at}`, properties }));
  // More variants of one than are joined, of which one alone is needed when the project runs.
  const often = Array.from({ length: 500 }, (_, at) => ({
    ...{ type: 'library', name: 'often', description: `${at}` },
    ...(at === 0 ? {} : { scope: 'optional' }),
  }));
  const report = gzipSync(bom([...components, ...often]));
  expect((await attach(report, 'large.cdx.json.gz', '14/reports')).status).toBe(201);
  const { document } = await exported(ofPipeline(14));
  const found = document.components.map((one: { name: string; properties?: object[]; scope?: string }) => [
    one.name,
    one.properties?.length ?? one.scope,
  ]);
  expect(found).toEqual([...components.map(({ name }) => [name, 500]), ['often', undefined]]);
});

it('reads lock files where a pipeline has no report, and the projects of a group (G-4.14-6, G-4.14-7)', async () => {
  const { document } = await exported(ofPipeline(12));
  expect(document.components.map(({ purl }: { purl: string }) => purl)).toEqual(['pkg:golang/example.com/m@v1.2.3']);
  expect(document.metadata.properties).toContainEqual({
    name: 'gitlab:dependency_scanning:package_manager:name',
    value: 'go',
  });
  const ofProject = await exported({ $case: 'projectId', value: project });
  expect(ofProject.document.components).toHaveLength(2);
  const ofGroup = await exported({ $case: 'groupId', value: group });
  const refs = ofGroup.document.components.map((one: { 'bom-ref': string }) => one['bom-ref']);
  expect(refs).toEqual(
    ['pkg:golang/example.com/m@v1.2.3', 'pkg:npm/a@1', 'pkg:npm/b@2', `project:${project}`, `project:${other}`].sort(),
  );
  expect(ofGroup.document.dependencies).toContainEqual({
    ref: `group:${group}`,
    dependsOn: [`project:${project}`, `project:${other}`],
  });
});

it('is for its author alone, for an hour, and not there before it has ended (G-4.14-2 … G-4.14-4, G-4.14-7)', async () => {
  const { id } = await exported(ofPipeline(11));
  const get = (exportId: number, user: number) => exports.getDependencyListExport({ exportId }, as(user));
  const locate = (exportId: number, user = author) =>
    exports.locateDependencyListExport({ exportId }, here.as({ id: user }));
  expect(await locate(id)).toEqual({ projectId: project, groupId: 0 });
  const ofGroup = await create({ $case: 'groupId', value: group });
  expect(await locate(ofGroup.id)).toEqual({ projectId: 0, groupId: group });
  for (const asked of [get, locate]) await expect(asked(id, stranger)).rejects.toMatchObject({ kind: 'forbidden' });
  expect((await download(id, stranger)).status).toBe(403);
  for (const asked of [get, locate])
    await expect(asked(id + 1_000, author)).rejects.toMatchObject({
      kind: 'not_found',
      body: { message: '404 Not Found' },
    });
  await expect(create(ofPipeline(99))).rejects.toMatchObject({
    kind: 'not_found',
    body: { message: '404 Pipeline Not Found' },
  });
  const waiting = await create(ofPipeline(11));
  await here.db.query(
    sql`update dependency_list_exports set status = 'created', blob = null, leased_until = now() + interval '1 hour' where id = ${waiting.id}`,
  );
  expect((await get(waiting.id, author)).status).toBe(202);
  const early = await download(waiting.id);
  expect([early.status, await early.json()]).toEqual([404, { message: '404 DependencyListExport Not Found' }]);
  await here.db.query(
    sql`update dependency_list_exports set expires_at = now() - interval '1 second' where id in (${id}, ${waiting.id})`,
  );
  await expect(get(id, author)).rejects.toMatchObject({ kind: 'not_found' });
  // The hour begins with its end, however long it waits for that.
  expect((await get(waiting.id, author)).status).toBe(202);
  await here.db.query(
    sql`update dependency_list_exports set leased_until = now() - interval '1 second' where id = ${waiting.id}`,
  );
  await eventually(async () => expect((await get(waiting.id, author)).status).toBe(0), { within: 60_000 });
});

it('publishes the end of an export for which a mail is asked, once', async () => {
  const { id } = await exported(ofPipeline(11), { sendEmail: true });
  const rows = await here.db.query(
    sql`select event_id from events.outbox where event_id like 'dependency_list_export.ended:%'`,
  );
  expect(rows).toEqual([{ event_id: `dependency_list_export.ended:${id}:1` }]);
});

it('makes one export of an author at a time, and those of others beside it', async () => {
  const { id } = await exported(ofPipeline(11));
  const lease = (until: string) =>
    here.db.query(sql`
      update dependency_list_exports set status = 'running', blob = null, lease = gen_random_uuid(),
        leased_until = now() + ${until}::interval where id = ${id}`);
  await lease('1 hour');
  const waiting = await create(ofPipeline(11));
  const passes = async () => {
    const reply = await exports.createDependencyListExport({ target: ofPipeline(11), ...form }, as(stranger));
    return ended(json(reply) as Shown, stranger);
  };
  // It was begun later, and each worker that looks for one looks at both.
  expect((await passes()).status).toBe('finished');
  const shown = await exports.getDependencyListExport({ exportId: waiting.id }, as(author));
  expect((json(shown) as Shown).status).toBe('created');
  await lease('-1 second');
  await passes();
  expect((await ended(waiting)).status).toBe('finished');
});

it('goes on after a death at any point, and ends as the same file', async () => {
  const { bytes } = await exported(ofPipeline(11));
  await here.stop();
  for (const point of ['report.expected', 'report.stored', 'report.committed'])
    await dieAt(point, here.startProcess, () => attach(second, `dies-${point}`, '12/reports').catch(() => undefined));
  const reports = await here.db.query(sql`select file_name from dependency_reports where pipeline_id = 12`);
  expect(reports).toEqual([{ file_name: 'dies-report.committed' }]);
  const points = ['created', 'planned', 'source_read', 'blob_expected', 'written', 'signed', 'ended'];
  for (const point of points) {
    await dieAt(`dependency_export.${point}`, here.startProcess, (insist) => insist(() => create(ofPipeline(11))));
    // As if the lease of the dead process had run out.
    await here.db.query(sql`update dependency_list_exports set leased_until = now() where leased_until is not null`);
  }
  await here.start();
  const made = await eventually(async () => {
    const rows = await here.db.query<{ id: number; status: string }>(
      sql`select id, status from dependency_list_exports order by id desc limit ${points.length}`,
    );
    expect(rows.map(({ status }) => status)).toEqual(points.map(() => 'finished'));
    return rows;
  });
  for (const { id } of made) expect(Buffer.from(await (await download(id)).arrayBuffer()).equals(bytes)).toBe(true);
});

it('old reports go, but for those of the newest pipelines of branches and tags, and the size of what is left is published', async () => {
  const isMeasured = () =>
    eventually(async () => {
      // Only after a change: it was measured for the day otherwise.
      await here.db.query(
        sql`update report_measurements set measure_at = now() where measure_at < now() + interval '1 hour'`,
      );
      await reportMeasurements.measureDue(here.db);
      const sizes = await here.db.one<{ stored: number; published: number }>(sql`
        select (select sum(size)::bigint from dependency_reports where project_id = ${project}) as stored, (
          select (body->>'size')::bigint from events.outbox
          where type = 'reports.measured' and key = ${String(project)} order by id desc limit 1) as published`);
      expect(sizes?.published).toBe(sizes?.stored);
    });
  await attach(first, 'later.cdx.json', '12/reports');
  await isMeasured();
  await here.stop();
  const age = (days: number, of: string) =>
    here.db.query(sql`
      update dependency_reports set created_at = now() - make_interval(days => ${days})
      where pipeline_id in (11, 14) or file_name like ${of}`);
  const left = async () => {
    const rows = await here.db.query<{ pipeline_id: number; files: number }>(sql`
      select pipeline_id, count(*)::int as files from dependency_reports group by pipeline_id order by pipeline_id`);
    return rows.map(({ pipeline_id: id, files }) => [id, files]);
  };
  const before = await left();
  expect(before.map(([id]) => id)).toEqual([11, 12, 14]);
  // The last report of 12 is not old enough, and all of them stay.
  await age(90, 'dies-%');
  await here.db.query(sql`
    insert into dependency_reports (project_id, pipeline_id, file_name, blob, size, sha256, components, author_id, created_at)
    values (${other}, 10, 'x', 'reports/x', 1, sha256('x'), 1, ${author}, now() - interval '90 days')`);
  await here.start();
  await eventually(async () => expect(await left()).toEqual(before.slice(0, 2)));
  await here.stop();
  await age(90, '%');
  await here.start();
  await eventually(async () => expect(await left()).toEqual(before.slice(0, 1)));
  await isMeasured();
  const due = await here.db.query(sql`select 1 from blob_remains where due_at > now() + interval '50 minutes'`);
  expect(due.length).toBeGreaterThan(0);
});

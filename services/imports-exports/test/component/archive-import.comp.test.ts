import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from '@switchyard/database/sql';
import { type AppError, forbidden, notFound, unavailable, unprocessable } from '@switchyard/errors';
import {
  type ImportedProject,
  ImportedProjectServiceService,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import { ImportPlaceholderServiceService } from '@switchyard/protos/imports_exports/v1/import_placeholder';
import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { UploadTransferServiceService } from '@switchyard/protos/packages/v1/upload_transfer';
import { AuthorshipServiceService, type ReassignRequest } from '@switchyard/protos/rpc/v1/authorship';
import { ProjectRecordServiceService, type StandIn } from '@switchyard/protos/rpc/v1/project_record';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { implement, type RpcClient } from '@switchyard/rpc';
import { uploadsOf } from '@switchyard/service';
import { dieAt, eventually } from '@switchyard/testkit';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { pack } from 'tar-stream';
import { archiveImportStore } from '../../src/archive-imports/storage/archive-import.store';
import { service } from '../../src/service';
import { keysIn } from '../support/keys';
import { placeholderUsers } from '../support/placeholder-users';

let here: TestInstallation;
let author = 0;
let membership: ReturnType<TestInstallation['directory']['member']>;

/** What the other services were asked for, and how they answer. */
const others = {
  namespaceId: 0,
  projects: new Map<string, ImportedProject>(),
  /** Records by kind, each line once. */
  records: new Map<string, Set<string>>(),
  checks: 0,
  /** Projects in which the numbers of records are kept while these are looked at. */
  checkedFor: new Set<number>(),
  writtenFor: new Set<string>(),
  /** Who stood for people in each page that was written in somebody's name. */
  standIns: [] as StandIn[][],
  /** Placeholder users by person, those that were removed, and places that were taken. */
  placeholders: new Map<string, number>(),
  removed: [] as number[],
  reassigned: [] as ReassignRequest[],
  /** Address of each request for a project. */
  addresses: [] as (string | undefined)[],
  bundles: [] as Buffer[],
  wikis: [] as Buffer[],
  /** Files that texts link to, as they came. */
  uploads: [] as { secret: string; fileName: string; uploader: string; content: string }[],
  /** Whether the repository takes for ever, how often it was begun, and stopped. */
  waits: false,
  begun: 0,
  stopped: 0,
  refusal: undefined as AppError | undefined,
  failures: [] as AppError[],
  /** What is in the page of records for which the owner is away. */
  awayAt: undefined as string | undefined,
};

const byId = (id: number): ImportedProject => {
  const found = [...others.projects.values()].find(({ projectId }) => projectId === id);
  if (found === undefined) throw notFound('Project');
  return found;
};

const rule = { callers: ['imports-exports'], onBehalfOf: true };

/** A bundle of an archive as merge-requests reads it. */
async function read(
  of: (client: RpcClient<typeof ArchiveBundleServiceService>) => AsyncIterable<{ readonly data: Buffer }>,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const { data } of of(here.client(ArchiveBundleServiceService, 'merge-requests'))) parts.push(data);
  return Buffer.concat(parts);
}
const peers = [
  implement(
    ImportedProjectServiceService,
    {
      async createImportedProject({ key, namespace, name, path, importType, importSource, address }) {
        others.addresses.push(address);
        if (others.refusal !== undefined) throw others.refusal;
        const made = others.projects.get(key) ?? {
          ...{ projectId: here.directory.project(others.namespaceId).id, name, path, fullPath: `${namespace}/${path}` },
          ...{ fullName: `Acme / ${name}`, description: '', createdAt: new Date('2026-01-02T03:04:05.678Z') },
          ...{ importStatus: 'scheduled', importError: '', importType, importSource, forked: false },
          directorySequence: here.directory.changes.length,
        };
        others.projects.set(key, made);
        return made;
      },
      getImportedProject: async ({ projectId }) => ({
        ...byId(projectId),
        directorySequence: here.directory.changes.length,
      }),
      async setImportStatus({ projectId, status, error }) {
        Object.assign(byId(projectId), { importStatus: status, importError: error });
        return {};
      },
    },
    { createImportedProject: rule, getImportedProject: rule, setImportStatus: rule },
  ),
  implement(
    ProjectRecordServiceService,
    {
      readProjectRecords: () => Promise.reject(new Error('not read')),
      async writeProjectRecords({ projectId, kind, lines, checkOnly, importerId, forEverybody, standIns }) {
        const given = lines.toString().split('\n').slice(0, -1);
        if (given.some((line) => line.includes('wrong'))) throw unprocessable(`${kind}: record 1 of a page is wrong`);
        if (checkOnly) {
          others.checks += 1;
          others.checkedFor.add(projectId);
          return { written: 0, unknown: [], leftOut: [] };
        }
        const authors = given.flatMap((one) => (JSON.parse(one) as { author?: string }).author ?? []);
        const people = standIns?.people ?? [];
        const unknown = authors.filter((author) => !people.some(({ username }) => username === author));
        if (unknown.length > 0 && standIns?.areAll === false) return { written: 0, unknown, leftOut: [] };
        if (authors.length > 0) others.standIns.push(people);
        const failure = others.failures.shift();
        if (failure !== undefined) throw failure;
        if (others.awayAt !== undefined && lines.includes(others.awayAt)) throw unavailable('away');
        others.writtenFor.add(`${importerId} ${forEverybody}`);
        const known = others.records.get(kind) ?? new Set();
        for (const line of given) known.add(line);
        others.records.set(kind, known);
        const leftOut = given.filter((one) => one.includes('stranger')).map((item) => ({ item, reason: 'Nobody' }));
        return { written: given.length - leftOut.length, unknown: [], leftOut };
      },
    },
    { readProjectRecords: rule, writeProjectRecords: rule },
  ),
  placeholderUsers(
    () => here,
    () => others,
  ),
  implement(
    AuthorshipServiceService,
    {
      async reassign(request) {
        others.reassigned.push(request);
        return { changed: 0, more: false };
      },
    },
    { reassign: rule },
  ),
  implement(
    RepositoryImportServiceService,
    {
      importRepository: () => Promise.reject(new Error('no forge')),
      importWiki: () => Promise.reject(new Error('no forge')),
      async importBundle({ importKey }, { signal }) {
        if (others.waits) {
          others.begun += 1;
          await new Promise<void>((settle) => signal.addEventListener('abort', () => settle(), { once: true }));
          others.stopped += 1;
          throw unavailable('stopped');
        }
        others.bundles.push(await read((client) => client.readArchiveBundle({ importKey }, { requestId: 'bundle' })));
        return { refs: 1, skipped: 0 };
      },
      async importWikiBundle({ importKey }) {
        others.wikis.push(await read((client) => client.readArchiveWiki({ importKey }, { requestId: 'wiki' })));
        return { refs: 1, skipped: 0 };
      },
    },
    { importRepository: rule, importWiki: rule, importBundle: rule, importWikiBundle: rule },
  ),
  implement(
    UploadTransferServiceService,
    {
      readProjectUploads: () => {
        throw new Error('no export');
      },
      async importArchiveUploads({ importKey }, { signal }) {
        const archives = here.client(ArchiveBundleServiceService, 'packages');
        const parts = archives.readArchiveUploads({ importKey }, { requestId: 'uploads', signal });
        for await (const { upload, content } of uploadsOf(parts)) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of content) chunks.push(chunk);
          const { secret, fileName, uploader } = upload;
          others.uploads.push({ secret, fileName, uploader, content: Buffer.concat(chunks).toString() });
        }
        return { leftOut: [] };
      },
    },
    { readProjectUploads: rule, importArchiveUploads: rule },
  ),
];

beforeAll(async () => {
  here = await testInstallation({
    service,
    main: join(__dirname, '..', '..', 'dist', 'main.js'),
    callers: ['merge-requests', 'packages'],
    peers: () => peers,
    environment: (folder) => ({ ...keysIn(folder), SWITCHYARD_PROJECT_IMPORT_LIMIT: String(32 << 20) }),
  });
  author = here.directory.user().id;
  others.namespaceId = here.directory.namespace().id;
  membership = here.directory.member(author, { namespaceId: others.namespaceId }, 40);
  await eventually(async () => expect(await here.db.query(sql`select 1 from directory.namespaces`)).toHaveLength(1));
});
afterAll(() => here?.close());
beforeEach(() => {
  Object.assign(others, {
    checks: 0,
    refusal: undefined,
    failures: [],
    awayAt: undefined,
    bundles: [],
    wikis: [],
    addresses: [],
    waits: false,
    begun: 0,
    stopped: 0,
  });
  Object.assign(others, { uploads: [], standIns: [], placeholders: new Map(), removed: [], reassigned: [] });
  others.records.clear();
  others.checkedFor.clear();
  others.writtenFor.clear();
});

type Entry = { readonly name: string; readonly content: string | Buffer; readonly header?: object };

/** A tar file of some entries. */
async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { name, content, header = {} } of entries) archive.entry({ name, ...header }, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const bundle = Buffer.alloc(1 << 20, 'bundle');
const issuePages = [1, 2].map((page) => ({
  name: `records/issues/00000${page}.ndjson`,
  content: line({ iid: 2 * page - 1 }) + line({ iid: 2 * page }),
}));
const entries: readonly Entry[] = [
  { name: 'format.json', content: line({ format: 1, full_path: 'a/b' }) },
  { name: 'records/project/000001.ndjson', content: line({ name: 'b', description: 'About' }) },
  { name: 'records/labels/000001.ndjson', content: line({ title: 'bug' }) },
  ...issuePages,
  { name: 'records/later_kind/000001.ndjson', content: line({ any: 1 }) },
  { name: 'repository.bundle/000001', content: bundle },
  { name: 'repository.bundle/000002', content: bundle },
  {
    name: 'end.json',
    content: line({ records: { project: 1, labels: 1, issues: 4, later_kind: 1, notes: 0 }, repository_parts: 2 }),
  },
];

/** The same with a wiki, as format 3 has it. */
const withWiki = (parts = 1): Entry[] => [
  { name: 'format.json', content: line({ format: 3, full_path: 'a/b' }) },
  ...entries.slice(1, -1),
  { name: 'wiki.bundle/000001', content: 'pages' },
  {
    name: 'end.json',
    content: line({
      records: { project: 1, labels: 1, issues: 4, later_kind: 1 },
      repository_parts: 2,
      wiki_parts: parts,
    }),
  },
];

const archive = async (given: readonly Entry[] = entries) => gzipSync(await tarOf(given));

/** `entries` with some in place of those of their names; with `undefined`, without them. */
const with_ = (changed: Readonly<Record<string, Entry | undefined>>): Entry[] =>
  entries.flatMap((entry) => (entry.name in changed ? (changed[entry.name] ?? []) : entry));

function send(
  file: Buffer | undefined,
  fields: Record<string, string> = { path: 'moved', namespace: 'acme' },
  admin = false,
) {
  const form = new FormData();
  if (file !== undefined) form.append('file', new Blob([file]), 'project.tar.gz');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const actor = { is: { userId: author, admin }, level: 0 };
  return here.forward('POST', '/project_imports', { actor, address: '192.0.2.9', body: form });
}

const shown = async (id: number): Promise<{ import_status: string; import_error: string | null }> =>
  json(
    await here.client(ProjectImportServiceService).getProjectImport({ projectId: id }, here.as({ id: author }, { id })),
  ) as never;
const ends = (id: number, status: string) =>
  eventually(async () => expect((await shown(id)).import_status).toBe(status), { within: 20_000 });

async function begun(file: Buffer, fields?: Record<string, string>, admin = false): Promise<number> {
  const reply = await send(file, fields, admin);
  const body = (await reply.json()) as { id: number };
  expect([reply.status, body]).toEqual([201, expect.any(Object)]);
  return body.id;
}

/** No file of an import is left, neither named nor due. */
const nothingKept = () =>
  eventually(async () => {
    expect(await here.db.query(sql`select 1 from archive_imports where blob is not null`)).toEqual([]);
    expect(await here.db.query(sql`select 1 from blob_remains`)).toEqual([]);
  });

it('an archive comes in: every record of a known kind, the repository, and the settings last', async () => {
  // python-gitlab always sends these two so, the avatar without content.
  const always = { overwrite: 'False', avatar: '' };
  const id = await begun(await archive(), { path: 'moved', name: 'Moved', namespace: 'acme', ...always });
  expect(await shown(id)).toMatchObject({ import_type: 'gitlab_project', name: 'Moved', path: 'moved' });
  await ends(id, 'finished');
  expect([...others.records.keys()]).toEqual(['labels', 'issues', 'project']);
  expect([...(others.records.get('issues') ?? [])]).toEqual([1, 2, 3, 4].map((iid) => JSON.stringify({ iid })));
  expect(others.bundles.map((one) => one.equals(Buffer.concat([bundle, bundle])))).toEqual([true]);
  expect(others.wikis.map(String)).toEqual(['']);
  expect([others.checks, [...others.checkedFor]]).toEqual([4, [id]]);
  expect([...others.writtenFor]).toEqual([`${author} false`]);
  await nothingKept();
});

it('the wiki of an archive comes in after its repository (ADR 82)', async () => {
  await ends(await begun(await archive(withWiki())), 'finished');
  expect(others.bundles.map((one) => one.length)).toEqual([2 * bundle.length]);
  expect(others.wikis.map(String)).toEqual(['pages']);
});

const secretOf = (at: number): string => String(at).repeat(32);
const uploadOf = (at: number, content: string, record: object = {}): Entry[] => {
  const made = { secret: secretOf(at), file_name: `${at}.png`, size: content.length, uploader: 'ada' };
  const folder = `uploads/00000${at}`;
  return [
    { name: `${folder}/record.json`, content: line({ ...made, created_at: '2026-01-02T03:04:05Z', ...record }) },
    { name: `${folder}/content`, content },
  ];
};
const endOf = (uploads: number): Entry => ({
  name: 'end.json',
  content: line({ records: { project: 1, labels: 1, issues: 4, later_kind: 1 }, repository_parts: 2, uploads }),
});

it('files that texts link to come in, links to them are those of the project, and who is left out is named', async () => {
  const long = 'long'.repeat(200_000);
  const origin = { project_id: 17, full_path: 'a/b', url: 'https://old.example' };
  const given = with_({
    'format.json': { name: 'format.json', content: line({ format: 3, ...origin }) },
    'records/labels/000001.ndjson': {
      name: 'records/labels/000001.ndjson',
      content: line({ title: 'stranger', description: `https://old.example/a/b/uploads/${secretOf(1)}/1.png` }),
    },
  });
  const id = await begun(await archive([...given.slice(0, -1), ...uploadOf(1, long), ...uploadOf(2, ''), endOf(2)]));
  await ends(id, 'finished');
  expect(others.uploads).toEqual([
    { secret: secretOf(1), fileName: '1.png', uploader: 'ada', content: long },
    { secret: secretOf(2), fileName: '2.png', uploader: 'ada', content: '' },
  ]);
  const label = JSON.stringify({ title: 'stranger', description: `/uploads/${secretOf(1)}/1.png` });
  expect([...(others.records.get('labels') ?? [])]).toEqual([label]);
  expect(await shown(id)).toMatchObject({
    failed_relations: [{ relation_name: 'labels', source: label, exception_message: 'Nobody' }],
  });
});

it('an administrator writes for everybody, and what stands above the settings comes after them', async () => {
  const overrides = { 'override_params[description]': 'Mine', 'override_params[topics][]': 'a' };
  const id = await begun(await archive(), { path: 'of-root', ...overrides }, true);
  await ends(id, 'finished');
  expect([...others.writtenFor]).toEqual([`${author} true`]);
  expect([...(others.records.get('project_overrides') ?? [])].map((one) => JSON.parse(one))).toEqual([
    { description: 'Mine', topics: ['a'] },
  ]);
});

it('placeholder users stand for people who are no users here, and are reassigned like those of forges (ADR 67)', async () => {
  const page = (number: number, ...authors: string[]): Entry => ({
    name: `records/issues/00000${number}.ndjson`,
    content: authors.map((name, at) => line({ iid: 10 * number + at, author: name })).join(''),
  });
  const id = await begun(
    await archive([
      ...entries.slice(0, 3),
      page(1, 'ada', 'grace'),
      page(2, 'ada', 'linus'),
      ...entries.slice(6, 8),
      { name: 'end.json', content: line({ records: { project: 1, labels: 1, issues: 4 }, repository_parts: 2 }) },
    ]),
    { path: 'of-others' },
  );
  await ends(id, 'finished');
  const by = (username: string) => ({ username, userId: others.placeholders.get(`${id}:${username}`) });
  expect(others.standIns).toEqual([
    [by('ada'), by('grace')],
    [by('ada'), by('linus')],
  ]);
  expect(others.records.get('issues')?.size).toBe(4);
  const placeholders = here.client(ImportPlaceholderServiceService);
  const as = (user: { id: number; admin?: boolean }) => here.as(user, { id, level: 50 });
  const listed = async (state: string) => {
    const request = { projectId: id, state, page: PageRequest.fromPartial({ page: 1, perPage: 20 }) };
    const reply = await placeholders.listImportPlaceholders(request, as({ id: author }));
    return JSON.parse(Buffer.from(reply.json).toString()) as { id: number }[];
  };
  const pending = await listed('pending');
  expect(pending).toMatchObject(
    ['ada', 'grace', 'linus'].map((name) => ({
      ...{ import_type: 'gitlab_project', source_hostname: null, source_user_identifier: name, source_username: name },
      placeholder_user: { id: by(name).userId },
    })),
  );
  const target = here.directory.user();
  const request = { projectId: id, placeholderId: pending[0]?.id ?? 0, userId: target.id };
  await eventually(async () =>
    expect(json(await placeholders.reassignImportPlaceholder(request, as({ id: author, admin: true })))).toMatchObject({
      state: 'reassigning',
    }),
  );
  await eventually(async () =>
    expect(await listed('reassigned')).toMatchObject([{ reassign_to_user: { id: target.id } }]),
  );
  const { userId: fromUserId } = by('ada');
  expect(others.reassigned).toContainEqual({ projectId: id, fromUserId, toUserId: target.id });
  expect(others.removed).toEqual([fromUserId]);
  // As long as there are some, the import is known.
  await here.db.query(sql`update archive_imports set ended_at = now() - interval '8 days' where ended_at is not null`);
  await archiveImportStore(here.db, { keep: async () => true }).sweep();
  expect(await here.db.query(sql`select project_id as id from archive_imports where ended_at is not null`)).toEqual([
    { id },
  ]);
});

it.each<[string, Record<string, string> | undefined, boolean, object]>([
  ['no file', undefined, false, { error: 'file is missing' }],
  ['no path', { namespace: 'acme' }, true, { error: 'path is missing' }],
  ['neither', {}, false, { error: 'path is missing' }],
  ['a flag that is none', { path: 'p', overwrite: 'perhaps' }, true, { error: 'overwrite is invalid' }],
  ['a replacement', { path: 'p', overwrite: 'true' }, true, { error: 'overwrite does not have a valid value' }],
  ['settings without a name', { path: 'p', override_params: '1' }, true, { error: 'override_params is invalid' }],
  [
    'settings that are refused',
    { path: 'p', 'override_params[visibility]': 'wrong' },
    true,
    { error: 'override_params: project_overrides: record 1 of a page is wrong' },
  ],
])('refuses a form with %s', async (_, fields, hasFile, body) => {
  const reply = await send(hasFile ? await archive() : undefined, fields);
  expect([reply.status, await reply.json()]).toEqual([400, body]);
  await nothingKept();
});

it('a refusal of the namespace is that of the request, and nothing is left', async () => {
  for (const [refusal, status, message] of [
    [notFound('Namespace'), 404, '404 Namespace Not Found'],
    [forbidden(), 403, '403 Forbidden'],
  ] as const) {
    others.refusal = refusal;
    const reply = await send(await archive());
    expect([reply.status, await reply.json()]).toEqual([status, { message }]);
  }
  await nothingKept();
  expect(await here.db.query(sql`select 1 from archive_imports where status = 'scheduled'`)).toEqual([]);
});

it('the owner of the namespace is told from where the import is asked for, which is kept until it ends', async () => {
  others.failures.push(unavailable('away'));
  const id = await begun(await archive());
  const kept = () => here.db.one(sql`select address from archive_imports where project_id = ${id}`);
  expect([others.addresses, await kept()]).toEqual([['192.0.2.9'], { address: '192.0.2.9' }]);
  await ends(id, 'finished');
  expect(await kept()).toEqual({ address: null });
});

it('an archive that is too large is refused on its way', async () => {
  const reply = await send(Buffer.alloc((32 << 20) + 1));
  expect(reply.status).toBe(413);
  await nothingKept();
});

const file = (name: string, content: string | Buffer = line({ a: 1 }), header = {}): Entry => ({
  name,
  content,
  header,
});
const end = (value: object): Entry => file('end.json', line(value));
const before = entries.slice(0, -1);

it.each<[string, () => Promise<Buffer> | Buffer, RegExp]>([
  ['no gzip', () => Buffer.from('nothing'), /cannot be unpacked/],
  ['no tar', () => gzipSync(Buffer.alloc(10_000, 'x')), /cannot be unpacked/],
  ['half of the bytes', async () => (await archive()).subarray(0, 2_000), /cannot be unpacked|cut off/],
  ['no end', () => archive(before), /cut off/],
  ['a later format', () => archive(with_({ 'format.json': file('format.json', line({ format: 4 })) })), /format is 4/],
  ['a file of another size', () => archive([...before, ...uploadOf(1, 'x', { size: 2 }), endOf(1)]), /another size/],
  ['a file without content', () => archive([...before, ...uploadOf(1, 'x').slice(0, 1), endOf(1)]), /does not say/],
  ['a file without a record', () => archive([...before, ...uploadOf(1, 'x').slice(1), endOf(1)]), /not in order/],
  [
    'a file without a secret',
    () => archive([...before, ...uploadOf(1, 'x', { secret: '1' }), endOf(1)]),
    /record of a/,
  ],
  ['a file that is not counted', () => archive([...before, ...uploadOf(1, 'x'), endOf(0)]), /does not say/],
  ['no format', () => archive(entries.slice(1)), /not in order/],
  ['another count', () => archive([...before, end({ records: { issues: 4 }, repository_parts: 2 })]), /does not say/],
  ['too few parts', () => archive(with_({ 'repository.bundle/000002': undefined })), /does not say/],
  ['too few parts of a wiki', () => archive(withWiki(2)), /does not say/],
  [
    'a wiki before the repository',
    () => archive([...withWiki().toSpliced(-2, 1).toSpliced(-3, 0, file('wiki.bundle/000001'))]),
    /not in order/,
  ],
  ['a page that is missing', () => archive(with_({ 'records/issues/000001.ndjson': undefined })), /not in order/],
  ['a kind twice', () => archive([...before, ...issuePages.slice(0, 1), ...entries.slice(-1)]), /not in order/],
  ['something after its end', () => archive([...entries, file('repository.bundle/000003')]), /not in order/],
  ['a path upwards', () => archive([file('../../etc/passwd'), ...entries]), /has the entry "..\/..\/etc\/passwd"/],
  ['an absolute path', () => archive([file('/etc/passwd'), ...entries]), /has the entry/],
  ['a link', () => archive([file('format.json', '', { type: 'symlink', linkname: '/etc/passwd' })]), /no file/],
  ['a device', () => archive([file('format.json', '', { type: 'character-device' })]), /no file/],
  ['a folder', () => archive([file('records/', '', { type: 'directory' })]), /no file/],
  [
    'a bomb',
    async () => gzipSync(await tarOf([file('records/issues/000001.ndjson', Buffer.alloc(61 << 20))])),
    /too large/,
  ],
  ['zeros for ever', () => gzipSync(Buffer.alloc(300 << 20)), /far larger/],
  [
    'a wrong record',
    () =>
      archive(
        with_({ 'records/labels/000001.ndjson': file('records/labels/000001.ndjson', line({ title: 'wrong' })) }),
      ),
    /labels: record 1/,
  ],
])('%s fails before anything is written', async (_, make, problem) => {
  const id = await begun(await make());
  await ends(id, 'failed');
  expect((await shown(id)).import_error).toMatch(problem);
  expect([...others.records.keys()]).toEqual([]);
  expect(others.bundles).toEqual([]);
  await nothingKept();
});

it('what is away is tried again, however often, and goes on where it was', async () => {
  // More than a client tries by itself.
  others.failures = Array.from({ length: 100 }, () => unavailable('away'));
  const id = await begun(await archive());
  const waiting = (pauses: number) => sql`
    where lease is null and pauses = ${pauses} and stage > 0 and status = 'started' and project_id = ${id}`;
  await eventually(async () => {
    // As after all tries but one.
    const rows = await here.db.query(
      sql`update archive_imports set leased_until = now(), attempts = 11 ${waiting(1)} returning 1`,
    );
    expect(rows).toHaveLength(1);
  });
  // Another one is begun at once, and with it what waits.
  const second = await begun(await archive(), { path: 'second' });
  await eventually(async () => {
    expect(await here.db.query(sql`select attempts from archive_imports ${waiting(2)}`)).toEqual([{ attempts: 11 }]);
  });
  await eventually(async () => {
    const rows = await here.db.query(sql`
      update archive_imports set leased_until = now() where lease is null and pauses > 0 and status = 'started' returning 1`);
    expect(rows).toHaveLength(2);
  });
  others.failures = [];
  await ends(await begun(await archive(), { path: 'third' }), 'finished');
  for (const one of [id, second]) await ends(one, 'finished');
  // Each was checked once: it did not begin anew.
  expect(others.checks).toBe(12);
});

it('ends where who imports has lost the role Maintainer midway, or was blocked, in the middle of a stage too (G-4.19-9)', async () => {
  const user = here.directory.users.get(author);
  const write = (changed: object) => here.directory.write({ $case: 'user', value: { ...user, ...changed } as never });
  const level = (accessLevel: number) =>
    here.directory.write({ $case: 'membership', value: { ...membership, accessLevel } });
  for (const [awayAt, lose, restore] of [
    ['bug', () => level(30), () => level(40)],
    ['"iid":3', () => write({ state: 'blocked' }), () => write({ state: 'active' })],
  ] as const) {
    others.awayAt = awayAt;
    const id = await begun(await archive());
    const waiting = sql`select 1 from archive_imports where project_id = ${id} and lease is null and pauses = 1`;
    await eventually(async () => expect(await here.db.query(waiting)).toHaveLength(1));
    lose();
    others.awayAt = undefined;
    await ends(id, 'failed');
    expect(await shown(id)).toMatchObject({ import_error: 'Who imports may not import into this project any more' });
    restore();
  }
  expect([...(others.records.get('issues') ?? [])]).toEqual([1, 2].map((iid) => JSON.stringify({ iid })));
  expect(others.bundles).toHaveLength(1);
  await nothingKept();
});

it('a cancelled import stops, and its archive goes', async () => {
  others.failures = Array.from({ length: 100 }, () => unavailable('away'));
  const id = await begun(await archive());
  await eventually(async () =>
    expect(await here.db.query(sql`select 1 from archive_imports where project_id = ${id} and stage > 0`)).toHaveLength(
      1,
    ),
  );
  const cancel = () =>
    here
      .client(ProjectImportServiceService)
      .cancelForgeaImport({ projectId: id }, here.as({ id: author }, { id, level: 50 }));
  expect(json(await cancel())).toMatchObject({ import_status: 'canceled' });
  await expect(cancel()).rejects.toMatchObject({ kind: 'bad_request' });
  await ends(id, 'canceled');
  await nothingKept();
});

it('a repository that is being read when the import is cancelled is read no further', async () => {
  others.waits = true;
  const id = await begun(await archive());
  await eventually(async () => expect(others.begun).toBe(1));
  await here
    .client(ProjectImportServiceService)
    .cancelForgeaImport({ projectId: id }, here.as({ id: author }, { id, level: 50 }));
  await eventually(async () => expect(others.stopped).toBe(1), { within: 15_000 });
  await nothingKept();
});

it('a process that dies on its way leaves nothing that another one does not finish', async () => {
  await here.stop();
  const sent = await archive();
  const points = [...['added', 'checked', 'page_saved', 'announced']];
  for (const [at, point] of points.entries()) {
    await dieAt(`archive_import.${point}`, here.startProcess, (insist) =>
      insist(() => send(sent, { path: `dead-${at}` })),
    );
    // As if the lease of the dead process had run out.
    await here.db.query(sql`update archive_imports set leased_until = now() where leased_until is not null`);
  }
  await here.start();
  await ends(await begun(sent, { path: 'after-all' }), 'finished');
  await eventually(
    async () => {
      const rows = await here.db.query<{ status: string }>(
        sql`select distinct status from archive_imports where path like 'dead-%'`,
      );
      expect(rows).toEqual([{ status: 'finished' }]);
    },
    { within: 60_000 },
  );
  expect([...(others.records.get('issues') ?? [])]).toHaveLength(4);
  await here.db.query(sql`update blob_remains set due_at = now() - interval '1 second'`);
});

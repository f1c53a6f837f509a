import { sql } from '@switchyard/database/sql';
import {
  AppError,
  forbidden,
  invalid,
  notFound,
  tooManyRequests,
  unavailable,
  unprocessable,
} from '@switchyard/errors';
import { type ImportIssuesRequest, IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { type ImportedNote, NoteImportServiceService } from '@switchyard/protos/collaboration/v1/note_import';
import {
  type CreateImportedProjectRequest,
  type ImportedProject,
  ImportedProjectServiceService,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import { type ImportLabelsRequest, LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { type ImportMilestonesRequest, MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { ImportPlaceholderEvent } from '@switchyard/protos/imports_exports/events/v1/import_placeholder_event';
import { ImportPlaceholderServiceService } from '@switchyard/protos/imports_exports/v1/import_placeholder';
import {
  ProjectImportServiceService,
  type StartForgeaImportRequest,
} from '@switchyard/protos/imports_exports/v1/project_import';
import {
  type ImportedMergeRequest,
  type ImportMergeRequestReviewsRequest,
  MergeRequestImportServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_import';
import { type ImportedRelease, ReleaseImportServiceService } from '@switchyard/protos/merge_requests/v1/release_import';
import {
  type ImportRepositoryRequest,
  RepositoryImportServiceService,
} from '@switchyard/protos/merge_requests/v1/repository_import';
import { type ImportUploadRequest, UploadImportServiceService } from '@switchyard/protos/packages/v1/upload_import';
import { AuthorshipServiceService, type ReassignRequest } from '@switchyard/protos/rpc/v1/authorship';
import type { ImportedEvent } from '@switchyard/protos/rpc/v1/imported_event';
import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, implement, type RpcClient } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import {
  type FakeForge,
  type FakeForgebCloud,
  type ForgeFault,
  startFakeForge,
  startFakeForgebCloud,
  startFakeForgebServer,
} from '@switchyard/testkit/forge';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { listImports } from '../../src/project-imports';
import { service } from '../../src/service';
import { keysIn } from '../support/keys';
import { placeholderUsers } from '../support/placeholder-users';

/** What the other services were asked for, and how they answer. */
const others = {
  projects: new Map<string, ImportedProject>(),
  namespaceId: 0,
  statuses: [] as string[],
  /** Ends of imports that groups-admin does not take, one a call. */
  endRefusals: [] as AppError[],
  labels: new Set<string>(),
  labelRequests: [] as ImportLabelsRequest[],
  milestones: [] as ImportMilestonesRequest['milestones'],
  issues: [] as ImportIssuesRequest['issues'],
  /** Of issues, notes and pull requests: numbers or keys, and what is said to be known, request by request. */
  brought: [] as { readonly names: readonly (string | number)[]; readonly knownBefore: Date | undefined }[],
  notes: new Map<string, ImportedNote>(),
  repositories: [] as ImportRepositoryRequest[],
  /** Numbers that are kept, each with how many repositories were asked for before, and failures to keep them. */
  reserved: [] as (readonly [list: 'issues' | 'pulls', highest: number, repositories: number])[],
  reserveRefusals: [] as AppError[],
  /** Placeholder users by project and person. */
  placeholders: new Map<string, number>(),
  removed: [] as number[],
  reassigned: [] as ReassignRequest[],
  /** What is left to be rewritten, and failures on the way. */
  rewrites: [] as (number | AppError)[],
  pulls: [] as ImportedMergeRequest[],
  reviews: [] as ImportMergeRequestReviewsRequest['reviews'],
  events: { issues: [] as ImportedEvent[], pulls: [] as ImportedEvent[] },
  releases: [] as ImportedRelease[],
  /** Files that were asked for, and what is said of those that are not given, one a call. */
  files: [] as ImportUploadRequest[],
  fileProblems: [] as (AppError | { reason: string; mayPass: boolean; retryAfter: number })[],
  /** Who was let in, by whom and at which level. */
  members: [] as { userId: number; level: number; importerId: number; forEverybody: boolean }[],
  refusal: undefined as AppError | undefined,
  repositoryRefusals: [] as AppError[],
  /** Refs that did not move. */
  kept: [] as string[],
  /** Settles when the repository may go on. */
  repositoryWait: undefined as Promise<void> | undefined,
};

const byId = (id: number): ImportedProject => {
  const found = [...others.projects.values()].find(({ projectId }) => projectId === id);
  if (found === undefined) throw notFound('Project');
  return found;
};

function create(request: CreateImportedProjectRequest): ImportedProject {
  if (others.refusal !== undefined) throw others.refusal;
  const { key, namespace, name, description, importType, importSource } = request;
  const made: ImportedProject = others.projects.get(key) ?? {
    projectId: here.directory.project(others.namespaceId).id,
    name,
    path: name,
    fullPath: `${namespace}/${name}`,
    fullName: `Acme / ${name}`,
    description,
    createdAt: new Date('2026-01-02T03:04:05.678Z'),
    importStatus: 'scheduled',
    importError: '',
    importType,
    importSource,
    forked: false,
    directorySequence: here.directory.changes.length,
  };
  others.projects.set(key, made);
  return made;
}

function reserve(list: 'issues' | 'pulls', highest: number): Record<string, never> {
  const refusal = others.reserveRefusals.shift();
  if (refusal !== undefined) throw refusal;
  others.reserved.push([list, highest, others.repositories.length]);
  return {};
}

const rule = { callers: ['imports-exports'], onBehalfOf: true };
// Of services with more calls than an import makes, the others are not answered.
// biome-ignore lint/suspicious/noExplicitAny: their requests do not matter
const unused = (definition: object, used: readonly string[]): any =>
  Object.fromEntries(
    Object.keys(definition)
      .filter((name) => !used.includes(name))
      .map((name) => [name, () => Promise.reject(new Error(name))]),
  );
const peers = [
  implement(
    ImportedProjectServiceService,
    {
      createImportedProject: async (request) => create(request),
      getImportedProject: async ({ projectId }) => byId(projectId),
      async setImportStatus({ projectId, status, error }) {
        const refusal = status === 'finished' ? others.endRefusals.shift() : undefined;
        if (refusal !== undefined) throw refusal;
        Object.assign(byId(projectId), { importStatus: status, importError: error });
        others.statuses.push(status);
        return {};
      },
    },
    { createImportedProject: rule, getImportedProject: rule, setImportStatus: rule },
  ),
  implement(
    LabelServiceService,
    {
      ...unused(LabelServiceService, ['importLabels']),
      async importLabels(request: ImportLabelsRequest) {
        others.labelRequests.push(request);
        const taken = request.labels.filter(({ title }) => !title.startsWith('refused'));
        for (const { title } of taken) others.labels.add(title);
        return { imported: taken.length };
      },
    },
    { importLabels: rule },
  ),
  implement(
    MilestoneServiceService,
    {
      ...unused(MilestoneServiceService, ['importMilestones']),
      async importMilestones({ milestones }: ImportMilestonesRequest) {
        others.milestones = milestones;
        return { imported: milestones.length };
      },
    },
    { importMilestones: rule },
  ),
  implement(
    IssueImportServiceService,
    {
      reserveIssueNumbers: async ({ highest }) => reserve('issues', highest),
      async importIssues({ issues, knownBefore }) {
        others.issues = issues;
        others.brought.push({ names: issues.map(({ iid }) => `#${iid}`), knownBefore });
        return { imported: issues.length };
      },
      async importIssueEvents({ events }) {
        others.events.issues.push(...events);
        return { imported: events.length };
      },
    },
    { reserveIssueNumbers: rule, importIssues: rule, importIssueEvents: rule },
  ),
  implement(
    MergeRequestImportServiceService,
    {
      reserveMergeRequestNumbers: async ({ highest }) => reserve('pulls', highest),
      async importMergeRequests({ mergeRequests, knownBefore }) {
        others.pulls.push(...mergeRequests);
        others.brought.push({ names: mergeRequests.map(({ iid }) => `!${iid}`), knownBefore });
        return { imported: mergeRequests.length };
      },
      async importMergeRequestReviews({ reviews }) {
        others.reviews.push(...reviews);
        return { imported: reviews.length };
      },
      async importMergeRequestEvents({ events }) {
        others.events.pulls.push(...events);
        return { imported: events.length };
      },
      async nextImportedMergeRequest({ fromIid }) {
        const found = others.pulls.map(({ iid }) => iid).filter((iid) => iid >= fromIid);
        return { iid: found.length === 0 ? 0 : Math.min(...found) };
      },
      locateImportedNotes: () => Promise.reject(new Error('locateImportedNotes')),
    },
    {
      ...{ importMergeRequests: rule, importMergeRequestReviews: rule, importMergeRequestEvents: rule },
      ...{ nextImportedMergeRequest: rule, locateImportedNotes: rule, reserveMergeRequestNumbers: rule },
    },
  ),
  implement(
    ReleaseImportServiceService,
    {
      async importReleases({ releases }) {
        others.releases.push(...releases);
        return { imported: releases.length };
      },
    },
    { importReleases: rule },
  ),
  implement(
    UploadImportServiceService,
    {
      async importUpload(request) {
        others.files.push(request);
        const none = { link: '', markdown: '', reason: '', mayPass: false, retryAfter: 0 };
        const problem = request.url.includes('gone')
          ? { reason: 'The forge answered 404', mayPass: false, retryAfter: 0 }
          : others.fileProblems.shift();
        if (problem instanceof AppError) throw problem;
        const name = request.url.slice(request.url.lastIndexOf('/') + 1);
        return problem === undefined
          ? { ...none, link: `/uploads/s/${name}`, markdown: `![${name}](/uploads/s/${name})` }
          : { ...none, ...problem };
      },
    },
    { importUpload: rule },
  ),
  implement(
    NoteImportServiceService,
    {
      async importNotes({ notes, knownBefore }) {
        others.brought.push({ names: notes.map(({ key }) => key), knownBefore });
        for (const note of notes) others.notes.set(note.key, note);
        return { imported: notes.length };
      },
    },
    { importNotes: rule },
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
        const changed = others.rewrites.shift() ?? 0;
        if (typeof changed !== 'number') throw changed;
        return { changed, more: changed > 0 };
      },
    },
    { reassign: rule },
  ),
  implement(
    ProjectRecordServiceService,
    {
      readProjectRecords: () => Promise.reject(new Error('readProjectRecords')),
      async writeProjectRecords({ kind, lines, importerId, forEverybody }) {
        if (kind !== 'collaborators') throw new Error(kind);
        const records = Buffer.from(lines).toString().trimEnd().split('\n');
        for (const record of records) {
          const { user_id: userId, access_level: level } = JSON.parse(record) as {
            user_id: number;
            access_level: number;
          };
          others.members.push({ userId, level, importerId, forEverybody });
        }
        return { written: records.length, unknown: [], leftOut: [] };
      },
    },
    { readProjectRecords: rule, writeProjectRecords: rule },
  ),
  implement(
    RepositoryImportServiceService,
    {
      ...unused(RepositoryImportServiceService, ['importRepository']),
      async importRepository(request: ImportRepositoryRequest) {
        others.repositories.push(request);
        const refusal = others.repositoryRefusals.shift();
        if (refusal !== undefined) throw refusal;
        await others.repositoryWait;
        return { refs: 1, skipped: others.kept.length, kept: others.kept };
      },
    },
    { importRepository: rule },
  ),
];

let here: TestInstallation;
let imports: RpcClient<typeof ProjectImportServiceService>;
let placeholders: RpcClient<typeof ImportPlaceholderServiceService>;
let ghost: number;
let forge: FakeForge;
let cloud: FakeForgebCloud;

const at = '2020-01-02T03:04:05Z';
const label = (name: unknown, color: unknown = 'ff0000') => ({ id: 1, name, color, description: null });
const milestone = (number: unknown, more: object = {}) => ({
  ...{ number, title: `v${number}`, description: null, state: 'open', due_on: null, created_at: at, updated_at: at },
  ...more,
});

beforeAll(async () => {
  cloud = await startFakeForgebCloud();
  here = await testInstallation({
    service,
    peers: () => peers,
    environment: (folder) => ({
      ...keysIn(folder),
      SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1',
      SWITCHYARD_FORGEB_URL: cloud.url,
    }),
  });
  imports = here.client(ProjectImportServiceService);
  placeholders = here.client(ImportPlaceholderServiceService);
  ghost = here.directory.user({ username: 'ghost', bot: true, kind: 'ghost' }).id;
  others.namespaceId = here.directory.namespace().id;
  for (const one of [user, stranger]) {
    one.id = here.directory.user().id;
    here.directory.member(one.id, { namespaceId: others.namespaceId }, 40);
  }
  // On a busy machine its first read of the directory takes longer than a call waits.
  await eventually(
    async () => {
      const answer = await get(1).catch((error: AppError) => error.kind);
      expect(answer).toBe('not_found');
    },
    { within: 60_000 },
  );
});
afterAll(async () => {
  await here?.close();
  await cloud?.close();
});
beforeEach(async () => {
  forge = await startFakeForge({
    lists: {
      labels: Array.from({ length: 25 }, (_, index) => label(`label ${index}`)),
      milestones: [milestone(3, { state: 'closed', due_on: '2020-02-03T08:00:00Z' }), milestone(4)],
    },
  });
  Object.assign(others, { statuses: [], labels: new Set(), labelRequests: [], milestones: [], repositories: [] });
  Object.assign(others, { issues: [], brought: [], notes: new Map(), placeholders: new Map(), removed: [] });
  Object.assign(others, { reassigned: [], rewrites: [], pulls: [], reviews: [], releases: [], members: [] });
  others.events = { issues: [], pulls: [] };
  Object.assign(others, { reserved: [], reserveRefusals: [] });
  Object.assign(others, { files: [], fileProblems: [] });
  Object.assign(others, { refusal: undefined, repositoryRefusals: [], repositoryWait: undefined, kept: [] });
});
afterEach(() => forge.close());

/** Who has been asked to take the places of whom in a project. */
const asks = async (projectId: number) => {
  const rows = await here.db.query<{ body: object }>(sql`
    select body from events.outbox where event_id like 'import_placeholder.asked:%' order by id`);
  return rows
    .map(({ body }) => ImportPlaceholderEvent.fromJSON(body))
    .filter((asked) => asked.projectId === projectId)
    .map(({ login, userId }) => [login, userId]);
};

/** Who imports, and somebody else who does. */
const user = { id: 0 };
const stranger = { id: 0 };
const start = async (given: Partial<StartForgeaImportRequest> = {}, by: { id: number; admin?: boolean } = user) => {
  const request = {
    ...{ personalAccessToken: forge.token, repoId: 1, newName: '', targetNamespace: 'acme', hostname: forge.url },
    ...{ timeoutStrategy: 'pessimistic', paginationLimit: 10, collaboratorsImport: false, attachmentsImport: false },
    ...given,
  };
  return json(await imports.startForgeaImport(request, here.as(by))) as { id: number; import_status: string };
};
const get = async (id: number) =>
  json(await imports.getProjectImport({ projectId: id }, here.as(user, { id }))) as Record<string, unknown>;
const cancel = async (id: number) =>
  json(await imports.cancelForgeaImport({ projectId: id }, here.as(user, { id }))) as Record<string, unknown>;

/** Every pause of an import ends now. */
const hurry = () =>
  here.db.query(sql`update project_imports set leased_until = now() where lease is null and leased_until is not null`);
const endsAs = (id: number, status: string) =>
  eventually(
    async () => {
      await hurry();
      const shown = await get(id);
      expect(shown.import_status).toBe(status);
      expect(others.statuses.at(-1)).toBe(status);
      return shown;
    },
    { within: 30_000 },
  );
const tokens = () => here.db.query(sql`select 1 from project_imports where token is not null`);

it('brings over repository, labels and milestones, page by page, and erases the token (G-2-38, G-4.19-1, G-4.19-6)', async () => {
  const begun = await start();
  expect(begun).toMatchObject({
    ...{ name: 'things', full_path: '/acme/things', import_source: 'octo/things', import_status: 'scheduled' },
    ...{ refs_url: '/acme/things/refs', relation_type: null, provider_link: '/octo/things' },
  });
  expect(await endsAs(begun.id, 'finished')).toMatchObject({
    ...{ path_with_namespace: 'acme/things', import_type: 'github', import_error: null, failed_relations: [] },
    stats: { fetched: { label: 25, milestone: 2, issue: 0 }, imported: { label: 25, milestone: 2, note: 0 } },
    progress: {
      stages: expect.arrayContaining([
        { name: 'repository', status: 'finished', fetched: 0, imported: 0, pages: null },
        { name: 'labels', status: 'finished', fetched: 25, imported: 25, pages: 3 },
      ]),
      stage_seconds_left: null,
    },
  });
  expect(others.statuses).toEqual(['started', 'finished']);
  expect(others.repositories).toEqual([
    {
      ...{
        projectId: begun.id,
        actorId: user.id,
        url: `${forge.url}/octo/things.git`,
        headsPattern: 'refs/pull/*/head',
      },
      authorization: `Basic ${Buffer.from(`x-access-token:${forge.token}`).toString('base64')}`,
    },
  ]);
  expect(others.labelRequests.map(({ labels }) => labels.length)).toEqual([10, 10, 5]);
  expect(others.milestones).toMatchObject([
    { iid: 3, closed: true, dueDate: '2020-02-03', createdAt: new Date(at) },
    { iid: 4, closed: false, dueDate: '' },
  ]);
  expect(await tokens()).toEqual([]);
});

it.each([
  ['a token that the forge refuses', { personalAccessToken: 'other' }, 'unauthorized', { error: 'Wrong credentials' }],
  [
    'a repository that is not there',
    { repoId: 2 },
    'unprocessable',
    { errors: 'Import failed due to an error of the forge: The forge answered 404' },
  ],
  ['an address inside', { hostname: 'http://10.0.0.1' }, 'invalid', { errors: 'Invalid URL: http://10.0.0.1' }],
  [
    'credentials',
    { hostname: 'https://u:p@forge.example' },
    'invalid',
    { errors: 'Invalid URL: https://u:p@forge.example' },
  ],
  ['no address', { hostname: 'http://[' }, 'invalid', { errors: 'Invalid URL: http://[' }],
  ['a name with two dots', { newName: 'a..b' }, 'invalid_params', { error: 'new_name is invalid' }],
  ['a name that ends with a dash', { newName: 'a-' }, 'invalid_params', { error: 'new_name is invalid' }],
])('refuses %s (G-4.19-1, G-4.19-7, G-4.19-8)', async (_, given, kind, body) => {
  await expect(start(given)).rejects.toMatchObject({ kind, body });
});

it.each([
  [notFound('Namespace'), 'Namespace or group to import repository into does not exist.'],
  [forbidden(), 'You are not allowed to import projects in this namespace.'],
  [
    invalid({ name: ['has already been taken'], path: ['has already been taken'] }),
    'Name has already been taken, Path has already been taken',
  ],
])('says what groups-admin refuses, and keeps nothing (%#)', async (refusal, errors) => {
  others.refusal = refusal;
  await expect(start()).rejects.toMatchObject({ kind: 'unprocessable', body: { errors } });
  expect(await tokens()).toEqual([]);
});

it('an import whose project may have been made goes on', async () => {
  others.refusal = unavailable();
  await expect(start()).rejects.toMatchObject({ kind: 'unavailable' });
  others.refusal = undefined;
  await eventually(async () => {
    await hurry();
    expect(others.statuses.at(-1)).toBe('finished');
  });
});

it('waits as long as the forge asks, and asks again for the page at which it stopped', async () => {
  const reset = Math.ceil(Date.now() / 1_000) + 600;
  forge.breakNext(/labels\?page=2/, (_, response) =>
    response
      .writeHead(403, {
        'Content-Type': 'application/json',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(reset),
      })
      .end('{"message":"API rate limit exceeded"}'),
  );
  forge.breakNext(/milestones/, (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
  const { id } = await start();
  const pauses = async (least: number, most: number) =>
    eventually(async () => {
      const [row] = await here.db.query<{ left: number }>(
        sql`select extract(epoch from leased_until - now())::float8 as left from project_imports where project_id = ${id} and lease is null`,
      );
      expect(row?.left).toBeGreaterThan(least);
      expect(row?.left).toBeLessThanOrEqual(most);
    });
  await pauses(550, 601);
  expect((await get(id)).import_status).toBe('started');
  await hurry();
  // The worker of another process, or this one at its next look.
  await pauses(250, 301);
  await endsAs(id, 'finished');
  const pages = forge.requests
    .filter(({ url }) => url.includes('/labels'))
    .map(({ url }) => /page=(\d)/.exec(url)?.[1]);
  expect(pages).toEqual(['1', '2', '2', '3']);
  expect(others.repositories).toHaveLength(1);
  // At each carry-out: the process of the one before may have died between its own row and groups-admin.
  expect(others.statuses).toEqual(['started', 'started', 'started', 'finished']);
});

const row = async (id: number) => {
  const [found] = await here.db.query<{ left: number; lease: string | null; attempts: number; pauses: number }>(sql`
    select extract(epoch from leased_until - now())::float8 as left, lease, attempts, pauses from project_imports
    where project_id = ${id}`);
  return found;
};

it('no pause is longer than an hour, and none counts as a failure', async () => {
  others.repositoryRefusals = [unavailable(new Error('away'), 10 ** 9), tooManyRequests(10 ** 9)];
  const { id } = await start();
  for (let pauses = 1; pauses <= 2; pauses += 1) {
    await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, attempts: 0, pauses }));
    const { left = 0 } = (await row(id)) ?? {};
    expect(left).toBeGreaterThan(3_500);
    expect(left).toBeLessThanOrEqual(3_600);
    await hurry();
  }
  others.repositoryRefusals = [new AppError('internal', { message: 'broken' })];
  await endsAs(id, 'finished');
});

it('an import whose tries all died is not worked on again', async () => {
  forge.breakNext(/labels/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
  const { id } = await start();
  await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
  await here.db.query(sql`update project_imports set attempts = 20 where project_id = ${id}`);
  expect(await endsAs(id, 'failed')).toMatchObject({ import_error: 'The import failed' });
  expect(others.labelRequests).toEqual([]);
});

it('names what could not be brought over, the first hundred of it (failed_relations)', async () => {
  forge.contents.lists.labels = [label('good'), label('refused'), label(7), label('fine')];
  forge.contents.lists.milestones = Array.from({ length: 120 }, (_, index) => milestone(index + 1, { title: 7 }));
  const { id } = await start();
  const { failed_relations: failed, progress } = (await endsAs(id, 'finished')) as {
    failed_relations: Record<string, unknown>[];
    progress: { stages: unknown[] };
  };
  expect(progress.stages[1]).toMatchObject({ name: 'labels', fetched: 4, imported: 2 });
  const relation = { id: expect.any(Number), created_at: expect.any(String), exception_class: 'NotImported' };
  const unread = { ...relation, line_number: 0, exception_message: 'The forge sent it in a form that cannot be read' };
  expect(failed.slice(0, 3)).toEqual([
    { ...unread, source: '1', relation_name: 'labels' },
    { ...unread, exception_message: 'The project does not take it', source: 'refused', relation_name: 'labels' },
    { ...unread, source: '#1', relation_name: 'milestones' },
  ]);
  expect(failed).toHaveLength(100);
  expect(failed.at(-1)).toMatchObject({ source: '#98' });
});

it('says how far it is and how long the stage takes, to the operator as well (imports)', async () => {
  forge.breakNext(/labels.*[?&]page=2/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
  const { id } = await start();
  await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
  const labels = { name: 'labels', status: 'started', fetched: 10, imported: 10, pages: 3 };
  const { progress } = await get(id);
  expect(progress).toEqual({
    attachments: null,
    stages: expect.arrayContaining([
      labels,
      { name: 'issues', status: 'scheduled', fetched: 0, imported: 0, pages: null },
    ]),
    stage_seconds_left: expect.any(Number),
  });
  const lines: string[] = [];
  const given = { db: here.db, bus: () => here.bus, write: (line: string) => void lines.push(line) };
  expect(await listImports.run(given, [], {})).toBe(0);
  const first = lines.findIndex((line) => line.startsWith(`octo/things of github into project ${id}: started`));
  expect(lines.slice(first)).toEqual([
    expect.stringMatching(/, the stage ends in about \d+ s$/),
    '  repository: finished, 0 fetched, 0 imported',
    '  labels: started, 10 fetched, 10 imported, page 2 of 3',
    '  milestones: scheduled, 0 fetched, 0 imported',
    ...Array(7).fill(expect.stringMatching(/: scheduled, 0 fetched, 0 imported$/)),
    expect.stringMatching(/^\d+ imports run$/),
  ]);
  await cancel(id);
  expect(await get(id)).toMatchObject({ progress: { stage_seconds_left: null } });
});

it('keeps the numbers of the forge before anything else can take them, at the latest before the repository', async () => {
  forge.contents.lists.issues = [{ number: 12 }];
  const kept = (repositories: number) => [
    ['issues', 12, repositories],
    ['pulls', 12, repositories],
  ];
  let goOn = (): void => undefined;
  others.repositoryWait = new Promise((settle) => {
    goOn = settle;
  });
  const [first, second] = [await start(), await start({ newName: 'second' })];
  // The second one waits, and its numbers are kept all the same.
  expect(others.reserved.slice(0, 2)).toEqual(kept(0));
  expect(others.reserved.filter(([list]) => list === 'issues').length).toBeGreaterThan(1);
  goOn();
  for (const { id } of [first, second]) await endsAs(id, 'finished');
  others.reserved = [];
  // More than a client tries by itself: the first stage does it.
  others.reserveRefusals = Array.from({ length: 20 }, () => unavailable('away'));
  const third = await start({ newName: 'third' });
  expect(third.import_status).toBe('scheduled');
  others.reserveRefusals = [];
  await endsAs(third.id, 'finished');
  expect(others.reserved).toEqual(kept(2));
  expect(others.repositories.map(({ projectId }) => projectId)).toEqual([first.id, second.id, third.id]);
});

it('imports of one author are worked on one after the other, those of others beside them', async () => {
  let goOn = (): void => undefined;
  others.repositoryWait = new Promise((settle) => {
    goOn = settle;
  });
  const [first, second] = [await start(), await start({ newName: 'second' })];
  const other = await start({ newName: 'other' }, stranger);
  await eventually(async () => expect(others.repositories).toHaveLength(2));
  expect(others.repositories.map(({ projectId }) => projectId)).toEqual([first.id, other.id]);
  goOn();
  await endsAs(second.id, 'finished');
});

it('a forge that is away, breaks off or sends something else is asked again', async () => {
  const faults: ForgeFault[] = [
    (_, response) => void response.destroy(),
    (_, response) => void response.writeHead(502).end('<html>'),
    (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"name":"half'),
    (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"labels":[]}'),
  ];
  for (const fault of faults) forge.breakNext(/labels/, fault);
  others.repositoryRefusals = [unavailable(), unavailable()];
  const { id } = await start();
  await endsAs(id, 'finished');
  expect(others.labels.size).toBe(25);
});

it('the next page is found behind a long header, and one that is cut off ends the import', async () => {
  const linked = (length: number): ForgeFault => {
    const link = `<${forge.url}/api/v3/x?${'v'.repeat(length)}>; rel="first", <${forge.url}/api/v3/y>; rel="next"`;
    return (_, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json', Link: link })
        .end(JSON.stringify([label('one')]));
  };
  forge.breakNext(/labels\?page=1/, linked(4_000));
  forge.breakNext(/labels\?page=2/, linked(9_000));
  const { id } = await start();
  expect(await endsAs(id, 'failed')).toMatchObject({ import_error: 'The forge sent a header Link that is too long' });
  expect(others.labelRequests).toHaveLength(1);
});

it('leaves out what no label or milestone can be', async () => {
  forge.contents.lists.labels = [label('ok 🐛'), label(5), { name: 'x' }, null as never, label('plain', 'zzz')];
  forge.contents.lists.milestones = [
    milestone(1, { created_at: '0000-00-00T00:00:00Z' }),
    milestone(-1),
    milestone(2, { due_on: '9'.repeat(40) }),
    milestone('7'),
  ];
  const { id } = await start();
  expect(await endsAs(id, 'finished')).toMatchObject({
    stats: { fetched: { label: 5, milestone: 4 }, imported: { label: 2, milestone: 1 } },
  });
  expect(others.milestones).toMatchObject([{ iid: 2, dueDate: '' }]);
});

const dated = { created_at: at, updated_at: at };
const issue = (number: number, more: object = {}) => ({
  ...{ number, title: `Issue ${number}`, body: 'See #12, @ada', state: 'open', user: { login: 'octocat' }, ...dated },
  ...{ labels: [{ name: 'bug' }], milestone: { number: 3 }, assignees: [], locked: false, closed_at: null },
  ...more,
});
const note = (id: number, number: number, more: object = {}) => ({
  ...{ id, body: `Comment ${id}`, user: { login: 'hubot' }, ...dated },
  issue_url: `https://api.forge.example/repos/octo/things/issues/${number}`,
  html_url: `https://forge.example/octo/things/issues/${number}#issuecomment-${id}`,
  ...more,
});

it('brings over issues and comments, with the importer by e-mail, asks members, and leaves pull requests out', async () => {
  const known = here.directory.user({ confirmedEmails: ['Octo@Example.com'] });
  const blocked = here.directory.user({ confirmedEmails: ['gone@example.com'], state: 'blocked' });
  const shown = { publicEmail: 'Shown@example.com', confirmedEmails: ['shown@example.com'] };
  const member = here.directory.user(shown);
  const hidden = here.directory.user({ confirmedEmails: ['hidden@example.com'] });
  // Shown to others, and never confirmed.
  const other = here.directory.user({ publicEmail: 'other@example.com' });
  // A forge may say of anybody what it likes: only members of the project are found.
  here.directory.user({ publicEmail: 'boss@example.com', confirmedEmails: ['boss@example.com'], admin: true });
  for (const { id } of [known, blocked, member, hidden, other])
    here.directory.member(id, { namespaceId: others.namespaceId }, 40);
  Object.assign(forge.contents.users, {
    octocat: { id: 1, login: 'octocat', email: 'octo@example.com' },
    hubot: { id: 2, login: 'hubot', email: null },
    boss: { id: 3, login: 'boss', email: 'boss@example.com' },
    gone: { id: 4, login: 'gone', email: 'gone@example.com' },
    ...Object.fromEntries(
      ['shown', 'hidden', 'other'].map((login, at) => [login, { id: 5 + at, login, email: `${login}@example.com` }]),
    ),
    // Somebody else with the address of a member, who is asked once.
    again: { id: 8, login: 'again', email: 'shown@example.com' },
  });
  forge.contents.lists.issues = [
    issue(1, {
      state: 'closed',
      closed_at: '2020-03-04T05:06:07Z',
      assignees: [{ login: 'octocat' }, { login: 'gone' }],
    }),
    issue(2, { pull_request: {} }),
    issue(3, { user: null, body: null, milestone: null }),
    issue(4, { title: 7 }),
  ];
  forge.contents.lists['issues/comments'] = [
    note(11, 1),
    note(12, 2, { html_url: 'https://forge.example/octo/things/pull/2#issuecomment-12' }),
    note(13, 3, { user: { login: 'gone' } }),
    note(14, 3, { issue_url: 'https://forge.example/../..' }),
    note(15, 1, { user: { login: 'octocat' } }),
    note(16, 1, { user: { login: 'boss' } }),
    ...['shown', 'hidden', 'other', 'again'].map((login, at) => note(17 + at, 1, { user: { login } })),
  ];
  const { id } = await start({}, known);
  expect(await endsAs(id, 'finished')).toMatchObject({
    stats: { fetched: { issue: 3, note: 10 }, imported: { issue: 2, note: 9 } },
  });
  const by = (foreignId: string) => others.placeholders.get(`${id}:${foreignId}`);
  expect(others.issues).toMatchObject([
    {
      ...{ iid: 1, authorId: known.id, description: 'See #12, @ada', closedAt: new Date('2020-03-04T05:06:07Z') },
      ...{ labels: ['bug'], milestoneIid: 3, assigneeIds: [known.id, by('4')], createdAt: new Date(at) },
    },
    { iid: 3, authorId: ghost, description: '', closedAt: undefined, milestoneIid: 0 },
  ]);
  expect(blocked.id).not.toBe(known.id);
  expect([...others.notes.values()]).toMatchObject([
    { key: '11', noteableIid: 1, authorId: by('2'), body: 'Comment 11' },
    { key: '12', noteableType: 'MergeRequest', noteableIid: 2 },
    { key: '13', noteableIid: 3, authorId: by('4'), body: 'Comment 13' },
    { key: '15', noteableIid: 1, authorId: known.id, body: 'Comment 15' },
    { key: '16', noteableIid: 1, authorId: by('3'), body: 'Comment 16' },
    ...['5', '6', '7', '8'].map((foreignId, at) => ({ key: `${17 + at}`, authorId: by(foreignId) })),
  ]);
  expect(await listed(id, 'awaiting_approval')).toMatchObject([
    { source_username: 'shown', reassign_to_user: { id: member.id }, reassigned_by_user: { id: known.id } },
  ]);
  expect(await asks(id)).toEqual([['shown', member.id]]);
  const asked = forge.requests.filter(({ url }) => url.includes('/users/')).map(({ url }) => url.split('/').at(-1));
  expect(asked.sort()).toEqual(['again', 'boss', 'gone', 'hidden', 'hubot', 'octocat', 'other', 'shown']);
});

it("an administrator's import writes for members", async () => {
  const member = here.directory.user({ confirmedEmails: ['member@example.com'] });
  const admin = here.directory.user({ admin: true });
  for (const { id } of [member, admin]) here.directory.member(id, { namespaceId: others.namespaceId }, 40);
  forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'member@example.com' };
  forge.contents.lists.issues = [issue(1)];
  const { id } = await start({}, { ...admin, admin: true });
  await endsAs(id, 'finished');
  expect(others.issues).toMatchObject([{ authorId: member.id }]);
});

it('goes on by the cursor of a list after a pause', async () => {
  forge.contents.lists.issues = Array.from({ length: 12 }, (_, index) => issue(index + 1));
  forge.breakNext(/after=page%3D2/, (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
  forge.breakNext(/issues\?.*\bpage=2/, (_, response) => response.writeHead(422).end('{}'));
  const { id } = await start();
  expect(await endsAs(id, 'finished')).toMatchObject({ stats: { fetched: { issue: 12 }, imported: { issue: 12 } } });
});

const listed = async (projectId: number, state = '') => {
  const request = { projectId, state, page: PageRequest.fromPartial({ page: 1, perPage: 20 }) };
  const { json: rows } = await placeholders.listImportPlaceholders(request, here.as(user, { id: projectId }));
  return JSON.parse(Buffer.from(rows).toString()) as { id: number; state: string; source_username: string }[];
};

/** Path of a project, as it is known here. */
const pathOf = async (id: number) => {
  const [found] = await here.db.query<{ path: string }>(sql`
    select n.full_path || '/' || p.path as path from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    where p.id = ${id}`);
  return found?.path ?? '';
};

it('who wrote something is reassigned to who accepts it, part by part, and is then known (ADR 67)', async () => {
  const owner = here.directory.user();
  const [target, blocked] = [here.directory.user(), here.directory.user({ state: 'blocked' })];
  Object.assign(forge.contents.users, { octocat: { id: 1, login: 'octocat', name: 'Mona' } });
  forge.contents.lists.issues = [issue(1), issue(2, { user: { login: 'hubot' } })];
  const { id } = await start();
  const importing = placeholders.reassignImportPlaceholder;
  await endsAs(id, 'finished');
  const [octocat, hubot] = await listed(id);
  const standIn = others.placeholders.get(`${id}:1`);
  expect(octocat).toMatchObject({
    ...{ state: 'pending', import_type: 'github', source_hostname: forge.url, source_user_identifier: '1' },
    ...{
      source_username: 'octocat',
      source_name: 'Mona',
      placeholder_user: { id: standIn, username: 'octocat_placeholder' },
    },
    ...{ reassign_to_user: null, reassigned_by_user: null },
  });
  expect(hubot).toMatchObject({ source_user_identifier: 'login:hubot', source_username: 'hubot' });
  const placeholderId = octocat?.id ?? 0;
  const as = (by: { id: number }) => here.as(by, { id });
  const reassign = (userId: number, by = { id: owner.id }, one = placeholderId) =>
    importing({ projectId: id, placeholderId: one, userId }, as(by));
  const named = { projectId: id, placeholderId, projectPath: '' };
  // Without access to the project.
  const answer = (by: { id: number }) => placeholders.acceptImportPlaceholder(named, here.as(by));
  await expect(reassign(999_999)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(reassign(blocked.id)).rejects.toMatchObject({ kind: 'bad_request' });
  await expect(reassign(standIn ?? 0)).rejects.toMatchObject({ kind: 'bad_request' });
  await expect(reassign(target.id, owner, 999_999)).rejects.toMatchObject({ kind: 'not_found' });
  expect(json(await reassign(target.id))).toMatchObject({
    state: 'awaiting_approval',
    reassign_to_user: { id: target.id },
  });
  await expect(answer(user)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(
    placeholders.acceptImportPlaceholder({ ...named, projectId: 999_999 }, here.as(target)),
  ).rejects.toMatchObject({ kind: 'not_found', body: { message: '404 Placeholder Not Found' } });
  const byPath = { ...named, projectId: 0, projectPath: await pathOf(id) };
  expect(json(await placeholders.rejectImportPlaceholder(byPath, here.as(target)))).toMatchObject({
    ...{ state: 'pending', reassign_to_user: null },
  });
  await reassign(target.id);
  others.rewrites = [500, 0, unavailable(), 3, 2];
  expect(json(await answer(target))).toMatchObject({ state: 'reassigning' });
  await expect(reassign(target.id)).rejects.toMatchObject({ kind: 'conflict' });
  await eventually(
    async () => {
      await here.db.query(sql`update import_placeholders set leased_until = now() where lease is null`);
      expect(await listed(id, 'reassigned')).toMatchObject([
        {
          id: placeholderId,
          placeholder_user: null,
          reassign_to_user: { id: target.id },
          reassigned_by_user: { id: owner.id },
        },
      ]);
    },
    { within: 30_000 },
  );
  // By mail once, although they rejected it before.
  expect(await asks(id)).toEqual([['octocat', target.id]]);
  expect(others.rewrites).toEqual([]);
  expect(others.removed).toEqual([standIn]);
  expect(new Set(others.reassigned.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ projectId: id, fromUserId: standIn, toUserId: target.id })]),
  );
  expect(
    await here.db.query(sql`
    select p.login, p.user_id from import_people p join project_imports i on i.id = p.import_id
    where i.project_id = ${id} and p.login = 'octocat'`),
  ).toEqual([{ login: 'octocat', user_id: target.id }]);
});

it('collaborators are let in once it is known who they are: at once, or when they take their places (ADR 67)', async () => {
  const known = here.directory.user({ confirmedEmails: ['collaborator@example.com'] });
  here.directory.member(known.id, { namespaceId: others.namespaceId }, 40);
  forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'collaborator@example.com' };
  forge.contents.users.hubot = { id: 2, login: 'hubot', email: null };
  const may = { admin: false, maintain: false, push: false, triage: false };
  forge.contents.lists.collaborators = [
    { login: 'octocat', role_name: 'maintain' },
    { login: 'hubot', role_name: 'made up', permissions: { ...may, push: true, triage: true } },
    { login: 'ada', permissions: may },
    { login: '' },
  ];
  expect((await start({}, known)).id).toBeDefined();
  const { id } = await start({ collaboratorsImport: true, newName: 'open' }, known);
  expect(await endsAs(id, 'finished')).toMatchObject({
    stats: { fetched: { collaborator: 4 }, imported: { collaborator: 1 } },
    failed_relations: [{ relation_name: 'collaborators' }],
  });
  const by = { importerId: known.id, forEverybody: false };
  expect(others.members).toEqual([{ userId: known.id, level: 40, ...by }]);
  others.members = [];
  const [hubot, ada] = await listed(id);
  const target = here.directory.user();
  const as = here.as({ ...target, admin: true }, { id });
  for (const one of [hubot, ada])
    await placeholders.reassignImportPlaceholder({ projectId: id, placeholderId: one?.id ?? 0, userId: target.id }, as);
  await eventually(async () => expect(await listed(id, 'reassigned')).toHaveLength(2), { within: 30_000 });
  expect(others.members).toEqual([30, 10].map((level) => ({ userId: target.id, level, ...by })));
});

it('collaborators and lists that the token may not read are named, and the import goes on', async () => {
  forge.breakNext(/collaborators/, (_, response) => response.writeHead(403).end('{}'));
  forge.breakNext(/things\/issues\?.*direction=asc/, (_, response) => response.writeHead(404).end('{}'));
  const { id } = await start({ collaboratorsImport: true });
  expect(await endsAs(id, 'finished')).toMatchObject({
    failed_relations: [
      { source: 'all collaborators', exception_message: 'The forge answered 403' },
      { relation_name: 'issues', source: 'the whole list', exception_message: 'The forge answered 404' },
    ],
  });
  expect(others.members).toEqual([]);
});

it('nobody is reassigned while the import runs, or may still write after it was cancelled', async () => {
  forge.contents.lists.issues = [issue(1)];
  forge.breakNext(/issues.comments/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
  const { id } = await start();
  await eventually(async () => expect(await listed(id)).toHaveLength(1));
  const [one] = await listed(id);
  const request = { projectId: id, placeholderId: one?.id ?? 0, userId: here.directory.user().id };
  await expect(placeholders.reassignImportPlaceholder(request, here.as(user, { id }))).rejects.toMatchObject({
    ...{ kind: 'conflict', body: { message: 'The import is still running, or was stopped just now' } },
  });
  await cancel(id);
  // A page may still be on its way.
  await expect(placeholders.reassignImportPlaceholder(request, here.as(user, { id }))).rejects.toMatchObject({
    kind: 'conflict',
  });
  await here.db.query(sql`update project_imports set ended_at = now() - interval '5 minutes' where project_id = ${id}`);
  expect(json(await placeholders.reassignImportPlaceholder(request, here.as(user, { id })))).toMatchObject({
    state: 'awaiting_approval',
  });
});

it('the ghost stands for whom a forge invents beside 10,000 others', async () => {
  forge.contents.lists.issues = [issue(1)];
  forge.contents.lists['issues/comments'] = [note(11, 1), note(12, 1, { user: { login: 'octocat' } })];
  forge.breakNext(/issues.comments/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
  const { id } = await start();
  await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
  await here.db.query(sql`
    insert into import_placeholders (import_id, user_id, foreign_id, login, name)
    select id, n, 'more:' || n, 'login', '' from project_imports, generate_series(1, 9999) n where project_id = ${id}`);
  await endsAs(id, 'finished');
  const octocat = others.placeholders.get(`${id}:login:octocat`);
  expect([...others.notes.values()].map(({ authorId }) => authorId)).toEqual([ghost, octocat]);
  expect(others.placeholders.size).toBe(1);
});

describe('pull requests', () => {
  const [head, base, merge, before] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40));
  const by = (login: string) => ({ login });
  const pull = (number: unknown, more: object = {}) => ({
    ...{ number, title: `Pull ${number}`, body: 'See #1', state: 'open', draft: false, user: by('octocat') },
    ...{ labels: [{ name: 'bug' }], milestone: { number: 3 }, assignees: [by('octocat')], requested_reviewers: [] },
    ...{ locked: false, merge_commit_sha: merge, merged_at: null, closed_at: null, created_at: at, updated_at: at },
    head: { ref: 'feature', sha: head, user: by('octo'), repo: { full_name: 'Octo/things' } },
    base: { ref: 'main', sha: base, user: by('octo'), repo: { full_name: 'octo/things' } },
    ...more,
  });
  const comment = (id: unknown, more: object = {}) => ({
    ...{ id, pull_request_url: 'https://forge.example/repos/octo/things/pulls/7', path: 'a.txt', user: by('octocat') },
    ...{ commit_id: head, original_commit_id: before, line: 10, original_line: 9, side: 'RIGHT', diff_hunk: '@@' },
    ...{ body: `Comment ${id}`, created_at: at, updated_at: at },
    ...more,
  });
  const review = (id: number, state: string, more: object = {}) => ({
    ...{ id, state, user: by('octocat'), body: '', submitted_at: at },
    ...more,
  });
  const event = (id: number, kind: string, more: object = {}) => ({
    ...{ id, event: kind, actor: by('octocat'), issue: { number: 7, pull_request: {} }, created_at: at },
    ...more,
  });
  let octocat: { readonly id: number; readonly username: string };

  beforeEach(() => {
    const email = `octo${here.directory.changes.length}@example.com`;
    octocat = here.directory.user({ confirmedEmails: [email] });
    here.directory.member(octocat.id, { namespaceId: others.namespaceId }, 40);
    forge.contents.users.octocat = { id: 1, login: 'octocat', email };
    forge.contents.users.hubot = { id: 2, login: 'hubot', email: null };
  });
  const hubot = (id: number) => others.placeholders.get(`${id}:2`);

  it('come over in all states, a fork by a branch of its own', async () => {
    forge.contents.lists.pulls = [
      pull(7, { state: 'closed', merged_at: at, closed_at: at, requested_reviewers: [by('octocat'), by('hubot')] }),
      pull(8, { state: 'closed', closed_at: at, user: by('hubot'), head: { ...pull(8).head, repo: null, user: null } }),
      pull(9, { draft: true, head: { ...pull(9).head, repo: { full_name: 'octo/fork' } } }),
      pull(10, { head: { ...pull(10).head, sha: 'HEAD' } }),
      pull(11, { created_at: '0000-00-00' }),
    ];
    const { id } = await start({}, octocat);
    expect(await endsAs(id, 'finished')).toMatchObject({
      stats: { fetched: { pull_request: 5 }, imported: { pull_request: 3, diff_note: 0, pull_request_review: 0 } },
    });
    const [merged, closed, opened] = others.pulls;
    expect(merged).toMatchObject({
      ...{ iid: 7, authorId: octocat.id, state: 'merged', sourceBranch: 'feature', targetBranch: 'main' },
      ...{ mergeCommitSha: merge, mergedAt: new Date(at), closedAt: undefined, milestoneIid: 3, labels: ['bug'] },
      ...{ assigneeIds: [octocat.id], reviewers: [{ userId: octocat.id, state: 'unreviewed' }, { userId: hubot(id) }] },
      diffs: [{ startSha: base, headSha: head }],
    });
    expect(closed).toMatchObject({
      ...{
        iid: 8,
        state: 'closed',
        closedAt: new Date(at),
        mergeCommitSha: '',
        sourceBranch: 'github/fork/ghost/feature',
      },
      ...{ authorId: hubot(id), description: 'See #1' },
    });
    expect(opened).toMatchObject({ iid: 9, state: 'opened', draft: true, sourceBranch: 'github/fork/octo/feature' });
  });

  it('have their comments at their lines, outdated ones at those on which they were written, in their threads', async () => {
    forge.contents.lists.pulls = [pull(7)];
    forge.contents.lists['pulls/comments'] = [
      comment(1),
      comment(2, { line: null, in_reply_to_id: 1, side: 'LEFT', user: by('hubot') }),
      comment(3, { line: null, original_line: null }),
      comment(4, { path: 7 }),
      comment(5, { pull_request_url: 'https://forge.example/../x' }),
    ];
    const { id } = await start({}, octocat);
    expect(await endsAs(id, 'finished')).toMatchObject({
      stats: { fetched: { diff_note: 5 }, imported: { diff_note: 3 } },
    });
    const on = { noteableType: 'MergeRequest', noteableIid: 7, system: false };
    expect([...others.notes.values()]).toMatchObject([
      {
        ...{ ...on, key: 'diff_note:1', thread: '1', authorId: octocat.id, body: 'Comment 1' },
        place: { commitSha: head, path: 'a.txt', line: 10, oldSide: false, hunk: '@@' },
      },
      {
        ...{ ...on, key: 'diff_note:2', thread: '1', authorId: hubot(id) },
        place: { commitSha: before, line: 9, oldSide: true },
      },
      { ...on, key: 'diff_note:3', thread: '3', place: { commitSha: before, line: 0 } },
    ]);
  });

  it('have their reviews: what was decided in the end, and all that was said; each is asked for once', async () => {
    forge.contents.lists.pulls = [pull(7), pull(12)];
    forge.contents.lists['pulls/7/reviews'] = [
      review(1, 'CHANGES_REQUESTED', { body: 'No' }),
      review(2, 'APPROVED'),
      review(3, 'COMMENTED', { body: 'Well' }),
      review(4, 'APPROVED', { user: by('hubot') }),
      review(5, 'PENDING'),
      review(6, 'COMMENTED'),
    ];
    const { id } = await start({}, octocat);
    expect(await endsAs(id, 'finished')).toMatchObject({
      stats: { fetched: { pull_request_review: 6 }, imported: { pull_request_review: 5 } },
    });
    expect(others.reviews).toMatchObject([
      { mergeRequestIid: 7, review: { userId: octocat.id, state: 'approved', createdAt: new Date(at) } },
    ]);
    expect([...others.notes.values()].map(({ key, system, body }) => [key, system, body])).toEqual([
      ['review:1#', true, 'requested changes'],
      ['review:1', false, 'No'],
      ['review:2#', true, 'approved this merge request'],
      ['review:3', false, 'Well'],
      ['review:4#', true, 'approved this merge request'],
    ]);
    const asked = forge.requests
      .map(({ url }) => /pulls.\d+.reviews/.exec(url)?.[0])
      .filter((url) => url !== undefined);
    expect(asked).toEqual(['pulls/7/reviews', 'pulls/12/reviews']);
  });

  it('and issues have what was done to them: events of state, labels and milestone, and notes', async () => {
    forge.contents.lists['issues/events'] = [
      event(1, 'labeled', { label: { name: 'bug' } }),
      event(2, 'merged'),
      event(3, 'closed'),
      event(4, 'renamed', { rename: { from: 'a', to: 'b' } }),
      event(5, 'mentioned'),
      event(6, 'closed', { issue: { number: 1 }, actor: by('hubot') }),
      event(7, 'assigned', { issue: { number: 1 }, assignee: by('hubot') }),
      event(8, 'milestoned', { issue: { number: 1 }, milestone: { title: 'v1' } }),
      event(9, 'labeled', { issue: {} }),
      event(10, 'unassigned', { issue: { number: 1 }, assignee: by('octocat') }),
      event(11, 'assigned', { issue: { number: 1 }, assignee: by('a` @boss `') }),
    ];
    const { id } = await start({}, octocat);
    expect(await endsAs(id, 'finished')).toMatchObject({
      stats: { fetched: { issue_event: 11 }, imported: { issue_event: 8 } },
    });
    const createdAt = new Date(at);
    expect(others.events).toMatchObject({
      pulls: [
        { key: '1', iid: 7, kind: 'label', action: 'add', title: 'bug', userId: octocat.id, createdAt },
        { key: '2', iid: 7, kind: 'state', action: 'merged', title: '', userId: octocat.id },
      ],
      issues: [
        { key: '6', iid: 1, kind: 'state', action: 'closed', userId: hubot(id) },
        { key: '8', iid: 1, kind: 'milestone', action: 'add', title: 'v1' },
      ],
    });
    expect([...others.notes.values()]).toMatchObject([
      {
        key: 'event:4',
        noteableType: 'MergeRequest',
        system: true,
        action: 'title',
        body: 'changed the title to **b**',
      },
      {
        key: 'event:7',
        noteableType: 'Issue',
        system: true,
        action: 'assignee',
        body: 'assigned to `hubot`',
        createdAt,
      },
      { key: 'event:10', body: `unassigned @${octocat.username}` },
      { key: 'event:11', body: 'assigned to `a @boss `' },
    ]);
  });

  it('releases come over once they are published', async () => {
    const release = { tag_name: 'v1', name: null, body: 'Notes', draft: false, author: by('octocat') };
    forge.contents.lists.releases = [
      { ...release, created_at: at, published_at: '2020-02-03T04:05:06Z' },
      { ...release, draft: true, created_at: at, published_at: null },
    ];
    const { id } = await start({}, octocat);
    expect(await endsAs(id, 'finished')).toMatchObject({
      stats: { fetched: { release: 2 }, imported: { release: 1 } },
    });
    expect(others.releases).toEqual([
      {
        ...{ tag: 'v1', name: '', description: 'Notes', authorId: octocat.id },
        ...{ createdAt: new Date(at), releasedAt: new Date('2020-02-03T04:05:06Z') },
      },
    ]);
  });
});

describe('files that texts link to', () => {
  const asset = (name: string) => `${forge.url}/user-attachments/assets/${name}`;
  const by = { user: { login: 'octocat' }, created_at: at, updated_at: at };
  const texts = (body: (name: string) => string) => {
    const issue = { number: 1, title: 'One', body: body('a'), state: 'open', labels: [], assignees: [], ...by };
    const branch = { ref: 'x', sha: 'a'.repeat(40), user: by.user, repo: { full_name: 'octo/things' } };
    const on = `${forge.url}/repos/octo/things`;
    Object.assign(forge.contents.lists, {
      issues: [issue],
      'issues/comments': [{ id: 1, issue_url: `${on}/issues/1`, body: body('b'), ...by }],
      pulls: [{ number: 7, title: 'Seven', body: body('c'), state: 'open', head: branch, base: branch, ...by }],
      'pulls/comments': [
        {
          ...{ id: 2, pull_request_url: `${on}/pulls/7`, path: 'a', line: 1, side: 'RIGHT', body: body('d'), ...by },
          ...{ commit_id: 'b'.repeat(40), original_commit_id: 'b'.repeat(40) },
        },
      ],
      'pulls/7/reviews': [{ id: 3, state: 'COMMENTED', body: body('e'), submitted_at: at, user: by.user }],
      releases: [{ tag_name: 'v1', draft: false, body: body('f'), author: by.user, created_at: at, published_at: at }],
    });
  };
  const written = () => [
    ...others.issues.map(({ description }) => description),
    ...[...others.notes.values()].map(({ body }) => body),
    ...others.pulls.map(({ description }) => description),
    ...others.releases.map(({ description }) => description),
  ];
  const counts = (fetched: number, imported: number) => ({
    stats: { fetched: { attachment: fetched }, imported: { attachment: imported } },
    progress: { attachments: { fetched, imported } },
  });

  it('come over with their texts, each of them once; one that is gone keeps its link and is named', async () => {
    texts((name) => `![shot](${asset(name)}) ${asset('all')} ${asset('gone')} ${forge.url}/octo/things/issues/1`);
    const { id } = await start({ attachmentsImport: true });
    const shown = await endsAs(id, 'finished');
    const link = (name: string) =>
      `![shot](/uploads/s/${name}) ![all](/uploads/s/all) ${asset('gone')} ${forge.url}/octo/things/issues/1`;
    expect(written().sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(link));
    expect(others.files.map(({ url }) => url.split('/').pop()).sort()).toEqual(
      ['a', 'all', 'b', 'c', 'd', 'e', 'f', 'gone'].sort(),
    );
    expect(others.files[0]).toMatchObject({
      projectId: id,
      authorization: `Bearer ${forge.token}`,
      uploaderId: user.id,
    });
    expect(shown).toMatchObject(counts(8, 7));
    expect(shown.failed_relations).toMatchObject([
      { relation_name: 'issues', source: asset('gone'), exception_message: 'The forge answered 404' },
    ]);
  });

  it('are waited for while the forge asks for a pause, and are left out when it goes on asking', async () => {
    texts((name) => (name === 'a' ? asset(name) : ''));
    const later = { reason: 'The forge answered 429', mayPass: true, retryAfter: 300 };
    others.fileProblems = Array.from({ length: 8 }, () => later);
    const { id } = await start({ attachmentsImport: true });
    await eventually(async () => expect((await row(id))?.left).toBeGreaterThan(250));
    const shown = await endsAs(id, 'finished');
    expect([others.files.length, written()[0]]).toEqual([6, asset('a')]);
    expect(shown).toMatchObject(counts(1, 0));
    // A refresh tries again, and asks for no other one.
    Object.assign(others, { files: [], fileProblems: [], notes: new Map(), pulls: [], releases: [] });
    const none = { username: '', password: '', serverUsername: '' };
    const request = { ...none, projectId: id, personalAccessToken: forge.token };
    Object.assign(forge.contents.lists.issues?.[0] as object, {
      updated_at: new Date(Date.now() + 60_000).toISOString(),
    });
    await imports.refreshProjectImport(request, here.as(user, { id, level: 40 }));
    expect(await endsAs(id, 'finished')).toMatchObject(counts(1, 1));
    expect([others.files.length, others.issues[0]?.description]).toEqual([1, '![a](/uploads/s/a)']);
  });

  it('stay at the forge where they are not asked for', async () => {
    texts(asset);
    const { id } = await start();
    expect(await endsAs(id, 'finished')).toMatchObject({ progress: { attachments: null } });
    expect([others.files, others.issues[0]?.description]).toEqual([[], asset('a')]);
  });
});

it('people who were asked for stay known where the forge breaks off in the middle of a page', async () => {
  forge.contents.users.octocat = { login: 'octocat', email: null };
  forge.contents.lists.issues = [issue(1), issue(2, { user: { login: 'hubot' } })];
  forge.breakNext(/users.hubot/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
  await endsAs((await start()).id, 'finished');
  const asked = forge.requests.filter(({ url }) => url.includes('/users/')).map(({ url }) => url.split('/').at(-1));
  expect(asked).toEqual(['octocat', 'hubot', 'hubot']);
});

it('what a forge writes is stored as far as it can be: no NUL, no half of a pair, and no more than an issue has', async () => {
  const many = Array.from({ length: 150 }, (_, at) => ({ name: `l${at}` }));
  forge.contents.lists.issues = [
    issue(1, { title: 'a\0b\ud800', body: '\0\udc00', user: { login: 'o\0ctocat' }, labels: many }),
    issue(2, {
      user: { login: 'x'.repeat(101) },
      assignees: Array(150).fill({ login: 'octocat' }),
      pull_request: null,
    }),
    issue(3, { html_url: 'https://forge.example/pull/pull/issues/3' }),
    issue(4, { html_url: 'https://forge.example/octo/things/pull/4' }),
  ];
  const { id } = await start();
  expect(await endsAs(id, 'finished')).toMatchObject({ stats: { fetched: { issue: 3 } } });
  expect(others.issues).toMatchObject([
    { iid: 1, title: 'ab\ufffd', description: '\ufffd' },
    { iid: 2, authorId: ghost, description: 'See #12, @ada' },
    { iid: 3 },
  ]);
  expect(others.issues[0]?.labels).toHaveLength(100);
});

it('a page that is longer than was asked for ends it', async () => {
  forge.breakNext(/labels/, (_, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(Array.from({ length: 11 }, (_item, at) => label(`l${at}`)))),
  );
  const { id } = await start();
  expect(await endsAs(id, 'failed')).toMatchObject({ import_error: 'The forge sent more than the 10 items of a page' });
  expect(others.labelRequests).toEqual([]);
});

it('a name that leads inside is an invalid address, as one that is written out is (G-4.19-1)', async () => {
  forge.breakNext(/repositories/, (_, response) =>
    response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
  );
  await expect(start()).rejects.toMatchObject({ kind: 'invalid', body: { errors: `Invalid URL: ${forge.url}` } });
});

it('a stage is as old as it is between its pages, too', async () => {
  forge.breakNext(/labels\?page=2/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
  const { id } = await start({ timeoutStrategy: 'optimistic' });
  await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
  // Late from its next page on.
  forge.breakNext(/labels\?page=2/, (_, response) => {
    const answer = (): void =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json', Link: '<http://forge.example/>; rel="next"' })
        .end(JSON.stringify([label('late')]));
    here.db
      .query(sql`update import_stages s set started_at = now() - interval '25 hours' from project_imports i
        where s.import_id = i.id and i.project_id = ${id} and s.name = 'labels'`)
      .then(answer, answer);
  });
  await endsAs(id, 'finished');
  expect(forge.requests.filter(({ url }) => url.includes('labels?page=3'))).toEqual([]);
  expect(others.labels.has('late')).toBe(true);
});

it('fails with a reason where another try would not help, and erases the token (G-3-4)', async () => {
  forge.breakNext(/labels/, (_, response) =>
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"message":"Bad credentials"}'),
  );
  const refused = await start();
  expect(await endsAs(refused.id, 'failed')).toMatchObject({ import_error: 'The forge does not accept the token' });
  others.repositoryRefusals = [unprocessable('The forge did not send a repository that git accepts')];
  const broken = await start();
  expect(await endsAs(broken.id, 'failed')).toMatchObject({
    import_error: 'The forge did not send a repository that git accepts',
  });
  expect(await tokens()).toEqual([]);
});

it('a redirect to the inside and an answer of a gigabyte end it', async () => {
  forge.breakNext(/labels/, (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end());
  const inside = await start();
  expect((await endsAs(inside.id, 'failed')).import_error).toMatch(/not allowed/);
  forge.breakNext(/labels/, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const piece = Buffer.alloc(1 << 20, ' ');
    const send = (): void => {
      if (!response.destroyed) response.write(piece, send);
    };
    send();
  });
  const large = await start();
  expect((await endsAs(large.id, 'failed')).import_error).toBe('The answer of the forge is too long');
});

it('ends where who imports has lost the role Maintainer midway, or was blocked (G-4.19-9)', async () => {
  const [demoted, blocked] = [here.directory.user(), here.directory.user()];
  const [membership] = [demoted, blocked].map(({ id }) =>
    here.directory.member(id, { namespaceId: others.namespaceId }, 40),
  );
  if (membership === undefined) throw new Error('no membership');
  const change = [
    () => here.directory.write({ $case: 'membership', value: { ...membership, accessLevel: 30 } }),
    () => here.directory.write({ $case: 'user', value: { ...blocked, state: 'blocked' } }),
  ];
  for (const [at, by] of [demoted, blocked].entries()) {
    forge.breakNext(/labels/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
    const { id } = await start({ newName: `lost-${at}` }, by);
    await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
    change[at]?.();
    Object.assign(byId(id), { directorySequence: here.directory.changes.length });
    expect(await endsAs(id, 'failed')).toMatchObject({
      import_error: 'Who imports may not import into this project any more',
    });
  }
  expect(others.labelRequests).toEqual([]);
  expect(await tokens()).toEqual([]);
});

it('is cancelled while it runs, once (G-4.19-2)', async () => {
  let goOn = (): void => undefined;
  others.repositoryWait = new Promise((settle) => {
    goOn = settle;
  });
  const { id } = await start();
  await eventually(async () => expect(others.repositories).toHaveLength(1));
  expect(await cancel(id)).toMatchObject({ id, import_status: 'canceled', human_import_status_name: 'canceled' });
  goOn();
  await expect(cancel(id)).rejects.toMatchObject({
    kind: 'bad_request',
    body: { message: 'The import cannot be canceled because it is canceled' },
  });
  expect(await endsAs(id, 'canceled')).toMatchObject({ import_error: null });
  expect(others.labelRequests).toEqual([]);
  expect(await tokens()).toEqual([]);
  await expect(cancel(1)).rejects.toMatchObject({ kind: 'not_found', body: { message: '404 Not found' } });
});

describe('a refresh (ADR 73)', () => {
  const dated = (time = at) => ({ created_at: time, updated_at: time });
  const soon = '2999-01-02T03:04:05Z';
  const octocat = { login: 'octocat' };
  const sha = 'a'.repeat(40);
  const issue = (number: number, more: object = {}) => ({
    ...{ number, title: `Issue ${number}`, body: null, state: 'open', user: octocat, ...dated(), ...more },
  });
  const comment = (id: number, more: object = {}) => ({
    ...{ id, issue_url: `${forge.url}/issues/1`, body: `Comment ${id}`, user: octocat, ...dated(), ...more },
  });
  const pull = (number: number, more: object = {}) => ({
    ...{ number, title: `Pull ${number}`, body: null, state: 'open', user: octocat, ...dated() },
    head: { ref: `branch-${number}`, sha, user: octocat, repo: { full_name: 'octo/things' } },
    base: { ref: 'main', sha, user: null, repo: null },
    ...more,
  });
  const event = (id: number, time = at) => ({
    ...{ id, event: 'closed', actor: octocat, issue: { number: 1 }, created_at: time },
  });
  const refresh = async (id: number, given: object = { personalAccessToken: forge.token }, by = user) => {
    const none = { personalAccessToken: '', username: '', password: '', serverUsername: '' };
    const request = { projectId: id, ...none, ...given };
    return json(await imports.refreshProjectImport(request, here.as(by, { id }))) as Record<string, unknown>;
  };
  /** Pages that the forge was asked for since, by their list. */
  const pages = (from: number) => {
    const lists = forge.requests.slice(from).map(({ url }) => /things\/([a-z/0-9]+)\?/.exec(url)?.[1] ?? '');
    return lists.filter((list) => list !== '').sort();
  };
  const imported = async () => {
    Object.assign(forge.contents.lists, {
      issues: Array.from({ length: 25 }, (_, index) => issue(index + 1)),
      'issues/comments': Array.from({ length: 25 }, (_, index) => comment(index + 1)),
      pulls: Array.from({ length: 25 }, (_, index) => pull(index + 101)),
      'issues/events': Array.from({ length: 25 }, (_, index) => event(index + 1)),
      releases: [{ tag_name: 'v1', draft: false, author: octocat, created_at: at, published_at: at }],
    });
    const { id } = await start();
    await endsAs(id, 'finished');
    Object.assign(others, {
      statuses: [],
      labelRequests: [],
      brought: [],
      repositories: [],
      releases: [],
      reviews: [],
    });
    others.events = { issues: [], pulls: [] };
    return id;
  };

  it('without news asks for one page of lists that say what changed, and writes nothing', async () => {
    const id = await imported();
    const from = forge.requests.length;
    expect(await refresh(id)).toMatchObject({ id, import_status: 'scheduled', import_source: 'octo/things' });
    const shown = await endsAs(id, 'finished');
    expect(shown).toMatchObject({ stats: { fetched: { label: 25, issue: 0, note: 0, pull_request: 0 } } });
    expect(others.statuses).toEqual(['scheduled', 'started', 'finished']);
    expect(pages(from)).toEqual([
      // One is the list of the newest, for their numbers.
      ...['issues', 'issues', 'issues/comments', 'issues/events', 'labels', 'labels', 'labels', 'milestones'],
      // That of reviews is a list of those that changed as well.
      ...['pulls', 'pulls', 'pulls/comments', 'releases'],
    ]);
    expect(others.repositories).toHaveLength(1);
    expect(others).toMatchObject({ brought: [], labelRequests: [], releases: [], events: { issues: [] } });
    expect(await tokens()).toEqual([]);
  });

  it('whose end is not announced at once is announced later, though the import ended in the same way', async () => {
    const id = await imported();
    Object.assign(others, { endRefusals: [unprocessable('groups-admin')], kept: ['refs/heads/main'] });
    await refresh(id);
    expect(await endsAs(id, 'finished')).toMatchObject({
      failed_relations: [{ relation_name: 'repository', source: 'refs/heads/main' }],
    });
    expect(others).toMatchObject({ statuses: ['scheduled', 'started', 'finished'], endRefusals: [] });
  });

  it('brings what is new and changed alone, and says what is known', async () => {
    const id = await imported();
    const { lists } = forge.contents;
    const changed = { updated_at: soon };
    // The last page stays as it was.
    lists.labels?.splice(3, 1, label('new'));
    lists.issues?.push(issue(26, dated(soon)));
    Object.assign(lists.issues?.[4] ?? {}, changed);
    Object.assign(lists['issues/comments']?.[20] ?? {}, changed);
    Object.assign(lists.pulls?.[7] ?? {}, changed, { state: 'closed', closed_at: soon });
    lists['issues/events']?.unshift(event(26, soon));
    lists.releases?.unshift({ tag_name: 'v2', draft: false, author: octocat, created_at: soon, published_at: soon });
    lists['pulls/108/reviews'] = [
      { id: 1, user: octocat, state: 'APPROVED', body: '', submitted_at: at },
      { id: 2, user: octocat, state: 'COMMENTED', body: 'New', submitted_at: soon },
    ];
    await refresh(id);
    await endsAs(id, 'finished');
    const known = others.brought[0]?.knownBefore;
    expect(Date.now() - (known?.getTime() ?? 0)).toBeGreaterThan(3_600_000);
    expect(others.brought).toMatchObject([
      { names: ['#5', '#26'] },
      { names: ['!108'] },
      { names: ['21'] },
      { names: ['review:1#', 'review:2'] },
    ]);
    expect(others.brought.every(({ knownBefore }) => knownBefore !== undefined)).toBe(true);
    expect(others.labelRequests.flatMap(({ labels }) => labels.map(({ title }) => title))).toEqual(['new']);
    expect(others.releases.map(({ tag }) => tag)).toEqual(['v2']);
    expect(others.events.issues).toMatchObject([{ key: '26' }]);
  });

  it('writes for nobody for whom another one might write', async () => {
    const member = here.directory.user({ confirmedEmails: ['known@example.com'] });
    const admin = here.directory.user({ admin: true });
    for (const one of [member, admin]) here.directory.member(one.id, { namespaceId: others.namespaceId }, 40);
    forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'known@example.com' };
    forge.contents.lists.issues = [issue(1)];
    const { id } = await start({}, { ...admin, admin: true });
    await endsAs(id, 'finished');
    expect(others.issues).toMatchObject([{ iid: 1, authorId: member.id }]);
    others.issues = [];
    forge.contents.lists.issues.push(issue(2, dated(soon)));
    await refresh(id);
    await endsAs(id, 'finished');
    expect(others.issues).toMatchObject([{ iid: 2, authorId: others.placeholders.get(`${id}:1`) }]);
  });

  it('lets in nobody where the import has kept no names of collaborators', async () => {
    const known = here.directory.user({ confirmedEmails: ['maintainer@example.com'] });
    here.directory.member(known.id, { namespaceId: others.namespaceId }, 40);
    forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'maintainer@example.com' };
    forge.contents.lists.collaborators = [{ login: 'octocat', role_name: 'maintain' }];
    const { id } = await start({ collaboratorsImport: true }, known);
    await endsAs(id, 'finished');
    expect(others.members).toHaveLength(1);
    await here.db.query(sql`
      update import_stages s set known = '{}' from project_imports i where i.id = s.import_id and i.project_id = ${id}`);
    others.members = [];
    await refresh(id, { personalAccessToken: forge.token }, known);
    expect(await endsAs(id, 'finished')).toMatchObject({ stats: { fetched: { collaborator: 1 } } });
    expect(others.members).toEqual([]);
  });

  it('is for an import from a forge that has ended, with the credentials of its family (G-4.19-7)', async () => {
    await expect(refresh(999_999)).rejects.toMatchObject({ kind: 'not_found' });
    const id = await imported();
    await expect(refresh(id, { username: 'u', password: 'p' })).rejects.toMatchObject({
      kind: 'invalid_params',
      body: {
        error:
          'personal_access_token is missing, forgeb_username is not supported for this forge, forgeb_app_password is not supported for this forge',
      },
    });
    await expect(refresh(id, { personalAccessToken: 'other' })).rejects.toMatchObject({
      kind: 'unauthorized',
      body: { error: 'Wrong credentials' },
    });
    const { repository } = forge.contents;
    repository.id = 2;
    await expect(refresh(id)).rejects.toMatchObject({
      kind: 'unprocessable',
      body: { errors: 'The repository at the forge is not the one that was imported' },
    });
    repository.id = 1;
    let go = (): void => undefined;
    others.repositoryWait = new Promise((resolve) => {
      go = resolve;
    });
    const asked = await Promise.allSettled([refresh(id), refresh(id)]);
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(refresh(id)).rejects.toMatchObject({ kind: 'bad_request' });
    await eventually(() => expect(others.repositories).toHaveLength(1));
    expect(await cancel(id)).toMatchObject({ import_status: 'canceled' });
    go();
    expect(await tokens()).toEqual([]);
    // What was cancelled may be done again.
    await eventually(async () => expect(await refresh(id)).toMatchObject({ import_status: 'scheduled' }));
    await endsAs(id, 'finished');
  });
});

it('a stage that takes more than a day is left out, or ends the import (timeout_strategy)', async () => {
  for (const [timeoutStrategy, status] of [
    ['optimistic', 'finished'],
    ['pessimistic', 'failed'],
  ] as const) {
    forge.breakNext(/labels/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
    const { id } = await start({ timeoutStrategy });
    await eventually(async () => {
      const changed = await here.db.query(sql`
        update import_stages s set started_at = now() - interval '25 hours' from project_imports i
        where s.import_id = i.id and i.project_id = ${id} and s.name = 'labels' and i.lease is null and s.started_at is not null
        returning 1`);
      expect(changed).toHaveLength(1);
    });
    const rest = {
      relation_name: 'labels',
      source: 'the rest',
      exception_message: 'The stage took more than 24 hours',
    };
    const left = timeoutStrategy === 'optimistic' ? [rest] : [];
    expect(await endsAs(id, status)).toMatchObject({ failed_relations: left });
  }
  expect(others.labels.size).toBe(0);
});

describe('from forgeb', () => {
  const startCloud = async (given: object = {}) =>
    json(
      await imports.startForgebImport(
        {
          ...{ username: cloud.username, password: cloud.password, repoPath: 'octo/things', targetNamespace: 'acme' },
          ...{ newName: '', attachmentsImport: false, ...given },
        },
        here.as(user),
      ),
    ) as { id: number };

  it('cloud: brings over repository, milestones, issues and comments, and erases the password (G-4.19-4)', async () => {
    Object.assign(cloud.contents.lists, {
      milestones: [{ id: 3, name: 'v3' }],
      issues: [1, 2].map((id) => ({
        ...{ id, title: `Issue ${id}`, content: { raw: 'See #2' }, state: id === 1 ? 'resolved' : 'new', kind: 'bug' },
        ...{ milestone: { id: 3 }, reporter: { nickname: 'ada' }, assignee: null, created_on: at, updated_on: at },
      })),
      'issues/2/comments': [
        { id: 9, content: { raw: 'Nice' }, user: { nickname: 'grace' }, created_on: at, updated_on: null },
      ],
    });
    const { id } = await startCloud();
    const ended = await endsAs(id, 'finished');
    expect(ended).toMatchObject({ import_type: 'bitbucket', import_error: null, path_with_namespace: 'acme/things' });
    expect(ended).not.toHaveProperty('stats');
    expect(others.repositories).toEqual([
      {
        ...{ projectId: id, actorId: user.id, url: `${cloud.url}/octo/things.git` },
        ...{ authorization: `Basic ${Buffer.from('octocat:app-password').toString('base64')}`, headsPattern: '' },
      },
    ]);
    expect([...others.labels]).toEqual(['bug', 'enhancement', 'proposal', 'task']);
    expect(others.milestones).toMatchObject([{ iid: 3, title: 'v3' }]);
    expect(others.issues).toMatchObject([
      { iid: 1, labels: ['bug'], milestoneIid: 3, closedAt: new Date(at), description: 'See #2' },
      { iid: 2, closedAt: undefined },
    ]);
    expect([...others.notes.values()]).toMatchObject([
      {
        key: '9',
        noteableType: 'Issue',
        noteableIid: 2,
        authorId: others.placeholders.get(`${id}:login:grace`),
        body: 'Nice',
      },
    ]);
    expect(await tokens()).toEqual([]);
  });

  it('cloud: two people of one nickname are two, and one who is renamed stays one', async () => {
    const accounts = [
      `557058:${'a'.repeat(8)}-1`,
      `557058:${'a'.repeat(8)}-2`,
      `{${'0'.repeat(8)}-0000-4000-8000-000000000003}`,
    ];
    const [ada, other, team] = accounts as [string, string, string];
    const comment = (id: number, user: object) => ({ id, content: { raw: 'x' }, user, created_on: at });
    Object.assign(cloud.contents.lists, {
      issues: [
        { id: 1, title: 'One', content: { raw: '' }, state: 'new', reporter: null, created_on: at, updated_on: at },
      ],
      'issues/1/comments': [
        comment(1, { account_id: ada, nickname: 'ada' }),
        comment(2, { account_id: other, nickname: 'ada' }),
        comment(3, { account_id: ada, nickname: 'renamed' }),
        comment(4, { uuid: team, display_name: 'Team' }),
        comment(5, { account_id: 'x/../y', nickname: ada.replace(':', '') }),
      ],
    });
    Object.assign(cloud.contents.users, {
      [ada]: { account_id: ada, nickname: 'renamed', display_name: 'Ada' },
      [other]: { account_id: other, nickname: 'ada', display_name: 'Other' },
    });
    const { id } = await startCloud();
    await endsAs(id, 'finished');
    const people = await listed(id);
    expect(people).toMatchObject([
      { source_user_identifier: ada, source_username: 'renamed', source_name: 'Ada' },
      { source_user_identifier: other, source_username: 'ada', source_name: 'Other' },
      { source_user_identifier: team, source_username: team, source_name: null },
      { source_user_identifier: `login:${ada.replace(':', '')}` },
    ]);
    const by = (foreignId: string) => others.placeholders.get(`${id}:${foreignId}`);
    expect([...others.notes.values()].map(({ authorId }) => authorId)).toEqual(
      [ada, other, ada, team, `login:${ada.replace(':', '')}`].map(by),
    );
  });

  it('server: brings over the repository, into the namespace of the caller without another one (G-4.19-5)', async () => {
    const pull = {
      ...{ id: 4, title: 'Pull', description: 'See #4', state: 'DECLINED', author: { user: { slug: 'ada' } } },
      ...{ createdDate: Date.parse(at), updatedDate: Date.parse(at), toRef: { displayId: 'main' } },
      fromRef: {
        displayId: 'topic',
        latestCommit: 'a'.repeat(40),
        repository: { slug: 'things', project: { key: 'OCTO' } },
      },
    };
    const replies = Array.from({ length: 120 }, (_, index) => ({
      ...{ id: 100 + index, text: `Reply ${index}`, author: { slug: 'ada' } },
      ...{ createdDate: Date.parse(at), updatedDate: Date.parse(at) },
    }));
    const grace = here.directory.user({ confirmedEmails: ['grace@example.com'], admin: true });
    const server = await startFakeForgebServer({
      lists: {
        'pull-requests': [pull],
        'pull-requests/4/activities': [
          { id: 9, action: 'DECLINED', user: { slug: 'ada' }, createdDate: Date.parse(at) },
          ...[8, 7].map((id) => ({
            ...{ id, action: id === 8 ? 'UNAPPROVED' : 'APPROVED', user: { slug: 'grace' } },
            createdDate: Date.parse(at) + id,
          })),
          { action: 'COMMENTED', comment: { ...replies[0], comments: replies.slice(1) } },
        ],
      },
      users: {
        ada: { slug: 'ada', emailAddress: 'nobody@example.com' },
        grace: { id: 2, slug: 'grace', emailAddress: 'grace@example.com' },
      },
    });
    const given = {
      ...{ serverUrl: `${server.url}/`, username: server.username, personalAccessToken: server.token },
      ...{ project: 'OCTO', repo: 'things', newName: 'renamed', targetNamespace: '', timeoutStrategy: 'pessimistic' },
      attachmentsImport: true,
    };
    // Who imports is the one who has decided, the newest first.
    const { actor = anonymous, ...options } = here.as(grace);
    const asAda = { ...options, actor: { ...actor, username: 'ada' } };
    here.directory.member(grace.id, { namespaceId: others.namespaceId }, 40);
    const begin = async (changed: object = {}) =>
      json(await imports.startForgebServerImport({ ...given, ...changed }, asAda));
    const { id } = (await begin()) as { id: number };
    expect(await endsAs(id, 'finished')).toMatchObject({
      ...{ import_type: 'bitbucket_server', path_with_namespace: 'ada/renamed' },
    });
    expect(others.repositories).toMatchObject([
      { url: `${server.url}/scm/OCTO/things.git`, headsPattern: 'refs/pull-requests/*/from' },
    ]);
    expect(others.pulls).toMatchObject([
      {
        iid: 4,
        state: 'closed',
        sourceBranch: 'topic',
        description: 'See #4',
        closedAt: new Date(at),
      },
    ]);
    expect(others.notes.size).toBe(121);
    expect(others.reviews).toMatchObject([{ review: { userId: grace.id, state: 'unapproved' } }]);
    expect(others.events.pulls).toMatchObject([{ key: '9.0', iid: 4, kind: 'state', action: 'closed' }]);
    await expect(begin({ serverUrl: 'http://10.0.0.1' })).rejects.toMatchObject({
      ...{ kind: 'invalid', body: { message: { error: 'Invalid URL: http://10.0.0.1' } } },
    });
    await server.close();
  });

  it.each([
    ['a password that is not right', { password: 'x' }, 'unauthorized', 'Wrong credentials'],
    ['a name with a colon', { username: 'a:b' }, 'unauthorized', 'Wrong credentials'],
    [
      'a repository that is not there',
      { repoPath: 'octo/other' },
      'not_found',
      'Import failed due to an error of the forge: The forge answered 404',
    ],
    [
      'a path that leads elsewhere',
      { repoPath: 'octo/../../user' },
      'not_found',
      'Import failed due to an error of the forge: The forge has no repository of this name',
    ],
  ])('refuses %s in the form of its family (G-4.19-7)', async (_, given, kind, error) => {
    await expect(startCloud(given)).rejects.toMatchObject({ kind, body: { message: { error } } });
  });

  it('says in that form what groups-admin and the forge refuse', async () => {
    others.refusal = notFound('Namespace');
    await expect(startCloud()).rejects.toMatchObject({
      kind: 'unprocessable',
      body: { message: { error: 'Namespace or group to import repository into does not exist.' } },
    });
    cloud.breakNext(/things/, (_, response) => response.writeHead(403).end());
    await expect(startCloud()).rejects.toMatchObject({
      kind: 'forbidden',
      body: { message: { error: 'Import failed due to an error of the forge: The forge answered 403' } },
    });
  });
});

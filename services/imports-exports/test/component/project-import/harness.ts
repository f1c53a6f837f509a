import { sql } from '@switchyard/database/sql';
import { AppError, notFound } from '@switchyard/errors';
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
import { implement, type RpcClient } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { type FakeForge, type FakeForgebCloud, startFakeForge, startFakeForgebCloud } from '@switchyard/testkit/forge';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../../src/service';
import { keysIn } from '../../support/keys';
import { placeholderUsers } from '../../support/placeholder-users';

/** What the other services were asked for, and how they answer. */
export const others = {
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

/** An imported project, as groups-admin has it. */
export const byId = (id: number): ImportedProject => {
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
        return { refs: 1, skipped: others.kept.length, kept: others.kept, impossible: [] };
      },
    },
    { importRepository: rule },
  ),
];

/** The service and its clients, of this file's run. */
export let here: TestInstallation;
export let imports: RpcClient<typeof ProjectImportServiceService>;
export let placeholders: RpcClient<typeof ImportPlaceholderServiceService>;
/** Id of the ghost user. */
export let ghost: number;
/** Forges to import from: the first is another one in each test. */
export let forge: FakeForge;
export let cloud: FakeForgebCloud;

/** When everything at the forge was written. */
export const at = '2020-01-02T03:04:05Z';

/** A label as the forge sends it. */
export const label = (name: unknown, color: unknown = 'ff0000') => ({ id: 1, name, color, description: null });

/** A milestone as the forge sends it. */
export const milestone = (number: unknown, more: object = {}) => ({
  ...{ number, title: `v${number}`, description: null, state: 'open', due_on: null, created_at: at, updated_at: at },
  ...more,
});

/** Who has been asked to take the places of whom in a project. */
export const asks = async (projectId: number) => {
  const rows = await here.db.query<{ body: object }>(sql`
    select body from events.outbox where event_id like 'import_placeholder.asked:%' order by id`);
  return rows
    .map(({ body }) => ImportPlaceholderEvent.fromJSON(body))
    .filter((asked) => asked.projectId === projectId)
    .map(({ login, userId }) => [login, userId]);
};

/** Who imports, and somebody else who does. */
export const user = { id: 0 };
export const stranger = { id: 0 };

/** Starts an import of the forge's repository 1 into `acme`. */
export const start = async (
  given: Partial<StartForgeaImportRequest> = {},
  by: { id: number; admin?: boolean } = user,
) => {
  const request = {
    ...{ personalAccessToken: forge.token, repoId: 1, newName: '', targetNamespace: 'acme', hostname: forge.url },
    ...{ timeoutStrategy: 'pessimistic', paginationLimit: 10, collaboratorsImport: false, attachmentsImport: false },
    ...given,
  };
  return json(await imports.startForgeaImport(request, here.as(by))) as { id: number; import_status: string };
};

/** What is shown of the import of a project. */
export const get = async (id: number) =>
  json(await imports.getProjectImport({ projectId: id }, here.as(user, { id }))) as Record<string, unknown>;

/** Cancels the import of a project. */
export const cancel = async (id: number) =>
  json(await imports.cancelForgeaImport({ projectId: id }, here.as(user, { id }))) as Record<string, unknown>;

/** Every pause of an import ends now. */
export const hurry = () =>
  here.db.query(sql`update project_imports set leased_until = now() where lease is null and leased_until is not null`);

/** Waits until an import has a status, which groups-admin knows; what is shown of it then. */
export const endsAs = (id: number, status: string) =>
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

/** A row for each import that still has its token. */
export const tokens = () => here.db.query(sql`select 1 from project_imports where token is not null`);

/** How an import stands in its queue; `left` are the seconds of its pause. */
export const row = async (id: number) => {
  const [found] = await here.db.query<{ left: number; lease: string | null; attempts: number; pauses: number }>(sql`
    select extract(epoch from leased_until - now())::float8 as left, lease, attempts, pauses from project_imports
    where project_id = ${id}`);
  return found;
};

/** Times of what the forge sends. */
export const dated = { created_at: at, updated_at: at };

/** An issue as the forge sends it. */
export const issue = (number: number, more: object = {}) => ({
  ...{ number, title: `Issue ${number}`, body: 'See #12, @ada', state: 'open', user: { login: 'octocat' }, ...dated },
  ...{
    labels: [{ name: 'bug' }],
    milestone: { number: 3, title: 'v3' },
    assignees: [],
    locked: false,
    closed_at: null,
  },
  ...more,
});

/** A comment of an issue as the forge sends it. */
export const note = (id: number, number: number, more: object = {}) => ({
  ...{ id, body: `Comment ${id}`, user: { login: 'hubot' }, ...dated },
  issue_url: `https://api.forge.example/repos/octo/things/issues/${number}`,
  html_url: `https://forge.example/octo/things/issues/${number}#issuecomment-${id}`,
  ...more,
});

/** Placeholders of a project, in one state or in all. */
export const listed = async (projectId: number, state = '') => {
  const request = { projectId, state, page: PageRequest.fromPartial({ page: 1, perPage: 20 }) };
  const { json: rows } = await placeholders.listImportPlaceholders(request, here.as(user, { id: projectId }));
  return JSON.parse(Buffer.from(rows).toString()) as { id: number; state: string; source_username: string }[];
};

/** Starts the service with those that it calls, and a forge anew for each test. */
export function prepareImports(): void {
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
}

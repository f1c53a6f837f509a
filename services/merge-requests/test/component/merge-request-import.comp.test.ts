import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  type ImportedMergeRequest,
  ImportedPlace,
  ImportMergeRequestsRequest,
  MergeRequestImportServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_import';
import { ReleaseImportServiceService } from '@switchyard/protos/merge_requests/v1/release_import';
import { ProjectRecordServiceService, type StandIns } from '@switchyard/protos/rpc/v1/project_record';
import { eventually } from '@switchyard/testkit';
import { issueReferences } from '@switchyard/texts';
import { openRepository } from '../../src/git';
import type { NamingMergeRequest } from '../../src/merge-requests/domain/merge-request-import';
import { mergeRequestImportStore } from '../../src/merge-requests/storage/merge-request-import.store';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
let project: TestProject;
/** Commits: where the source parted, the target's one before the merge, the merge, the heads. */
let shas: Record<'base' | 'before' | 'merge' | 'first' | 'head' | 'open', string>;
const { api, addMembers, checked, open } = mergeRequestSteps(() => harness);

const lines = (from: number, to: number, change: (line: number) => string = String) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${change(from + at)}\n`).join('');
const repository = () => openRepository(join(harness.data, 'repositories'), project.id).path;
const git = async (...args: string[]) => (await harness.git(repository(), ...args)).trim();

/** Makes commits that no branch reaches, as those of a deleted source branch. */
async function makeHistory(): Promise<void> {
  const folder = harness.folder();
  const inWork = async (...args: string[]) => (await harness.git(folder, ...args)).trim();
  await inWork('clone', '-q', repository(), '.');
  const commit = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await inWork('add', '.');
    await inWork('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', Object.keys(files).join());
    return inWork('rev-parse', 'HEAD');
  };
  const base = await commit({ 'a.txt': lines(1, 40) });
  await inWork('checkout', '-q', '-b', 'gone');
  const first = await commit({ 'a.txt': lines(1, 40, (line) => (line === 10 ? 'TEN' : String(line))) });
  const head = await commit({
    'a.txt': lines(1, 40, (line) => (line === 10 ? 'ten' : String(line))).replace('\n30\n', '\n'),
  });
  await inWork('checkout', '-q', 'main');
  const before = await commit({ 'b.txt': 'b\n' });
  await inWork('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'merge', '-q', '--no-ff', '-m', 'Merge', 'gone');
  const merge = await inWork('rev-parse', 'HEAD');
  await inWork('checkout', '-q', '-b', 'fork', merge);
  const opened = await commit({ 'c.txt': 'c\n' });
  await inWork('push', '-q', 'origin', 'main');
  // The head of a fork has come in as an object; no branch has it.
  await harness.git(repository(), 'fetch', '-q', folder, opened);
  shas = { base, before, merge, first, head, open: opened };
}

const made = new Date('2020-01-02T03:04:05.678Z');
const later = new Date('2020-02-03T04:05:06.789Z');
const given = (iid: number, more: Partial<ImportedMergeRequest> = {}): Partial<ImportedMergeRequest> => ({
  ...{
    iid,
    authorId: people.developer.id,
    title: `Change ${iid}`,
    state: 'closed',
    description: '- [x] See #12, @user2',
  },
  ...{ sourceBranch: 'gone', targetBranch: 'main', createdAt: made, updatedAt: later },
  ...more,
});
const client = () => harness.asImports(MergeRequestImportServiceService);
const bring = (mergeRequests: Partial<ImportedMergeRequest>[], importedFrom = 'github', knownBefore?: Date) =>
  client().importMergeRequests(
    ImportMergeRequestsRequest.fromPartial({
      ...{ projectId: project.id, importedFrom, actorId: people.maintainer.id },
      ...{ mergeRequests, knownBefore },
    }),
    { requestId: 'test', timeoutMs: 60_000 },
  );
const diffOf = (headSha: string, startSha: string) => ({ baseSha: '', startSha, headSha, createdAt: undefined });
const merged = (): Partial<ImportedMergeRequest> =>
  given(7, {
    ...{ state: 'merged', mergeCommitSha: shas.merge, mergedById: people.owner.id, mergedAt: later, closedAt: later },
    ...{ diffs: [diffOf(shas.head, shas.before)], labels: ['bug', 'none'], assigneeIds: [people.owner.id] },
    reviewers: [{ userId: people.maintainer.id, state: 'approved', createdAt: later }],
    approvals: [{ userId: people.maintainer.id, state: '', createdAt: later }],
  });
const shown = async (iid: number): Promise<Body> => (await api(people.developer, 'GET', mr(project, iid))).body;
const published = () =>
  harness.db.query<{ body: Body }>(
    sql`select body from events.outbox where type = 'merge_request.changed' and (body #>> '{mergeRequest,projectId}')::bigint = ${project.id} order by id`,
  );

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
  await harness.db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot, kind)
    values (71, 'ghost', 'Ghost User', 'active', false, false, true, 'ghost')`);
});
afterAll(() => harness?.close());
beforeEach(async () => {
  project = await harness.project();
  await api(people.maintainer, 'POST', at(project, '/repository/commits'), {
    ...{ branch: 'main', commit_message: 'Begin' },
    actions: [{ action: 'create', file_path: 'README.md', content: 'base\n' }],
  });
  await harness.db.query(sql`
    insert into directory.labels (id, project_id, title, color) values (${project.id + 1_000}, ${project.id}, 'bug', '#f00')`);
  await makeHistory();
});

test('one that is merged and whose branch is gone has its people, dates, numbers and diff; again, and nothing changes', async () => {
  for (let round = 0; round < 2; round += 1) expect(await bring([merged()])).toEqual({ imported: 1 });
  expect(await shown(7)).toMatchObject({
    ...{ iid: 7, title: 'Change 7', state: 'merged', draft: false, imported: true, imported_from: 'github' },
    ...{ author: { id: people.developer.id }, assignees: [{ id: people.owner.id }], labels: ['bug'] },
    reviewers: [{ id: people.maintainer.id }],
    ...{ merge_user: { id: people.owner.id }, merged_at: later.toISOString(), merge_commit_sha: shas.merge },
    ...{ created_at: made.toISOString(), updated_at: later.toISOString(), sha: shas.head, closed_at: null },
    ...{ source_branch: 'gone', changes_count: '1', task_completion_status: { count: 1, completed_count: 1 } },
    diff_refs: { base_sha: shas.base, start_sha: shas.before, head_sha: shas.head },
    ...{ merge_status: 'can_be_merged', detailed_merge_status: 'not_open' },
  });
  const { body: diffs } = await api(people.developer, 'GET', mr(project, 7, '/diffs'));
  expect(diffs.map(({ new_path }: Body) => new_path)).toEqual(['a.txt']);
  const { body: commits } = await api(people.developer, 'GET', mr(project, 7, '/commits'));
  expect(commits.map(({ id }: Body) => id)).toEqual([shas.head, shas.first]);
  const { body: approvals } = await api(people.developer, 'GET', mr(project, 7, '/approvals'));
  expect(approvals.approved_by).toMatchObject([{ user: { id: people.maintainer.id } }]);
  expect(await git('rev-parse', 'refs/merge-requests/7/head')).toBe(shas.head);
  const events = await published();
  expect(events.map(({ body }) => [Object.keys(body).includes('created'), body.imported])).toEqual([[true, true]]);
  expect(
    await harness.db.query(sql`select 1 from resource_events e join merge_requests m on m.id = e.merge_request_id
    where m.project_id = ${project.id}`),
  ).toEqual([]);
});

test('commits are found by their first digits, which is all that some forges give', async () => {
  const short = (sha: string): string => sha.slice(0, 12);
  const diffs = [diffOf(short(shas.head), short(shas.before)), diffOf('f'.repeat(12), short(shas.before))];
  const one = { ...merged(), mergeCommitSha: short(shas.merge), diffs };
  expect(await bring([one], 'bitbucket')).toEqual({ imported: 1 });
  expect(await shown(7)).toMatchObject({
    ...{ merge_commit_sha: shas.merge, sha: shas.head, changes_count: '1' },
    diff_refs: { base_sha: shas.base, start_sha: shas.before, head_sha: shas.head },
  });
});

test('an open one of a fork gets a branch and can be merged; the next number comes after the highest', async () => {
  const one = given(9, {
    ...{ state: 'opened', draft: true, sourceBranch: 'github/fork/octo/fork', diffs: [diffOf(shas.open, shas.merge)] },
  });
  expect(await bring([one])).toEqual({ imported: 1 });
  expect(await git('rev-parse', 'refs/heads/github/fork/octo/fork')).toBe(shas.open);
  expect(await shown(9)).toMatchObject({ title: 'Draft: Change 9', draft: true, state: 'opened', sha: shas.open });
  await api(people.developer, 'PUT', mr(project, 9), { title: 'Change 9' });
  expect(await checked(project, 9)).toMatchObject({ detailed_merge_status: 'mergeable' });
  await harness.git(repository(), 'branch', 'next', shas.open);
  expect((await open(project, 'next')).iid).toBe(10);
});

test('a refresh takes what changed at the forge and not here, new versions among it, and notifies nobody (ADR 73)', async () => {
  const since = new Date('2020-03-01T00:00:00.000Z');
  const latest = new Date('2020-03-02T00:00:00.000Z');
  const fork = 'github/fork/octo/fork';
  const ofFork = (headSha: string): Partial<ImportedMergeRequest> => ({
    ...{ state: 'opened', sourceBranch: fork, diffs: [diffOf(headSha, shas.before)] },
  });
  const wasOpen = { state: 'opened', diffs: [diffOf(shas.first, shas.base)], sourceBranch: 'gone' };
  await bring([given(7, wasOpen), given(8, { labels: ['bug'] }), given(9, ofFork(shas.merge)), given(10)]);
  await harness.db.query(sql`
    update merge_requests set title = 'Mine' where project_id = ${project.id} and iid = 8`);
  await harness.db.query(sql`delete from merge_requests where project_id = ${project.id} and iid = 10`);
  const before = (await published()).length;
  const end = {
    state: 'merged',
    mergeCommitSha: shas.merge,
    mergedAt: latest,
    diffs: [diffOf(shas.head, shas.before)],
  };
  const page = [
    given(7, { ...end, assigneeIds: [people.owner.id], updatedAt: latest }),
    given(8, { title: 'Theirs', description: 'Theirs', labels: [], updatedAt: latest }),
    given(9, { ...ofFork(shas.open), title: 'Draft: Theirs', draft: true, updatedAt: latest }),
    given(10, { title: 'Theirs' }),
    given(11, { createdAt: latest, updatedAt: latest }),
  ];
  for (let round = 0; round < 2; round += 1) {
    expect(await bring(page, 'github', since)).toEqual({ imported: 5 });
    expect(await shown(7)).toMatchObject({
      ...{ state: 'merged', merged_at: latest.toISOString(), merge_commit_sha: shas.merge, sha: shas.head },
      ...{ title: 'Change 7', updated_at: latest.toISOString(), assignees: [{ id: people.owner.id }] },
      diff_refs: { base_sha: shas.base, start_sha: shas.before, head_sha: shas.head },
    });
    expect(await shown(8)).toMatchObject({ title: 'Mine', description: 'Theirs', labels: [], state: 'closed' });
    await eventually(async () =>
      expect(await shown(9)).toMatchObject({ title: 'Draft: Theirs', state: 'opened', sha: shas.open }),
    );
    expect((await api(people.developer, 'GET', mr(project, 10))).status).toBe(404);
    expect(await shown(11)).toMatchObject({ title: 'Change 11' });
    expect(await git('rev-parse', `refs/heads/${fork}`)).toBe(shas.open);
    expect(await git('rev-parse', 'refs/merge-requests/7/head', 'refs/merge-requests/9/head')).toBe(
      `${shas.head}\n${shas.open}`,
    );
  }
  const { body: versions } = await api(people.developer, 'GET', mr(project, 7, '/versions'));
  expect(versions.map((one: Body) => one.head_commit_sha)).toEqual([shas.head, shas.first]);
  const facts = (await published())
    .slice(before)
    .map(({ body }) => [Object.keys(body).includes('created'), body.imported]);
  expect(facts.filter(([isCreated]) => isCreated)).toEqual([[true, true]]);
  expect(facts.every(([, imported]) => imported)).toBe(true);
  expect(
    await harness.db.query(sql`select 1 from resource_events e join merge_requests m on m.id = e.merge_request_id
    where m.project_id = ${project.id}`),
  ).toEqual([]);
  // What somebody pushed to its branch here stays.
  await api(people.maintainer, 'POST', at(project, '/repository/commits'), {
    ...{ branch: fork, commit_message: 'Mine', actions: [{ action: 'create', file_path: 'd.txt', content: 'd\n' }] },
  });
  const mine = await git('rev-parse', `refs/heads/${fork}`);
  await eventually(async () => expect(await shown(9)).toMatchObject({ sha: mine }));
  await bring([given(9, { ...ofFork(shas.merge), updatedAt: latest })], 'github', since);
  expect(await git('rev-parse', `refs/heads/${fork}`)).toBe(mine);
  expect(await shown(9)).toMatchObject({ sha: mine, state: 'opened', title: 'Change 9' });
});

test('publishes what its texts name as of one that is written here, and again when a refresh changes them', async () => {
  const since = new Date('2020-03-01T00:00:00.000Z');
  const named = async () =>
    (await published()).flatMap(({ body: { created, issueReferences = created?.issueReferences, imported } }) =>
      issueReferences === undefined
        ? []
        : { imported, closing: issueReferences.closing ?? [], mentioned: issueReferences.mentioned ?? [] },
    );
  const [first, second] = [{ iid: 3 }, { path: 'team/other', iid: 4 }];
  for (let round = 0; round < 2; round += 1) await bring([given(7, { description: 'Closes #3, see team/other#4' })]);
  const wrote = { imported: true, closing: [first], mentioned: [first, second] };
  expect(await named()).toMatchObject([wrote]);
  const refresh = (more: object) => bring([given(7, { ...more, updatedAt: since })], 'github', since);
  await refresh({ description: 'Closes #3, see team/other#4', labels: ['bug'] });
  expect(await named()).toMatchObject([wrote]);
  for (let round = 0; round < 2; round += 1)
    await refresh({ title: 'Fixes team/other#4', description: 'Nothing', labels: ['bug'] });
  expect(await named()).toMatchObject([wrote, { imported: true, closing: [second], mentioned: [second] }]);
});

test('a page is added in as many statements as one of one', async () => {
  const add = async (iids: readonly number[]) => {
    const page = iids.map((iid) => ({
      ...{ iid, authorId: people.developer.id, title: 'Change', state: 'closed', draft: false, labels: ['bug'] },
      ...{ sourceBranch: 'gone', targetBranch: 'main', sourceBranchExists: false, versions: [], assigneeIds: [] },
      ...{ reviewers: [], approvals: [], squash: false, discussionLocked: false, taskCount: 0, completedTaskCount: 0 },
      ...{ timeEstimate: 0, totalTimeSpent: 0, createdAt: made, updatedAt: later },
      issueReferences: issueReferences([`Closes #${iid}`], 'https://code.example'),
    })) as unknown as NamingMergeRequest[];
    const key = { projectId: project.id, importedFrom: 'github' };
    return (await countStatements(() => mergeRequestImportStore(harness.db).add(key, page))).statements;
  };
  expect(await add([1])).toBe(await add([2, 3, 4, 5, 6]));
  expect(await published()).toHaveLength(6);
});

test('what was set to be merged here keeps state and head, and takes them when that is cancelled (ADR 73)', async () => {
  const since = new Date('2020-03-01T00:00:00.000Z');
  const fork = 'github/fork/octo/fork';
  const ofFork = (headSha: string, more: object = {}) =>
    given(9, {
      ...{ state: 'opened', draft: true, sourceBranch: fork, diffs: [diffOf(headSha, shas.before)] },
      ...more,
    });
  await bring([ofFork(shas.merge)]);
  const set = (strategy: string | null) =>
    harness.db.query(sql`
      update merge_requests set auto_merge_strategy = ${strategy} where project_id = ${project.id} and iid = 9`);
  await set('merge_when_checks_pass');
  await bring([ofFork(shas.open, { description: 'Theirs' })], 'github', since);
  await bring([ofFork(shas.open, { description: 'Theirs', state: 'closed' })], 'github', since);
  expect(await git('rev-parse', `refs/heads/${fork}`)).toBe(shas.merge);
  expect(await shown(9)).toMatchObject({ state: 'opened', sha: shas.merge, description: 'Theirs' });
  await set(null);
  await bring([ofFork(shas.open)], 'github', since);
  expect(await git('rev-parse', `refs/heads/${fork}`)).toBe(shas.open);
  await eventually(async () => expect(await shown(9)).toMatchObject({ state: 'opened', sha: shas.open }));
  // History of what is protected is not rewritten.
  await api(people.maintainer, 'POST', at(project, '/protected_branches'), { name: fork, push_access_level: 40 });
  await bring([ofFork(shas.first)], 'github', since);
  expect(await git('rev-parse', `refs/heads/${fork}`)).toBe(shas.open);
  await bring([ofFork(shas.open, { state: 'closed' })], 'github', since);
  expect(await shown(9)).toMatchObject({ state: 'closed' });
});

test('what is here already is not touched, and what no merge request can be is left out', async () => {
  await harness.git(repository(), 'branch', 'next', shas.open);
  expect((await open(project, 'next')).iid).toBe(1);
  const strange = [
    given(1),
    given(2, { title: ' ' }),
    given(3, { authorId: 0 }),
    given(4, { createdAt: new Date(-1) }),
    given(5, { state: 'opened', sourceBranch: 'next' }),
    given(6, {
      title: '🐛'.repeat(300),
      sourceBranch: 'a..b',
      diffs: [diffOf('f'.repeat(40), 'no sha')],
      state: 'locked',
    }),
  ];
  expect(await bring(strange)).toEqual({ imported: 1 });
  expect(await shown(1)).toMatchObject({ title: 'Merge next', imported: false });
  expect(await shown(6)).toMatchObject({
    ...{ title: `${'🐛'.repeat(254)}…`, state: 'opened', source_branch: 'imported-6', sha: null, diff_refs: null },
  });
  await expect(
    client().importMergeRequests(ImportMergeRequestsRequest.fromPartial({ projectId: 999_999 }), { requestId: 'test' }),
  ).rejects.toMatchObject({ kind: 'not_found' });
});

test('reviews are set as they ended', async () => {
  await bring([merged()]);
  const review = (userId: number, state: string, mergeRequestIid = 7) => ({
    mergeRequestIid,
    review: { userId, state, createdAt: later },
  });
  const reviews = [
    review(people.owner.id, 'requested_changes'),
    review(people.owner.id, 'approved'),
    review(people.maintainer.id, 'requested_changes'),
    review(people.owner.id, 'approved', 99),
    review(0, 'approved'),
  ];
  for (let round = 0; round < 2; round += 1)
    expect(
      await client().importMergeRequestReviews(
        { projectId: project.id, importedFrom: 'github', reviews },
        { requestId: 'test' },
      ),
    ).toEqual({ imported: 2 });
  const { body: approvals } = await api(people.developer, 'GET', mr(project, 7, '/approvals'));
  expect(approvals.approved_by).toMatchObject([{ user: { id: people.owner.id }, approved_at: later.toISOString() }]);
  const { body: reviewers } = await api(people.developer, 'GET', mr(project, 7, '/reviewers'));
  expect(reviewers.map(({ user, state }: Body) => [user.id, state]).sort()).toEqual([
    [people.owner.id, 'approved'],
    [people.maintainer.id, 'requested_changes'],
  ]);
});

test('places of a forge are lines of both sides, also at an older commit and at one that is not there', async () => {
  await bring([merged()]);
  const place = (more: Partial<ImportedPlace>) =>
    ImportedPlace.fromPartial({ iid: 7, commitSha: shas.head, path: 'a.txt', line: 10, ...more });
  const hunk = '@@ -1,3 +1,4 @@\n 1\n+x\n 2';
  const places = [
    place({}),
    place({ line: 30, oldSide: true }),
    place({ line: 31 }),
    place({ line: 0 }),
    place({ commitSha: shas.first }),
    place({ commitSha: 'f'.repeat(40), hunk }),
    place({ path: 'none.txt', oldSide: true }),
    place({ iid: 8 }),
  ];
  const found = await harness
    .asCollaboration(MergeRequestImportServiceService)
    .locateImportedNotes(
      { projectId: project.id, importedFrom: 'github', iids: [7, 8], places },
      { requestId: 'test' },
    );
  expect(found.mergeRequests).toEqual([{ iid: 7, id: (await shown(7)).id }]);
  const refs = { baseSha: shas.base, startSha: shas.before, headSha: shas.head };
  const inFile = { ...refs, oldPath: 'a.txt', newPath: 'a.txt' };
  expect(found.places.map(({ position }) => position && { ...position })).toEqual([
    { ...inFile, oldLine: undefined, newLine: 10 },
    { ...inFile, oldLine: 30, newLine: undefined },
    { ...inFile, oldLine: 32, newLine: 31 },
    { ...inFile, oldLine: undefined, newLine: undefined },
    { ...inFile, headSha: shas.first, oldLine: undefined, newLine: 10 },
    { ...inFile, headSha: 'f'.repeat(40), oldLine: 2, newLine: 3 },
    { ...refs, oldPath: 'none.txt', newPath: 'none.txt', oldLine: 10, newLine: undefined },
    undefined,
  ]);
});

test('events are there once, with their dates, and say who merged it; releases of tags that are there come over', async () => {
  await bring([{ ...merged(), mergedById: 0 }]);
  const event = (key: string, kind: string, action: string, title = '', userId = people.owner.id) => ({
    ...{ key, iid: 7, kind, action, title, userId, createdAt: later },
  });
  const events = [
    event('1', 'label', 'add', ' bug '),
    event('2', 'label', 'add', 'none'),
    event('3', 'state', 'merged'),
    event('4', 'state', 'exploded'),
    event('5', 'state', 'closed', '', 0),
    { ...event('6', 'state', 'closed'), iid: 99 },
  ];
  for (let round = 0; round < 2; round += 1)
    expect(
      await client().importMergeRequestEvents(
        { projectId: project.id, importedFrom: 'github', events },
        { requestId: 'test' },
      ),
    ).toEqual({ imported: 2 });
  // Some forges list the newest ones first.
  const earlier = [{ ...event('7', 'state', 'reopened'), createdAt: made }];
  await client().importMergeRequestEvents(
    { projectId: project.id, importedFrom: 'github', events: earlier },
    { requestId: 'test' },
  );
  expect((await shown(7)).merge_user).toMatchObject({ id: people.owner.id });
  const { body: labels } = await api(people.developer, 'GET', mr(project, 7, '/resource_label_events'));
  expect(labels).toMatchObject([{ action: 'add', label: { name: 'bug' }, created_at: later.toISOString() }]);
  const { body: states } = await api(people.developer, 'GET', mr(project, 7, '/resource_state_events'));
  expect(states.map(({ state, user }: Body) => [state, user?.id])).toEqual([
    ['reopened', people.owner.id],
    // It was closed as it was merged: that is one event.
    ['merged', people.owner.id],
  ]);
  const next = (fromIid: number) =>
    client().nextImportedMergeRequest(
      { projectId: project.id, importedFrom: 'github', fromIid },
      { requestId: 'test' },
    );
  expect([await next(1), await next(8)]).toEqual([{ iid: 7 }, { iid: 0 }]);

  await git('tag', 'v1', shas.merge);
  const release = { tag: 'v1', name: '', description: 'Notes', authorId: people.owner.id };
  const releases = [
    { ...release, createdAt: made, releasedAt: later },
    { ...release, tag: 'v2', createdAt: made, releasedAt: later },
  ];
  for (let round = 0; round < 2; round += 1)
    expect(
      await harness
        .asImports(ReleaseImportServiceService)
        .importReleases({ projectId: project.id, releases }, { requestId: 'test' }),
    ).toEqual({ imported: 1 });
  expect((await api(people.developer, 'GET', at(project, '/releases'))).body).toMatchObject([
    {
      tag_name: 'v1',
      name: 'v1',
      description: 'Notes',
      released_at: later.toISOString(),
      author: { id: people.owner.id },
    },
  ]);
  expect(await harness.db.query(sql`select 1 from events.outbox where event_id like 'release%'`)).toEqual([]);
});

const nameOf = ({ id }: { readonly id: number }): string => `user${id}`;

const nobody: StandIns = { people: [], areAll: true };

/** Adds records of an archive as who may write for nobody else. */
const write = (kind: string, records: readonly object[], checkOnly = false, standIns = nobody) =>
  harness.asImports(ProjectRecordServiceService).writeProjectRecords(
    {
      ...{ projectId: project.id, kind, importerId: people.maintainer.id, forEverybody: false, checkOnly, standIns },
      lines: Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join('')),
    },
    { requestId: 'test', timeoutMs: 60_000 },
  );

test('one that is opened while an import runs takes no number of it, nor of an archive that was looked at', async () => {
  for (const branch of ['next', 'later']) await harness.git(repository(), 'branch', branch, shas.open);
  const reserve = (projectId: number, highest: number) =>
    client().reserveMergeRequestNumbers({ projectId, highest }, { requestId: 'test' });
  for (const highest of [12, 12, 3, 0]) await reserve(project.id, highest);
  expect((await open(project, 'next')).iid).toBe(13);
  expect(await bring([given(1), given(12)])).toEqual({ imported: 2 });
  const { lines } = await harness
    .asImports(ProjectRecordServiceService)
    .readProjectRecords({ projectId: project.id, kind: 'merge_requests', after: 0 }, { requestId: 'test' });
  const [record] = lines.toString().split('\n');
  await write('merge_requests', [{ ...JSON.parse(record ?? ''), iid: 40 }], true);
  expect((await open(project, 'later')).iid).toBe(41);
  expect((await api(people.developer, 'GET', mr(project, 40))).status).toBe(404);
  await expect(reserve(999_999, 1)).rejects.toMatchObject({ kind: 'not_found' });
});

test('a release of an archive keeps a time of publication that the first releases took, whatever its year', async () => {
  const times = ['1850-06-07T08:09:10.000Z', '0050-01-02T00:00:00.000Z', '1969-01-01T00:00:00.000Z'];
  const release = (released_at: string, at: number) => ({
    ...{ tag: `old-${at}`, name: 'Old', description: null, author: null, released_at },
    ...{ created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-01T00:00:00.000Z' },
  });
  await write('releases', times.map(release), true);
  expect(await write('releases', times.map(release))).toMatchObject({ written: 3 });
  const { lines } = await harness
    .asImports(ProjectRecordServiceService)
    .readProjectRecords({ projectId: project.id, kind: 'releases', after: 0 }, { requestId: 'test' });
  const records = lines.toString().trimEnd().split('\n');
  const kept = records.map((line) => JSON.parse(line)).filter(({ tag }) => tag.startsWith('old-'));
  expect(kept.map(({ released_at }) => new Date(released_at).toISOString())).toEqual(times);
  await expect(write('releases', [{ ...release(times[0]!, 9), created_at: times[0] }], true)).rejects.toThrow();
});

test('protected branches and tags of an archive stand above the rule of the default branch; again, and nothing changes', async () => {
  const rule = { push_access_level: 0, merge_access_level: 30, allow_force_push: true };
  const named = (name: string) => ({ name, ...rule });
  for (const _ of [1, 2]) {
    await write('protected_branches', [named('main'), named('release/*'), named('main')]);
    await write('protected_tags', [{ name: 'v*', create_access_level: 30 }]);
  }
  expect(
    await harness.db.query(sql`
      select name, push_access_level, merge_access_level, allow_force_push from protected_branches
      where project_id = ${project.id} order by id`),
  ).toEqual([named('main'), named('release/*')]);
  expect((await api(people.maintainer, 'GET', at(project, '/protected_tags'))).body).toMatchObject([
    { name: 'v*', create_access_levels: [{ access_level: 30 }] },
  ]);
  for (const wrong of [{ name: '' }, { name: '*'.repeat(30) }, { name: 'a', push_access_level: 7 }])
    await expect(write('protected_branches', [{ ...rule, ...wrong }])).rejects.toMatchObject({ kind: 'unprocessable' });
});

test('approval rules of an archive name whom their importer could name; again, and nothing changes', async () => {
  await bring([given(5)], 'gitlab_project');
  await write('protected_branches', [
    { name: 'release/*', push_access_level: 40, merge_access_level: 40, allow_force_push: false },
  ]);
  await harness.db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (${project.id + 5_000}, 'group', 'Seen', 'seen', ${`seen${project.id}`}, 'Seen', array[${project.id + 5_000}::bigint], 'public', false),
      (${project.id + 6_000}, 'group', 'Secret', 'secret', ${`secret${project.id}`}, 'Secret', array[${project.id + 6_000}::bigint], 'private', false)`);
  const rule = (name: string, more: object = {}) => ({
    ...{ merge_request_iid: null, source: null, rule_type: 'regular', name, approvals_required: 1 },
    ...{ applies_to_all_protected_branches: false, users: [], groups: [], protected_branches: [], ...more },
  });
  const records = [
    rule('Checkers', {
      users: [nameOf(people.owner), 'nobody-here'],
      groups: [`seen${project.id}`, `secret${project.id}`],
      protected_branches: ['release/*', 'other'],
    }),
    rule('Checkers here', { merge_request_iid: 5, source: 'Checkers', approvals_required: 2 }),
    // A merge request that did not come in, and rules that no project can have.
    rule('Nowhere', { merge_request_iid: 6 }),
    rule('Too many', { approvals_required: 1_000 }),
    rule('All', { rule_type: 'any_approver', users: [nameOf(people.owner)] }),
  ];
  for (const _ of [1, 2]) await write('approval_rules', records);
  expect(
    await harness.db.query(sql`
      select r.name, m.iid, s.name as source, r.approvals_required as required,
        array(select user_id from approval_rule_users u where u.rule_id = r.id) as users,
        array(select group_id from approval_rule_groups g where g.rule_id = r.id) as groups,
        array(select b.name from approval_rule_branches l join protected_branches b on b.id = l.protected_branch_id
          where l.rule_id = r.id) as branches
      from approval_rules r left join merge_requests m on m.id = r.merge_request_id
        left join approval_rules s on s.id = r.source_rule_id where r.project_id = ${project.id} order by r.id`),
  ).toEqual([
    {
      ...{ name: 'Checkers', iid: null, source: null, required: 1, users: [people.owner.id] },
      ...{ groups: [project.id + 5_000], branches: ['release/*'] },
    },
    { name: 'Checkers here', iid: 5, source: 'Checkers', required: 2, users: [], groups: [], branches: [] },
  ]);
});

test('a merge request of an archive is of who stands for its people, who approve nothing; without them it waits', async () => {
  const { owner, developer, maintainer } = people;
  const times = { created_at: made.toISOString(), updated_at: later.toISOString() };
  const [known, unknown] = [nameOf(maintainer), nameOf(owner)];
  const record = {
    ...{ iid: 5, title: 'Change 5', description: 'Text', state: 'closed', draft: false, source_branch: 'gone' },
    ...{ target_branch: 'main', from_fork: false, author: unknown, assignees: [unknown, 'nobody-here'], labels: [] },
    reviewers: [known, unknown].map((username) => ({ username, state: 'approved', created_at: times.created_at })),
    approvals: [known, unknown].map((username) => ({ username, created_at: times.created_at })),
    ...{ milestone: null, squash: false, force_remove_source_branch: null, discussion_locked: null, diffs: [] },
    ...{ merge_commit_sha: null, squash_commit_sha: null, merged_by: null, merged_at: null, closed_by: unknown },
    ...{ closed_at: times.updated_at, time_estimate: 0, total_time_spent: 60, ...times },
    participants: [unknown, known, null],
    context_commits: [shas.base, shas.before, 'f'.repeat(40)].map((sha) => ({ sha, committed_at: times.created_at })),
    ...{ merge_after: times.updated_at, approvals_before_merge: 2 },
    time_logs: [
      { user: unknown, time_spent: 60, spent_at: times.created_at, summary: null, created_at: times.created_at },
    ],
  };
  const standIns = { people: [{ username: unknown, userId: developer.id }], areAll: false };
  expect(await write('merge_requests', [record], false, standIns)).toMatchObject({
    written: 0,
    unknown: ['nobody-here'],
  });
  expect(await write('merge_requests', [record], false, { ...standIns, areAll: true })).toMatchObject({
    written: 1,
    unknown: [],
  });
  expect(await shown(5)).toMatchObject({
    ...{ author: { id: developer.id }, assignees: [{ id: developer.id }], closed_by: { id: developer.id } },
    ...{ description: 'Text', time_stats: { total_time_spent: 60 } },
  });
  const { body: reviewers } = await api(developer, 'GET', mr(project, 5, '/reviewers'));
  expect(reviewers.map(({ user, state }: Body) => [user.id, state]).sort()).toEqual(
    [
      [maintainer.id, 'approved'],
      [developer.id, 'unreviewed'],
    ].sort(),
  );
  const { body: approvals } = await api(developer, 'GET', mr(project, 5, '/approvals'));
  expect(approvals.approved_by).toMatchObject([{ user: { id: maintainer.id } }]);
  // One that the repository does not have is left out.
  const { body: commits } = await api(developer, 'GET', mr(project, 5, '/context_commits'));
  expect(commits.map(({ id }: Body) => id).sort()).toEqual([shas.base, shas.before].sort());
  const { body: participants } = await api(developer, 'GET', mr(project, 5, '/participants'));
  expect(participants.map(({ id }: Body) => id)).toEqual([developer.id, maintainer.id]);
  const { lines } = await harness
    .asImports(ProjectRecordServiceService)
    .readProjectRecords({ projectId: project.id, kind: 'merge_requests', after: 0 }, { requestId: 'test' });
  const out = JSON.parse(lines.toString());
  expect(out).toMatchObject({
    ...{ participants: [nameOf(developer), known], approvals_before_merge: 2 },
    context_commits: [shas.base, shas.before].sort().map((sha) => ({ sha })),
  });
  expect(new Date(out.merge_after)).toEqual(later);
});

test('events of an archive keep their dates, in the name of who imports alone', async () => {
  await bring([given(5)], 'gitlab_project');
  const event = (id: number, user: string, more: object = {}) => ({
    ...{ id, kind: 'label', action: 'add', title: 'bug', user, created_at: made.toISOString(), ...more },
  });
  const events = [
    event(9, nameOf(people.maintainer)),
    event(10, nameOf(people.owner), { action: 'remove' }),
    event(11, nameOf(people.owner), { title: 'none' }),
    // Who may be written for closed it first, and somebody else closed it last.
    event(12, nameOf(people.maintainer), { kind: 'state', action: 'closed', title: null }),
    event(13, nameOf(people.owner), { kind: 'state', action: 'reopened', title: null }),
    event(14, nameOf(people.owner), { kind: 'state', action: 'closed', title: null, created_at: later.toISOString() }),
  ];
  for (const _ of [1, 2]) await write('merge_request_events', [{ iid: 5, events }]);
  expect((await api(people.developer, 'GET', mr(project, 5, '/resource_label_events'))).body).toMatchObject([
    { action: 'add', user: { id: people.maintainer.id }, created_at: made.toISOString(), label: { name: 'bug' } },
    { action: 'remove', user: null, created_at: made.toISOString() },
  ]);
  expect(await shown(5)).toMatchObject({ state: 'closed', closed_by: null });
  const { lines } = await harness
    .asImports(ProjectRecordServiceService)
    .readProjectRecords({ projectId: project.id, kind: 'merge_request_events', after: 0 }, { requestId: 'test' });
  expect(JSON.parse(lines.toString())).toMatchObject({
    iid: 5,
    events: [
      { kind: 'label', action: 'add', title: 'bug', user: nameOf(people.maintainer) },
      { kind: 'label', action: 'remove', title: 'bug', user: null },
      { kind: 'state', action: 'closed', title: null, user: nameOf(people.maintainer) },
      { kind: 'state', action: 'reopened', user: null },
      { kind: 'state', action: 'closed', user: null },
    ],
  });
});

test('environments and deployments of an archive come in as they were; again, and nothing changes', async () => {
  await bring([given(5)], 'gitlab_project');
  const times = { created_at: made.toISOString(), updated_at: later.toISOString() };
  const environment = (name: string, more: object = {}) => ({
    ...{ name, description: null, external_url: null, tier: 'other', state: 'available' },
    ...{ auto_stop_at: null, auto_delete_at: null, ...times, ...more },
  });
  const environments = [
    environment('production', { description: 'Live', external_url: 'https://example.com', tier: 'production' }),
    environment('review/a', { state: 'stopped', auto_delete_at: '2100-01-01T00:00:00.000Z' }),
  ];
  const deployment = (iid: number, more: object = {}) => ({
    ...{ iid, environment: 'production', user: nameOf(people.maintainer), sha: shas.merge, ref: 'main', tag: false },
    ...{ status: 'success', last: false, merge_request_iids: [], ...times, finished_at: later.toISOString(), ...more },
  });
  const deployments = [
    deployment(3, { last: true, merge_request_iids: [5] }),
    deployment(4, { environment: 'review/a', status: 'running', finished_at: null }),
  ];
  const others = [
    deployment(7, { environment: 'nowhere' }),
    deployment(8, { sha: 'f'.repeat(40) }),
    deployment(9, { merge_request_iids: [6], user: nameOf(people.owner), status: 'failed' }),
  ];
  for (const _ of [1, 2]) {
    expect(await write('environments', environments)).toMatchObject({ written: 2 });
    expect(await write('deployments', [...deployments, ...others])).toMatchObject({ written: 3 });
  }
  const read = async (kind: string) => {
    const request = { projectId: project.id, kind, after: 0 };
    const { lines } = await harness
      .asImports(ProjectRecordServiceService)
      .readProjectRecords(request, { requestId: 'test' });
    return lines
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line, (_, value) => instant(value)));
  };
  const instant = (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value;
  expect(await read('environments')).toEqual(environments);
  expect(await read('deployments')).toEqual([...deployments, { ...others[2], user: null, merge_request_iids: [] }]);
  const { body } = await api(people.developer, 'GET', `${at(project, '/merge_requests')}?environment=production`);
  expect(body.map(({ iid }: Body) => iid)).toEqual([5]);
  // What is made here goes on above them, and is compared with what is there.
  const next = { environment: 'production', sha: shas.merge, ref: 'main', tag: false, status: 'success' };
  expect((await api(people.maintainer, 'POST', at(project, '/deployments'), next)).body).toMatchObject({ iid: 10 });
  // Numbers of those that were looked at alone are kept for them.
  await write('deployments', [deployment(20)], true);
  expect((await api(people.maintainer, 'POST', at(project, '/deployments'), next)).body).toMatchObject({ iid: 21 });
  for (const wrong of [environment('/'), environment('a', { external_url: 'ftp://x' })])
    await expect(write('environments', [wrong])).rejects.toMatchObject({ kind: 'unprocessable' });
  const sent = await harness.db.query(sql`
    select type from events.outbox where type like 'deployment%' and (body #>> '{deployment,projectId}')::bigint = ${project.id}`);
  expect(sent).toHaveLength(2);
});

test('dependencies of an archive come in but for circles; again, and nothing changes', async () => {
  await bring([given(5), given(6), given(7)], 'gitlab_project');
  const waits = (blocked: number, ...blocking: number[]) => ({ blocked_iid: blocked, blocking_iids: blocking });
  const blocks = [waits(6, 5), waits(7, 6, 5), waits(5, 7, 5), waits(99, 5)];
  for (const _ of [1, 2]) await write('merge_request_blocks', blocks);
  const { lines } = await harness
    .asImports(ProjectRecordServiceService)
    .readProjectRecords({ projectId: project.id, kind: 'merge_request_blocks', after: 0 }, { requestId: 'test' });
  expect(
    lines
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(blocks.slice(0, 2));
});

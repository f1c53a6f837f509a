import { countStatements, type Database, openDatabase, type PageRequest } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { priorityOrderStore, putInPriorityOrder } from '@switchyard/directory';
import { mergeRequestEvents, publishStates } from '@switchyard/events';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { decideDeletion } from '../../src/merge-requests/domain/change-consequences';
import type { MergeRequestFilter } from '../../src/merge-requests/domain/merge-request-filter';
import { mergeRequestStates, publishFacts } from '../../src/merge-requests/storage/merge-request.events';
import { mergeRequestOrders } from '../../src/merge-requests/storage/merge-request.list';
import { orphanStore } from '../../src/merge-requests/storage/merge-request-people.store';
import { records } from '../../src/project-records/records';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { service } from '../../src/service';
import { storesOn } from '../support/areas';

let database: TestDatabase;
let db: Database;
let store: ReturnType<typeof storesOn>['mergeRequests'];
let pipelines: ReturnType<typeof storesOn>['pipelines'];

const member = { userId: 3, admin: false, external: false };
const outsider = { userId: 9, admin: false, external: false };
const anonymous = { userId: 0, admin: false, external: false };
const request = (more: Partial<PageRequest> = {}): PageRequest => ({
  mode: 'offset',
  page: 1,
  perPage: 20,
  orderBy: 'created_at',
  sort: 'asc',
  ...more,
});

/** Merge requests of project 1 by iid; what is not said is a plain open one by user 3. */
const rows: Record<string, unknown>[] = [
  { title: 'Alpha', description: 'first words', source_branch: 'a' },
  { title: 'Draft: Beta', draft: true, author_id: 4, source_branch: 'b', target_branch: 'stable' },
  { title: 'Gamma', state: 'closed', source_branch: 'c', milestone_id: 1 },
  { title: 'Delta 100%', state: 'merged', source_branch: 'd', merge_user_id: 4, merged_at: new Date('2024-02-01') },
  { title: 'Epsilon', description: 'ALPHA and beta', source_branch: 'e', author_id: 4, milestone_id: 2 },
];

beforeAll(async () => {
  database = await testDatabase({
    sets: service.migrationSets,
  });
  db = openDatabase({ url: database.url, applicationName: 'test' });
  ({ mergeRequests: store, pipelines } = storesOn(db));
  for (const id of [3, 4, 9]) {
    await db.query(sql`
      insert into directory.users (id, username, name, state, admin, external, bot)
      values (${id}, ${`User${id}`}, ${`User ${id}`}, 'active', false, false, false)`);
  }
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false),
      (2, 'group', 'Sub', 'sub', 'group/sub', 'Group / Sub', '{1,2}', 'private', false)`);
  for (const [id, namespace, visibility, archived] of [
    [1, 1, 'private', false],
    [2, 2, 'private', false],
    [3, 1, 'public', true],
  ] as const) {
    await db.query(sql`
      insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
        merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
        only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
        repository_access_level, initialize_with_readme)
      values (${id}, ${namespace}, 'P', ${`p${id}`}, ${visibility}, 'main', ${archived}, false, 1, 'merge', 'default_off', false, false,
        false, false, true, true, 'enabled', false)`);
  }
  await db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (1, 3, 1, 30), (2, 4, 1, 10)`);
  await db.query(sql`
    insert into directory.labels (id, project_id, namespace_id, title, color)
    values (1, 1, null, 'bug', '#ff0000'), (2, null, 1, 'Urgent', '#00ff00')`);
  await db.query(sql`
    insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
    values (1, 1, 1, 'v1', 'active', now(), now()), (2, 2, 1, 'v2', 'active', now(), now())`);
  for (const [at, row] of rows.entries()) await insert(1, at + 1, row);
  await insert(2, 1, { title: 'Elsewhere', source_branch: 'x' });
  await insert(3, 1, { title: 'Public', source_branch: 'y', author_id: 4 });
  await db.query(sql`
    insert into merge_request_labels (merge_request_id, label_id)
    select id, label from merge_requests, unnest(array[1, 2]) as label
    where project_id = 1 and (iid = 1 or (iid = 2 and label = 1))`);
  await db.query(sql`
    insert into merge_request_assignees (merge_request_id, user_id)
    select id, u from merge_requests, unnest(array[3, 4]) as u where project_id = 1 and (iid = 1 or (iid = 5 and u = 4))`);
  await db.query(sql`
    insert into merge_request_reviewers (merge_request_id, user_id, state)
    select id, 3, 'requested_changes' from merge_requests where project_id = 1 and iid = 2`);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

async function insert(projectId: number, iid: number, row: Record<string, unknown>): Promise<void> {
  const values = { state: 'opened', target_branch: 'main', author_id: 3, draft: false, ...row } as Record<
    string,
    unknown
  >;
  const created = new Date(Date.UTC(2024, 0, iid));
  await db.query(sql`
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, description, state,
      draft, milestone_id, merge_user_id, merged_at, created_at, updated_at)
    values (${iid}, ${projectId}, ${projectId}, ${values.source_branch}, ${values.target_branch}, ${values.author_id}, ${values.title},
      ${values.description ?? null}, ${values.state}, ${values.draft}, ${values.milestone_id ?? null}, ${values.merge_user_id ?? null},
      ${values.merged_at ?? null}, ${created}, ${created})`);
}

const users = (...ids: number[]) => ({ ids, usernames: [] });
const names = (...usernames: string[]) => ({ ids: [], usernames });
const titles = (...all: string[]) => ({ titles: all });
const words = (text: string, title = true, description = true) => ({ words: text.split(' '), title, description });

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `none-${index}`);

const filters: [string, MergeRequestFilter, number[]][] = [
  ['nothing', {}, [1, 2, 3, 4, 5]],
  ['state', { state: 'closed' }, [3]],
  ['created by me', { scope: 'created_by_me' }, [1, 3, 4]],
  ['assigned to me', { scope: 'assigned_to_me' }, [1]],
  ['my reviews', { scope: 'reviews_for_me' }, [2]],
  ['iids', { iids: [2, 4, 99] }, [2, 4]],
  ['source branch', { sourceBranch: 'c' }, [3]],
  ['target branch', { targetBranch: 'stable' }, [2]],
  ['author by id', { author: users(4) }, [2, 5]],
  ['author by name, in any case', { author: names('USER4') }, [2, 5]],
  ['no user of that name', { author: names('nobody') }, []],
  ['assignee', { assignee: users(4) }, [1, 5]],
  ['all assignees named', { assignee: names('user3', 'user4') }, [1]],
  ['no assignee', { assignee: 'none' }, [2, 3, 4]],
  ['any assignee', { assignee: 'any' }, [1, 5]],
  ['reviewer', { reviewer: users(3) }, [2]],
  ['no reviewer', { reviewer: 'none' }, [1, 3, 4, 5]],
  ['merged by', { mergeUser: users(4) }, [4]],
  ['one label', { labels: titles('bug') }, [1, 2]],
  ['no label of that case', { labels: titles('BUG') }, []],
  ['all labels named', { labels: titles('bug', 'Urgent') }, [1]],
  ['two authors at once', { author: names('user3', 'user4') }, []],
  ['the same author twice', { author: names('user4', 'USER4') }, [2, 5]],
  ['nine labels, seven of which are none', { labels: titles('bug', 'Urgent', ...many(7)) }, []],
  ['a thousand labels', { labels: titles('bug', ...many(1_000)) }, []],
  ['a thousand assignees', { assignee: names('user4', ...many(1_000)) }, []],
  ['a thousand reviewers', { reviewer: names('user3', ...many(1_000)) }, []],
  ['no label', { labels: 'none' }, [3, 4, 5]],
  ['any label', { labels: 'any' }, [1, 2]],
  ['milestone', { milestone: titles('v1') }, [3]],
  ['no milestone of that case', { milestone: titles('V1') }, []],
  ['no milestone', { milestone: 'none' }, [1, 2, 4]],
  ['any milestone', { milestone: 'any' }, [3, 5]],
  ['search', { search: words('alpha') }, [1, 5]],
  ['search in titles', { search: words('alpha', true, false) }, [1]],
  ['search in descriptions', { search: words('alpha', false, true) }, [5]],
  ['every word', { search: words('alpha epsilon') }, [5]],
  ['a percent sign stands for itself', { search: words('100%') }, [4]],
  ['an underscore too', { search: words('_') }, []],
  ['created after', { createdAfter: new Date('2024-01-04') }, [4, 5]],
  ['created before', { createdBefore: new Date('2024-01-02') }, [1, 2]],
  ['updated between', { updatedAfter: new Date('2024-01-02'), updatedBefore: new Date('2024-01-03') }, [2, 3]],
  ['drafts', { draft: true }, [2]],
  ['no drafts', { draft: false }, [1, 3, 4, 5]],
  ['source project', { sourceProjectId: 2 }, []],
  ['not archived', { nonArchived: true }, [1, 2, 3, 4, 5]],
  ['not this label', { not: { labels: titles('Urgent') } }, [2, 3, 4, 5]],
  ['none of these labels', { not: { labels: titles('bug', 'Urgent') } }, [3, 4, 5]],
  ['not this milestone', { not: { milestone: titles('v1') } }, [1, 2, 4, 5]],
  ['none of a thousand labels', { not: { labels: titles('Urgent', ...many(1_000)) } }, [2, 3, 4, 5]],
  ['none of a thousand assignees', { not: { assignee: names('user3', ...many(1_000)) } }, [2, 3, 4, 5]],
  ['none of a thousand authors', { not: { author: names('user4', ...many(1_000)) } }, [1, 3, 4]],
  ['not this author', { not: { author: names('user4') } }, [1, 3, 4]],
  ['not this assignee', { not: { assignee: users(3) } }, [2, 3, 4, 5]],
  ['not this reviewer', { not: { reviewer: users(3) } }, [1, 3, 4, 5]],
  ['not this branch', { not: { sourceBranch: 'a', targetBranch: 'stable' } }, [3, 4, 5]],
];

test.each(filters)('filter: %s', async (_, filter, iids) => {
  const found = await store.list({ scope: { projectId: 1 }, filter, viewer: member, request: request() });
  expect(found.rows.map(({ mergeRequest }) => mergeRequest.iid)).toEqual(iids);
  expect(found.page.total).toBe(iids.length);
});

const plainOrders = ['created_at', 'updated_at', 'title', 'merged_at', 'popularity'];
const priorityOrders = ['priority', 'label_priority', 'milestone_due'];

test('each order gives every row once, both ways, by keyset', async () => {
  for (const orderBy of [...plainOrders, ...priorityOrders]) {
    for (const sort of ['asc', 'desc'] as const) {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const { rows: found, page } = await store.list({
          scope: { projectId: 1 },
          filter: {},
          viewer: member,
          request: request({ mode: 'keyset', perPage: 2, orderBy, sort, cursor }),
        });
        seen.push(...found.map(({ mergeRequest }) => mergeRequest.iid));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect([orderBy, sort, [...seen].sort()]).toEqual([orderBy, sort, [1, 2, 3, 4, 5]]);
    }
  }
});

test('titles stand without regard to case', async () => {
  await db.query(sql`update merge_requests set title = 'epsilon' where title = 'Epsilon'`);
  const { rows } = await store.list({
    scope: { projectId: 1 },
    filter: {},
    viewer: member,
    request: request({ orderBy: 'title', sort: 'asc' }),
  });
  await db.query(sql`update merge_requests set title = 'Epsilon' where title = 'epsilon'`);
  const titles = rows.map(({ mergeRequest }) => mergeRequest.title);
  expect(titles).toEqual(['Alpha', 'Delta 100%', 'Draft: Beta', 'epsilon', 'Gamma']);
});

test('visibility is part of the statement: guests of private projects, outsiders and anonymous callers see what is public', async () => {
  const titlesFor = async (
    viewer: typeof member,
    scope: Parameters<typeof store.list>[0]['scope'],
    nonArchived?: boolean,
  ) => {
    const found = await store.list({ scope, filter: { nonArchived }, viewer, request: request() });
    expect(found.page.total).toBe(found.rows.length);
    return found.rows.map(({ mergeRequest }) => mergeRequest.title).sort();
  };
  const all = ['Alpha', 'Delta 100%', 'Draft: Beta', 'Elsewhere', 'Epsilon', 'Gamma', 'Public'];
  expect(await titlesFor(member, 'all')).toEqual(all);
  expect(await titlesFor(member, { groupId: 1 })).toEqual(all);
  expect(await titlesFor(member, { groupId: 1 }, true)).toEqual(all.slice(0, -1));
  expect(await titlesFor(member, { groupId: 2 })).toEqual(['Elsewhere']);
  expect(await titlesFor({ ...member, userId: 4 }, 'all')).toEqual(['Public']);
  expect(await titlesFor(outsider, 'all')).toEqual(['Public']);
  expect(await titlesFor(anonymous, 'all')).toEqual(['Public']);
});

test('a list costs the same number of statements with two rows and with a hundred', async () => {
  for (let iid = 2; iid <= 101; iid += 1) await insert(2, iid, { title: `Row ${iid}`, source_branch: `row-${iid}` });
  const cost = async (perPage: number) => {
    const { result, statements } = await countStatements(() =>
      store.list({ scope: { projectId: 2 }, filter: {}, viewer: member, request: request({ perPage }) }),
    );
    expect(result.rows).toHaveLength(perPage);
    return statements;
  };
  expect([await cost(2), await cost(100)]).toEqual([2, 2]);
});

test('what a row embeds', async () => {
  const view = await store.view({ projectId: 1, iid: 1 });
  expect(view).toMatchObject({
    assigneeIds: [3, 4],
    labels: [
      { title: 'bug', color: '#ff0000' },
      { title: 'Urgent', color: '#00ff00' },
    ],
    project: { namespace_full_path: 'group', path: 'p1' },
    changesRequested: false,
  });
  expect([...(view?.people.keys() ?? [])].sort()).toEqual([3, 4]);
  expect((await store.view({ projectId: 1, iid: 2 }))?.changesRequested).toBe(true);
  expect((await store.view({ projectId: 1, iid: 3 }))?.milestone).toMatchObject({ title: 'v1', project_id: 1 });
});

test('an import is history, what happens to the imported merge request afterwards is not', async () => {
  await insert(3, 7, { title: 'Imported', source_branch: 'imported' });
  await db.query(sql`update merge_requests set imported_from = 'github' where project_id = 3 and iid = 7`);
  const imported = (await store.view({ projectId: 3, iid: 7 }))?.mergeRequest;
  if (imported === undefined) throw new Error('not there');
  const mentions = { usernames: [], directlyAddressed: [] };
  const facts = [
    {
      kind: 'created',
      assigneeIds: [3],
      reviewerIds: [],
      mentions,
      issueReferences: { closing: [], mentioned: [], mergeRequests: [], epics: [] },
    },
    { kind: 'closed' },
    { kind: 'acted', act: 'pushed', actId: '1' },
  ] as const;
  await db.transaction((tx) =>
    publishFacts(
      tx,
      facts.map((fact) => ({ subject: imported, fact, actorId: 3, occurredAt: new Date() })),
    ),
  );
  await store.remove(imported.id, 3, undefined, decideDeletion);
  const events = await db.query<{ body: Record<string, unknown> }>(sql`
    select body from events.outbox where topic = ${mergeRequestEvents.topic} and key = ${String(imported.id)} order by id`);
  expect(events.map(({ body }) => [Object.keys(body).at(-1), body.imported ?? false])).toEqual([
    ['created', true],
    ['closed', false],
    ['acted', false],
    ['deleted', false],
  ]);
});

test('the state of each is published on request, as a change would publish it', async () => {
  const { mergeRequest: subject } = (await store.view({ projectId: 1, iid: 1 })) ?? {};
  if (subject === undefined) throw new Error('not there');
  await db.query(sql`delete from events.outbox`);
  const closed = { subject, fact: { kind: 'closed' }, actorId: 3, occurredAt: new Date() } as const;
  await db.transaction((tx) => publishFacts(tx, [closed]));
  const count = (await db.one<{ count: number }>(sql`select count(*)::int as count from merge_requests`))?.count;
  expect(await publishStates({ db, event: mergeRequestEvents, read: mergeRequestStates })).toBe(count);
  const published = await db.query<{ body: { mergeRequest: object; closed?: object } }>(sql`
    select body from events.outbox where key = ${String(subject.id)} order by id`);
  expect(published).toHaveLength(2);
  expect(published.map(({ body }) => body.closed)).toEqual([{}, undefined]);
  expect(published[1]?.body.mergeRequest).toEqual(published[0]?.body.mergeRequest);
  expect(published[0]?.body.mergeRequest).toMatchObject({ labelIds: [1, 2], state: 'opened' });
});

/** A merge request to be opened about which nothing is said. */
const plain = {
  targetBranch: 'main',
  authorId: 3,
  title: 'Many',
  description: undefined,
  draft: false,
  taskCount: 0,
  completedTaskCount: 0,
  sourceSha: 'a'.repeat(40),
  targetSha: 'a'.repeat(40),
  squash: false,
  forceRemoveSourceBranch: undefined,
  allowCollaboration: false,
  approvalsBeforeMerge: undefined,
  milestoneId: undefined,
  mergeAfter: undefined,
  discussionLocked: undefined,
  timeEstimate: 0,
  totalTimeSpent: 0,
  timelogs: [],
  assigneeIds: [],
  reviewerIds: [],
  labelIds: [],
  diff: undefined,
  mentions: { usernames: [], directlyAddressed: [] },
  issueReferences: { closing: [], mentioned: [], mergeRequests: [], epics: [] },
};

test('they stand by the dates of their milestones and the ranks of their labels, whatever becomes of these', async () => {
  await db.query(sql`
    insert into directory.milestones (id, iid, project_id, title, state, due_date, created_at, updated_at)
    values (11, 1, 3, 'soon', 'active', '2030-01-01', now(), now()), (12, 2, 3, 'late', 'active', '2031-01-01', now(), now())`);
  await db.query(sql`
    insert into directory.labels (id, project_id, title, color, priority)
    values (11, 3, 'first', '#ff0000', 0), (12, 3, 'second', '#ff0000', 5)`);
  await db.query(sql`insert into iid_counters (project_id, scope, last_iid) values (3, 'merge_requests', 1)`);
  const orders = priorityOrderStore(db, mergeRequestOrders);
  await putInPriorityOrder(orders);
  const make = (title: string, more: object) =>
    store.create({ ...plain, projectId: 3, sourceProjectId: 3, sourceBranch: title, title, ...more });
  await make('late second', { milestoneId: 12, labelIds: [12] });
  await make('late first', { milestoneId: 12, labelIds: [11, 12] });
  const moves = await make('soon', { labelIds: [11] });
  await store.change(moves.id, 3, () => ({ patch: { milestoneId: 11 }, labelIds: [] }));
  const inOrder = async (orderBy: string, sort: 'asc' | 'desc') => {
    const { rows: found } = await store.list({
      scope: { projectId: 3 },
      filter: {},
      viewer: member,
      request: request({ orderBy, sort }),
    });
    return found.map(({ mergeRequest }) => mergeRequest.title);
  };
  for (const orderBy of ['priority', 'milestone_due'])
    expect(await inOrder(orderBy, 'asc')).toEqual(['soon', 'late first', 'late second', 'Public']);
  expect(await inOrder('milestone_due', 'desc')).toEqual(['late second', 'late first', 'soon', 'Public']);
  expect(await inOrder('label_priority', 'asc')).toEqual(['late first', 'late second', 'Public', 'soon']);
  expect(await inOrder('label_priority', 'desc')).toEqual(['late second', 'late first', 'soon', 'Public']);

  await db.query(sql`update directory.milestones set due_date = '2032-01-01' where id = 11`);
  await db.query(sql`update directory.labels set priority = 9 where id = 12`);
  await db.query(sql`update directory.labels set deleted_at = now() where id = 11`);
  await putInPriorityOrder(orders);
  expect(await inOrder('milestone_due', 'asc')).toEqual(['late second', 'late first', 'soon', 'Public']);
  expect(await inOrder('label_priority', 'asc')).toEqual(['late second', 'late first', 'Public', 'soon']);
  await db.query(sql`update merge_request_order_sources set applied_at = now() - interval '1 hour'`);
  await putInPriorityOrder(orders);
  expect([await orders.unsettled(), await orders.stale(10)]).toEqual([false, []]);
});

test('each order of a project and of all is read through an index', async () => {
  await db.query(sql`
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, milestone_due,
      label_priority, upvotes, merged_at, created_at, updated_at)
    select n, 100 + n % 40, 100, 'branch-' || n, 'main', 3, 'Row ' || n, case when n % 5 = 0 then null else date '2026-01-01' + n % 30 end,
      nullif(n % 11, 0), n % 7, case when n % 3 = 0 then null else now() - n * interval '1 hour' end, now() - n * interval '1 minute',
      now() - n * interval '1 second'
    from generate_series(1, 20000) n`);
  await db.query(sql`analyze merge_requests`);
  const columns = {
    ...{ created_at: ['created_at'], updated_at: ['updated_at'], title: ['lower(title)'], merged_at: ['merged_at'] },
    ...{ popularity: ['upvotes'], label_priority: ['label_priority'] },
    ...{ priority: ['milestone_due', 'label_priority'], milestone_due: ['milestone_due', 'label_priority'] },
  } as Record<string, string[]>;
  for (const scope of [sql`project_id = 100`, sql`true`])
    for (const orderBy of [...plainOrders, ...priorityOrders])
      for (const direction of ['asc', 'desc']) {
        const last = priorityOrders.includes(orderBy) ? ' nulls last' : '';
        const by = raw(`${columns[orderBy]?.map((name) => `${name} ${direction}${last}, `).join('')}id ${direction}`);
        const plan = await db.query<{ 'QUERY PLAN': string }>(
          sql`explain select id from merge_requests where ${scope} order by ${by} limit 20`,
        );
        const text = plan.map((line) => line['QUERY PLAN']).join('\n');
        expect(text).toContain('Index');
        expect(text).not.toMatch(/Seq Scan|Sort/);
      }
});

test('an export reads the approval rules and merge requests of its own project alone', async () => {
  await db.query(sql`
    insert into approval_rules (project_id, merge_request_id, rule_type, name, approvals_required)
    select project_id, id, 'regular', 'Checkers', 1 from merge_requests where project_id between 100 and 139`);
  await db.query(sql`analyze approval_rules`);
  for (const [kind, index, table] of [
    ['approval_rules', 'approval_rules_in_project', 'approval_rules'],
    ['merge_requests', 'merge_requests_in_project', 'merge_requests'],
    ['merge_request_events', 'merge_requests_in_project', 'merge_requests'],
    ['merge_request_blocks', 'merge_requests_in_project', 'merge_requests'],
  ] as const) {
    const plan = await db.query<{ 'QUERY PLAN': string }>(
      sql`explain select r.id from (${records[kind]?.(99) ?? sql`select 1`}) r where r.id > ${0} order by r.id limit 100`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect([kind, text]).toEqual([kind, expect.stringContaining(`${index} on`)]);
    expect(text).not.toContain(`Seq Scan on ${table}`);
  }
});

test('twenty creations at once get dense, unique numbers', async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      store.create({
        ...plain,
        projectId: 5,
        sourceProjectId: 5,
        sourceBranch: `many-${at}`,
      }),
    ),
  );
  expect(made.map(({ iid }) => iid).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
}, 30_000);

test('two first reports at once make one pipeline, and twenty names are all there', async () => {
  const report = (name: string) =>
    pipelines.report(
      {
        projectId: 1,
        sha: 'b'.repeat(40),
        ref: 'main',
        tag: false,
        name,
        state: 'success',
        targetUrl: undefined,
        description: undefined,
        coverage: undefined,
        pipelineId: undefined,
        userId: 3,
      },
      undefined,
      new Date(),
    );
  const reports = await Promise.all(Array.from({ length: 20 }, (_, at) => report(`job ${at % 10}`)));
  expect(new Set(reports.map((one) => (one as { pipelineId: number }).pipelineId)).size).toBe(1);
  const found = await pipelines.listStatuses(
    { projectId: 1, sha: 'b'.repeat(40), all: true },
    request({ orderBy: 'id', perPage: 100 }),
  );
  expect(found.rows).toHaveLength(10);
});

test('a purge of approvals waits for merge requests in the order of batches (ADR 24)', async () => {
  const [first, second] = (await db.query<{ id: number }>(sql`select id from merge_requests order by id limit 2`)) as [
    { id: number },
    { id: number },
  ];
  await db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot, deleted_at)
    values (77, 'gone', 'Gone', 'active', false, false, false, now())`);
  // The later one first, as the purge finds them.
  for (const { id } of [second, first])
    await db.query(sql`insert into merge_request_approvals (merge_request_id, user_id) values (${id}, 77)`);
  const lock = (id: number) => sql`select 1 from merge_requests where id = ${id} for no key update nowait`;
  let purging: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await tx.query(lock(first.id));
    purging = orphanStore(db).removeOrphans(10);
    await eventually(async () => expect(await db.query(sql`select 1 from pg_locks where not granted`)).not.toEqual([]));
    expect(await tx.query(lock(second.id))).toHaveLength(1);
  });
  expect(await purging).toBe(2);
  expect(await db.query(sql`select 1 from merge_request_approvals where user_id = 77`)).toEqual([]);
});

test('a purge leaves nothing of a deleted project, and everything of others', async () => {
  const count = async () => {
    const found = await db.query<{ project_id: number; count: number }>(
      sql`select project_id, count(*) as count from merge_requests group by project_id order by project_id`,
    );
    return found.map(({ project_id }) => project_id);
  };
  await db.query(sql`
    insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha)
    select id, ${'a'.repeat(40)}, ${'b'.repeat(40)}, ${'c'.repeat(40)} from merge_requests where project_id = 2`);
  await db.query(sql`
    update merge_requests mr set latest_diff_id = d.id from merge_request_diffs d where d.merge_request_id = mr.id`);
  expect(await count()).toContain(2);
  await repositoryStore(db).purge(2);
  const left = await count();
  expect(left).not.toContain(2);
  expect(left).toContain(1);
});

import { type Database, openDatabase, type PageRequest, raw, sql } from '@switchyard/database';
import {
  type Directory,
  labelsByTitles,
  priorityOrderStore,
  putInPriorityOrder,
  startDirectory,
  type Viewer,
  writtenNames,
} from '@switchyard/directory';
import { decodeBody, issueEvents, tellStates } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { commandSteps } from '@switchyard/texts';
import { DirectoryModel } from '../../../../libs/directory/test/directory-model';
import { createIssue } from '../../src/issues/application/create-issue';
import type { IssueEdges } from '../../src/issues/application/issue.edges';
import type { IssueList, IssueStore } from '../../src/issues/application/issue.ports';
import { updateIssue } from '../../src/issues/application/update-issue';
import type { NewIssue } from '../../src/issues/domain/issue-change';
import { editIssue } from '../../src/issues/domain/issue-edit';
import type { IssueFilter } from '../../src/issues/domain/issue-filter';
import type { IssueScope } from '../../src/issues/domain/issue-query';
import { issueStates } from '../../src/issues/storage/issue.events';
import { issueList, issueOrders } from '../../src/issues/storage/issue.list';
import { issueStore } from '../../src/issues/storage/issue.store';
import { issueDirectoryStore } from '../../src/issues/storage/issue-directory.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let directory: Directory;
let issues: IssueStore;
let lists: IssueList;
let stop: () => Promise<void>;
const model = new DirectoryModel();
model.user({ username: 'ghost', bot: true });
const group = model.namespace();
const open = model.project(group.id, { visibility: 'public' });
const closedOff = model.project(group.id, { visibility: 'private' });
const off = model.project(group.id, { visibility: 'public', settings: { issuesEnabled: false } as never });
const [author, assignee, guest, planner, stranger] = [
  model.user({ username: 'author' }),
  model.user({ username: 'assignee' }),
  model.user({ username: 'guest' }),
  model.user({ username: 'planner' }),
  model.user({ username: 'stranger' }),
];
const root = model.user({ username: 'root', admin: true });
// The model's snapshot has no labels: they come as changes, after it.
const label = (title: string, priority?: number, id = model.id()) => {
  const value = { id, projectId: open.id, namespaceId: 0, title, color: '#ff0000', description: '', priority };
  model.write({ $case: 'label', value });
  return value;
};
let bug: ReturnType<typeof label>;
let feature: ReturnType<typeof label>;
model.member(guest.id, { namespaceId: group.id }, 10);
model.member(planner.id, { namespaceId: group.id }, 15);

const asViewer = (user?: { id: number; admin?: boolean; external?: boolean }): Viewer => ({
  userId: user?.id ?? 0,
  admin: user?.admin ?? false,
  external: user?.external ?? false,
});

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'issue test' });
  issues = issueStore(db);
  lists = issueList(db);
  directory = await startDirectory({ db, client: model.client, pollMs: 100, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
  bug = label('bug');
  feature = label('feature');
  stop = async () => {
    await directory.close();
    await db.close();
    await database.close();
  };
});
afterAll(() => stop());
beforeEach(async () => {
  await eventually(() => directory.ensure(model.changes.length));
  await db.query(sql`truncate issues, iid_counters, award_emoji, issue_merge_requests, events.outbox cascade`);
});

const make = (given: Partial<NewIssue> = {}) =>
  issues.create({
    projectId: open.id,
    authorId: author.id,
    title: 'Issue',
    description: undefined,
    issueType: 'issue',
    confidential: false,
    milestoneId: undefined,
    dueDate: undefined,
    weight: undefined,
    taskCount: 0,
    completedTaskCount: 0,
    assigneeIds: [],
    labelIds: [],
    mentions: { usernames: [], directlyAddressed: [] },
    ...given,
  });

const request = (given: Partial<PageRequest> = {}): PageRequest => ({
  mode: 'offset',
  page: 1,
  perPage: 100,
  orderBy: 'created_at',
  sort: 'asc',
  ...given,
});
const titles = async (filter: IssueFilter, viewer = asViewer(root), scope: IssueScope = 'all') =>
  (await lists.page({ scope, filter, viewer }, request())).rows.map(({ issue }) => issue.title);

const told = async () => {
  const rows = await db.query<{ event_id: string; body: unknown }>(
    sql`select event_id, body from events.outbox order by id`,
  );
  return rows.map(({ event_id, body }) => ({ id: event_id, event: decodeBody(issueEvents, JSON.stringify(body)) }));
};

describe('issues in the database', () => {
  it('are numbered without gaps by creations that race; a number can be wished for once', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => make()));
    expect(made.map(({ iid }) => iid).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    expect((await make({ iid: 100 })).iid).toBe(100);
    await expect(make({ iid: 100 })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(make({ iid: 3 })).rejects.toMatchObject({ kind: 'conflict' });
    expect((await make()).iid).toBe(101);
  });

  it('tell how they stand whenever that is asked, as their last change told it', async () => {
    const { id } = await make({ assigneeIds: [assignee.id], labelIds: [bug.id, feature.id], confidential: true });
    await make();
    await issues.change(id, planner.id, (locked) =>
      editIssue(locked, { labelIds: [feature.id], stateEvent: 'close' }, planner.id, new Date()),
    );
    const lastOf = async () => (await told()).filter(({ event }) => event.issue?.id === id).at(-1);
    const changed = await lastOf();
    for (const more of [2, 4]) {
      expect(await tellStates({ db, event: issueEvents, read: issueStates })).toBe(2);
      expect((await told()).filter(({ event }) => event.fact === undefined)).toHaveLength(more);
    }
    expect((await lastOf())?.event).toMatchObject({ issue: changed?.event.issue, fact: undefined });
    expect(changed?.event.issue).toMatchObject({ state: 'closed', labelIds: [feature.id], confidential: true });
  });

  it('tell what happens to them, each change once and in order', async () => {
    const { id } = await make({ assigneeIds: [assignee.id], labelIds: [bug.id], confidential: true });
    await issues.change(id, planner.id, (locked) =>
      editIssue(locked, { title: 'New', labelIds: [feature.id], stateEvent: 'close' }, planner.id, new Date()),
    );
    await issues.change(id, planner.id, (locked) => editIssue(locked, { title: 'New' }, planner.id, new Date()));
    await issues.remove(id, root.id, undefined);
    const events = await told();
    expect(events.map((one) => one.id)).toEqual([
      `issue.created:${id}:1`,
      `issue.updated:${id}:1`,
      `issue.closed:${id}:1`,
      `issue.deleted:${id}:1`,
    ]);
    expect(events[0]?.event).toMatchObject({
      issue: { id, iid: 1, projectId: open.id, confidential: true, assigneeIds: [assignee.id], issueType: 'issue' },
      actorId: author.id,
      fact: { $case: 'created', value: { labelIds: [bug.id] } },
    });
    expect(events[1]?.event).toMatchObject({
      issue: { title: 'New' },
      actorId: planner.id,
      fact: {
        value: {
          changedFields: ['title', 'labels'],
          addedLabelIds: [feature.id],
          removedLabelIds: [bug.id],
          changes: [{ field: 'title', old: 'Issue', new: 'New' }],
        },
      },
    });
    await expect(issues.change(id, root.id, () => undefined)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are from their first event on what their description commands, and keep the rest of the text', async () => {
    const clock = () => new Date('2026-01-01T00:00:00Z');
    const edges: IssueEdges = {
      issues,
      lists,
      directory: issueDirectoryStore(db),
      ensureLabels: async (_caller, projectId, titles) => labelsByTitles(db, projectId, titles),
      commandSteps: commandSteps({ names: writtenNames(db), clock }),
      clock,
    };
    const caller = { ...asViewer(planner), level: 15, tier: 'ultimate', requestId: 'r' };
    const iid = await createIssue(edges)(caller, {
      projectId: open.id,
      title: 'Leak',
      description:
        'Secret\n/confidential\n/label ~bug\n/unlabel ~feature\n/assign @assignee\n/due 2027-01-02\n/estimate 2h\n/spend 1h\n/todo\n/close',
      issueType: 'issue',
      confidential: false,
      assigneeIds: [author.id],
      labels: ['feature'],
      discussionLocked: false,
    });
    expect((await told()).map(({ event }) => event)).toMatchObject([
      {
        issue: { confidential: true, labelIds: [bug.id], assigneeIds: [author.id, assignee.id] },
        fact: { $case: 'created' },
      },
    ]);
    const key = { projectId: open.id, iid };
    const stored = async () => (await issues.view(key, asViewer(root)))?.issue;
    const update = (who: typeof caller, description: string) =>
      updateIssue(edges)(who, key, { addLabels: [], removeLabels: [], description });
    const times = { timeEstimate: 7_200, totalTimeSpent: 3_600 };
    expect(await stored()).toMatchObject({ description: 'Secret\n/todo\n/close', dueDate: '2027-01-02', ...times });
    await update(caller, '/title Found\n/relabel ~feature\n/spend 1h\n/close');
    expect((await told()).slice(1).map(({ event }) => event)).toMatchObject([
      { issue: { title: 'Found', labelIds: [feature.id] }, fact: { $case: 'updated' } },
      { fact: { $case: 'closed' } },
    ]);
    expect(await stored()).toMatchObject({ description: undefined, totalTimeSpent: 7_200 });
    // Assignees who do not manage issues command no more than they may set.
    await update({ ...caller, userId: assignee.id, level: 0 }, 'Mine\n/unlabel\n/title Theirs\n/reopen');
    expect(await stored()).toMatchObject({ title: 'Theirs', description: 'Mine', state: 'opened' });
    expect((await told()).at(-1)?.event).toMatchObject({ issue: { labelIds: [feature.id] } });
  });

  it('are refused to deletions of what changed meanwhile', async () => {
    const { id } = await make();
    const before = new Date(Date.now() - 60_000);
    await expect(issues.remove(id, root.id, before)).rejects.toMatchObject({ kind: 'precondition_failed' });
    await issues.remove(id, root.id, new Date(Date.now() + 60_000));
  });

  it('move once', async () => {
    const { id } = await make({ title: 'Mover' });
    const move = () =>
      issues.move(id, root.id, { internal: true, reworded: String }, ({ issue }) => ({
        ...issue,
        iid: undefined,
        projectId: closedOff.id,
        assigneeIds: [],
        labelIds: [],
        mentions: { usernames: [], directlyAddressed: [] },
      }));
    const results = await Promise.allSettled([move(), move(), move()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await titles({ search: { words: ['mover'], title: true, description: false } })).toHaveLength(2);
    const view = await issues.view({ id }, asViewer(root));
    expect(view?.issue).toMatchObject({ state: 'closed', movedToId: expect.any(Number) });
    expect((await told()).map(({ event }) => event.fact?.$case)).toEqual(['created', 'created', 'moved', 'closed']);
  });

  it.each([
    [true, ['open', 'secret'], 2],
    [false, ['open'], 1],
  ])('move with internal notes: %s', async (internal, bodies, count) => {
    const { id, projectId } = await make();
    await db.query(sql`
      with carrier as (
        insert into noteables (kind, project_id, target_id, user_notes_count) values ('Issue', ${projectId}, ${id}, 2) returning id)
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, internal)
      select carrier.id, ${projectId}, substring(sha256(body::bytea) from 1 for 20), true, ${author.id}, body, body = 'secret'
      from carrier, unnest(array['open', 'secret']) as body`);
    const moved = await issues.move(id, root.id, { internal, reworded: String }, ({ issue }) => ({
      ...issue,
      iid: undefined,
      projectId: closedOff.id,
      assigneeIds: [],
      labelIds: [],
      mentions: { usernames: [], directlyAddressed: [] },
    }));
    const copied = await db.query<{ body: string; count: number }>(sql`
      select n.body, c.user_notes_count as count from notes n join noteables c on c.id = n.noteable_id
      where c.kind = 'Issue' and c.target_id = ${moved.id} order by n.body`);
    expect(copied).toEqual(bodies.map((body) => ({ body, count })));
    expect((await issues.view({ id: moved.id }, asViewer(root)))?.issue.userNotesCount).toBe(count);
  });

  it('go with their project, and nothing of them is left', async () => {
    const doomed = model.project(group.id, { visibility: 'public' });
    await eventually(() => directory.ensure(model.changes.length));
    for (const projectId of [doomed.id, open.id]) {
      const { id, iid } = await make({ projectId, assigneeIds: [assignee.id], labelIds: [bug.id] });
      await db.query(sql`
        insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('Issue', ${id}, 'star', ${root.id})`);
      await db.query(sql`
        insert into issue_merge_requests (merge_request_id, project_id, iid, merge_request_project_id, merge_request_iid, closes)
        values (${id}, ${projectId}, ${iid}, ${open.id}, 1, true), (${id}, ${open.id}, 77, ${projectId}, 1, true)`);
    }
    expect(await issues.removeOrphans(10)).toBe(0);
    model.removeProject(doomed.id);
    await eventually(() => directory.ensure(model.changes.length));
    while ((await issues.removeOrphans(1)) > 0);
    const left = async (table: string) => (await db.query(sql`select 1 from ${raw(table)}`)).length;
    for (const table of ['issues', 'iid_counters', 'award_emoji', 'issue_assignees', 'issue_labels'])
      expect([table, await left(table)]).toEqual([table, 1]);
    expect(await left('issue_participants')).toBe(2);
    expect(await left('issue_merge_requests')).toBe(2);
  });

  it('show themselves to whom they are open, in every list and by themselves', async () => {
    await make({ title: 'plain' });
    await make({ title: 'secret', confidential: true, assigneeIds: [assignee.id] });
    await make({ title: 'inside', projectId: closedOff.id });
    await make({ title: 'deep', projectId: closedOff.id, confidential: true });
    await make({ title: 'off', projectId: off.id });
    const sees: [Viewer, string[]][] = [
      [asViewer(), ['plain']],
      [asViewer(stranger), ['plain']],
      [asViewer(author), ['plain', 'secret']],
      [asViewer(assignee), ['plain', 'secret']],
      [asViewer(guest), ['plain', 'inside']],
      [asViewer(planner), ['plain', 'secret', 'inside', 'deep']],
      [asViewer(root), ['plain', 'secret', 'inside', 'deep']],
    ];
    const all = await db.query<{ id: number; title: string }>(sql`select id, title from issues`);
    for (const [viewer, expected] of sees) {
      expect(await titles({}, viewer)).toEqual(expected);
      expect(await titles({}, viewer, { groupId: group.id })).toEqual(expected);
      const { all: count } = await lists.counts({ scope: 'all', filter: {}, viewer });
      expect(count).toBe(expected.length);
      const one = await Promise.all(
        all.map(async ({ id, title }) => ((await issues.view({ id }, viewer)) === undefined ? [] : [title])),
      );
      expect(one.flat().sort()).toEqual([...expected].sort());
    }
    const inOpen = (viewer: Viewer, level: number) => titles({}, viewer, { projectId: open.id, level });
    expect(await inOpen(asViewer(stranger), 0)).toEqual(['plain']);
    expect(await inOpen(asViewer(guest), 10)).toEqual(['plain']);
    expect(await inOpen(asViewer(assignee), 0)).toEqual(['plain', 'secret']);
    expect(await inOpen(asViewer(planner), 15)).toEqual(['plain', 'secret']);
    expect(await titles({}, asViewer(root), { projectId: off.id, level: 50 })).toEqual([]);
  });

  it('are found by each filter, and by what they are not', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const first = await make({ title: 'Alpha beta', labelIds: [bug.id, feature.id], weight: 0, dueDate: today });
    await make({
      title: 'Beta',
      description: 'alpha 100%',
      labelIds: [bug.id],
      authorId: guest.id,
      assigneeIds: [assignee.id, planner.id],
      issueType: 'incident',
      dueDate: '2001-01-01',
      confidential: true,
    });
    await make({ title: 'Gamma', weight: 3 });
    await db.query(sql`
      insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('Issue', ${first.id}, 'star', ${root.id})`);
    const by = (words: string[], title = true, description = true): IssueFilter => ({
      search: { words, title, description },
    });
    const table: [IssueFilter, string[]][] = [
      [{ labels: { titles: ['BUG'] } }, ['Alpha beta', 'Beta']],
      [{ labels: { titles: ['bug', 'feature'] } }, ['Alpha beta']],
      [{ labels: 'none' }, ['Gamma']],
      [{ labels: 'any' }, ['Alpha beta', 'Beta']],
      [{ author: { ids: [], usernames: ['GUEST'] } }, ['Beta']],
      [{ author: { ids: [author.id, guest.id], usernames: [] } }, []],
      [{ assignee: { ids: [assignee.id], usernames: ['planner'] } }, ['Beta']],
      [{ assignee: 'none' }, ['Alpha beta', 'Gamma']],
      [{ assignee: 'any' }, ['Beta']],
      [{ issueType: 'incident' }, ['Beta']],
      [{ confidential: false }, ['Alpha beta', 'Gamma']],
      [{ weight: 0 }, ['Alpha beta']],
      [{ weight: 'any' }, ['Alpha beta', 'Gamma']],
      [{ weight: 'none' }, ['Beta']],
      [{ dueDate: 'overdue' }, ['Beta']],
      [{ dueDate: 'today' }, ['Alpha beta']],
      [{ dueDate: 'week' }, ['Alpha beta']],
      [{ dueDate: 'month' }, ['Alpha beta']],
      [{ dueDate: 'next_month_and_previous_two_weeks' }, ['Alpha beta']],
      [{ dueDate: 'tomorrow' }, []],
      [{ dueDate: 'none' }, ['Gamma']],
      [{ milestone: 'none' }, ['Alpha beta', 'Beta', 'Gamma']],
      [{ milestone: 'started' }, []],
      [{ milestone: 'upcoming' }, []],
      [{ reaction: { name: 'star' } }, ['Alpha beta']],
      [{ reaction: 'none' }, ['Beta', 'Gamma']],
      [by(['alpha', 'beta']), ['Alpha beta', 'Beta']],
      [by(['alpha'], true, false), ['Alpha beta']],
      [by(['100%']), ['Beta']],
      [{ iids: [1, 3] }, ['Alpha beta', 'Gamma']],
      [{ not: { labels: { titles: ['feature', 'nothing'] } } }, ['Beta', 'Gamma']],
      [{ not: { author: { ids: [author.id], usernames: [] } } }, ['Beta']],
      [{ not: { assignee: { ids: [assignee.id], usernames: [] } } }, ['Alpha beta', 'Gamma']],
      [{ not: { iids: [2], weight: 3 } }, ['Alpha beta']],
      [{ not: { reaction: { name: 'star' } } }, ['Beta', 'Gamma']],
      [{ scope: 'assigned_to_me' }, []],
      [{ createdAfter: new Date(Date.now() + 60_000) }, []],
      [{ updatedBefore: new Date(Date.now() + 60_000), state: 'opened' }, ['Alpha beta', 'Beta', 'Gamma']],
    ];
    for (const [filter, expected] of table) expect([filter, await titles(filter)]).toEqual([filter, expected]);
  });

  it('are subscribed to once, by those who say so and those who take part', async () => {
    const { id } = await make();
    const say = (user: { id: number }, subscribed: boolean) => issues.setSubscription(id, user.id, subscribed);
    expect((await Promise.all(Array.from({ length: 8 }, () => say(stranger, true)))).filter(Boolean)).toHaveLength(1);
    expect([await say(author, true), await say(author, false), await say(author, false)]).toEqual([false, true, false]);
    expect(await issues.isSubscribed(id, author.id)).toBe(false);
    expect([await say(author, true), await say(guest, false)]).toEqual([true, false]);
  });

  it('stand by the dates of their milestones and the ranks of their labels, whatever becomes of these', async () => {
    const milestone = (id: number, dueDate: string) =>
      model.write({
        $case: 'milestone',
        value: {
          id,
          iid: id,
          projectId: open.id,
          namespaceId: 0,
          title: `M${id}`,
          description: '',
          state: 'active',
          dueDate,
          startDate: '',
          createdAt: new Date(),
          updatedAt: new Date(),
        },
      });
    const [soon, late, never] = [model.id(), model.id(), model.id()] as [number, number, number];
    milestone(soon, '2030-01-01');
    milestone(late, '2031-01-01');
    milestone(never, '');
    const first = label('first', 0);
    const second = label('second', 5);
    await directory.ensure(model.changes.length);
    const orders = priorityOrderStore(db, issueOrders);
    await putInPriorityOrder(orders);
    await make({ title: 'none', milestoneId: never, labelIds: [bug.id] });
    await make({ title: 'late second', milestoneId: late, labelIds: [second.id] });
    await make({ title: 'late first', milestoneId: late, labelIds: [second.id, first.id] });
    const moves = await make({ title: 'soon', labelIds: [] });
    await issues.change(moves.id, root.id, (locked) => editIssue(locked, { milestoneId: soon }, root.id, new Date()));
    const inOrder = async (orderBy: string, sort: 'asc' | 'desc', mode: 'offset' | 'keyset' = 'offset') => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const asked = request({ orderBy, sort, mode, perPage: mode === 'keyset' ? 1 : 100, cursor: cursor ?? '' });
        const { rows, page } = await lists.page({ scope: 'all', filter: {}, viewer: asViewer(root) }, asked);
        found.push(...rows.map(({ issue }) => issue.title));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    };
    for (const mode of ['offset', 'keyset'] as const) {
      const byDate = ['soon', 'late first', 'late second', 'none'];
      expect(await inOrder('priority', 'asc', mode)).toEqual(byDate);
      expect(await inOrder('milestone_due', 'asc', mode)).toEqual(byDate);
      expect(await inOrder('milestone_due', 'desc', mode)).toEqual(['late second', 'late first', 'soon', 'none']);
      expect(await inOrder('label_priority', 'asc', mode)).toEqual(['late first', 'late second', 'none', 'soon']);
      expect(await inOrder('label_priority', 'desc', mode)).toEqual(['late second', 'late first', 'soon', 'none']);
    }
    milestone(soon, '2032-01-01');
    label('second', 9, second.id);
    label('first', undefined, first.id);
    label('bug', 1, bug.id);
    await directory.ensure(model.changes.length);
    await putInPriorityOrder(orders);
    expect(await inOrder('milestone_due', 'asc')).toEqual(['late second', 'late first', 'soon', 'none']);
    expect(await inOrder('label_priority', 'asc')).toEqual(['none', 'late second', 'late first', 'soon']);
    expect(await orders.unsettled()).toBe(true);
    await db.query(sql`update issue_order_sources set applied_at = now() - interval '1 hour'`);
    await putInPriorityOrder(orders);
    expect(await orders.unsettled()).toBe(false);
    expect(await orders.stale(10)).toEqual([]);
  });

  it('are read through an index whatever the order', async () => {
    await db.query(sql`
      insert into issues (iid, project_id, author_id, title, due_date, milestone_due, weight, label_priority, upvotes, created_at,
        updated_at)
      select n, ${open.id} + n % 40, ${author.id}, 'Issue ' || n, case when n % 3 = 0 then null else date '2026-01-01' + n % 900 end,
        case when n % 5 = 0 then null else date '2026-01-01' + n % 30 end, nullif(n % 9, 0), nullif(n % 11, 0), n % 7, now() - n * interval '1 minute', now() - n * interval '1 second'
      from generate_series(1, 30000) n`);
    await db.query(sql`analyze issues`);
    for (const scope of [sql`project_id = ${open.id}`, sql`true`])
      for (const order of [
        ['created_at'],
        ['updated_at'],
        ['lower(title)'],
        ['upvotes'],
        ['due_date'],
        ['weight'],
        ['label_priority'],
        ['milestone_due', 'label_priority'],
      ])
        for (const direction of ['asc', 'desc']) {
          const open = ['created_at', 'updated_at', 'lower(title)', 'upvotes'];
          const columns = order.map((name) => `${name} ${direction}${open.includes(name) ? '' : ' nulls last'}`);
          const by = raw(`${columns.join(', ')}, id ${direction}`);
          const plan = await db.query<{ 'QUERY PLAN': string }>(
            sql`explain select id from issues where ${scope} order by ${by} limit 20`,
          );
          const text = plan.map((line) => line['QUERY PLAN']).join('\n');
          expect(text).toContain('Index');
          expect(text).not.toMatch(/Seq Scan|Sort/);
        }
  });
});

import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { type Directory, priorityOrderStore, putInPriorityOrder, type Viewer } from '@switchyard/directory';
import type { IssueList, IssueStore } from '../../src/issues/application/issue.ports';
import { editIssue } from '../../src/issues/domain/issue-edit';
import type { IssueFilter } from '../../src/issues/domain/issue-filter';
import { issueOrders } from '../../src/issues/storage/issue.list';
import { issueHarness } from '../support/issue-harness';

const harness = issueHarness();
const {
  model,
  group,
  open,
  closedOff,
  off,
  author,
  assignee,
  guest,
  planner,
  outsider,
  root,
  label,
  asViewer,
  make,
  request,
  titles,
} = harness;
let db: Database;
let directory: Directory;
let issues: IssueStore;
let lists: IssueList;
let bug: { readonly id: number };
let feature: { readonly id: number };

beforeAll(async () => {
  ({ db, directory, issues, lists, bug, feature } = await harness.start());
});
afterAll(() => harness.stop());
beforeEach(() => harness.clear());

describe('lists of issues', () => {
  it('show themselves to whom they are open, in every list and by themselves', async () => {
    await make({ title: 'plain' });
    await make({ title: 'secret', confidential: true, assigneeIds: [assignee.id] });
    await make({ title: 'inside', projectId: closedOff.id });
    await make({ title: 'deep', projectId: closedOff.id, confidential: true });
    await make({ title: 'off', projectId: off.id });
    const sees: [Viewer, string[]][] = [
      [asViewer(), ['plain']],
      [asViewer(outsider), ['plain']],
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
    expect(await inOpen(asViewer(outsider), 0)).toEqual(['plain']);
    expect(await inOpen(asViewer(guest), 10)).toEqual(['plain']);
    expect(await inOpen(asViewer(assignee), 0)).toEqual(['plain', 'secret']);
    expect(await inOpen(asViewer(planner), 15)).toEqual(['plain', 'secret']);
    expect(await titles({}, asViewer(root), { projectId: off.id, level: 50 })).toEqual([]);
  });

  it('are found by each filter, and by what they are not', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const first = await make({
      title: 'Alpha beta',
      labelIds: [bug.id, feature.id],
      weight: 0,
      dueDate: today,
      healthStatus: 'on_track',
    });
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
    await make({ title: 'Gamma', weight: 3, healthStatus: 'at_risk' });
    await db.query(sql`
      insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('Issue', ${first.id}, 'star', ${root.id})`);
    const by = (words: string[], title = true, description = true): IssueFilter => ({
      search: { words, title, description },
    });
    const table: [IssueFilter, string[]][] = [
      [{ labels: { titles: ['bug'] } }, ['Alpha beta', 'Beta']],
      [{ labels: { titles: ['BUG'] } }, []],
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
      [{ healthStatus: 'at_risk' }, ['Gamma']],
      [{ healthStatus: 'any' }, ['Alpha beta', 'Gamma']],
      [{ healthStatus: 'none' }, ['Beta']],
      [{ not: { healthStatus: 'at_risk' } }, ['Alpha beta', 'Beta']],
      [{ not: { healthStatus: 'none' } }, ['Alpha beta', 'Gamma']],
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

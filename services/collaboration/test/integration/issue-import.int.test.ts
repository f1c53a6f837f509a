import { readRecords } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { reassign } from '@switchyard/service';
import { places } from '../../src/authorship';
import { importIssues, reserveIssueNumbers } from '../../src/issues/application/import-issues';
import type { ImportedIssue } from '../../src/issues/domain/issue-import';
import { issueDirectoryStore } from '../../src/issues/storage/issue-directory.store';
import { issueImportStore } from '../../src/issues/storage/issue-import.store';
import { records } from '../../src/project-records/records';
import { issueHarness } from '../support/issue-harness';

const harness = issueHarness();
const { open, author, assignee, guest, planner } = harness;
let running: Awaited<ReturnType<typeof harness.start>>;
let imports: ReturnType<typeof importIssues>;
let reserve: ReturnType<typeof reserveIssueNumbers>;

beforeAll(async () => {
  running = await harness.start();
  const { db } = running;
  const edges = { directory: issueDirectoryStore(db), imports: issueImportStore(db) };
  imports = importIssues(edges);
  reserve = reserveIssueNumbers(edges);
});
afterAll(harness.stop);
beforeEach(harness.clear);

const key = { projectId: open.id, importedFrom: 'github' };
const made = new Date('2020-01-02T03:04:05.000Z');
const changed = new Date('2020-02-03T04:05:06.000Z');
const issue = (iid: number, given: Partial<ImportedIssue> = {}): ImportedIssue => ({
  ...{ iid, authorId: author.id, title: `Issue ${iid}`, description: 'See #12, @assignee', closedAt: undefined },
  ...{ labels: ['bug', 'none'], milestone: undefined, assigneeIds: [assignee.id], locked: false },
  ...{ createdAt: made, updatedAt: changed },
  ...given,
});
const stored = () =>
  running.db.query(sql`
    select iid, author_id as author, state, closed_at as closed, imported_from as from, created_at as made, updated_at as changed,
      discussion_locked as locked, user_notes_count as notes, array(select label_id from issue_labels where issue_id = i.id) as labels
    from issues i order by iid`);

test('issues keep number, author, dates and state; a page that comes again adds nothing', async () => {
  const page = [issue(7), issue(12, { closedAt: changed, locked: true, labels: [] })];
  const row = { author: author.id, from: 'github', made, changed, notes: 0 };
  for (let round = 0; round < 2; round += 1) {
    expect(await imports(key, page)).toBe(2);
    expect(await stored()).toEqual([
      { ...row, iid: 7, state: 'opened', closed: null, locked: null, labels: [running.bug.id] },
      { ...row, iid: 12, state: 'closed', closed: changed, locked: true, labels: [] },
    ]);
  }
  const events = await harness.published();
  expect(events.map(({ event }) => [event.fact?.$case, event.imported, event.issue?.iid])).toEqual([
    ['created', true, 7],
    ['created', true, 12],
  ]);
  // The next one that is opened here comes after them.
  expect((await harness.make()).iid).toBe(13);
  expect(await running.db.query(sql`select 1 from resource_events`)).toEqual([]);
});

test('an issue that is opened while an import runs takes no number of it', async () => {
  for (const highest of [12, 12, 3, 0]) await reserve(open.id, highest);
  expect((await harness.make()).iid).toBe(13);
  expect(await imports(key, [issue(1), issue(12)])).toBe(2);
  expect((await stored()).map(({ iid }) => iid)).toEqual([1, 12, 13]);
  expect((await harness.make()).iid).toBe(14);
  await expect(reserve(999_999, 1)).rejects.toMatchObject({ kind: 'not_found' });
});

test('a refresh takes what changed at the forge and not here; what was deleted here stays away (ADR 73)', async () => {
  const { db } = running;
  const since = new Date('2020-03-01T00:00:00.000Z');
  const later = new Date('2020-03-02T00:00:00.000Z');
  await imports(key, [issue(1), issue(2), issue(3), issue(4, { labels: [] }), issue(5, { closedAt: changed })]);
  await db.query(sql`update issues set title = 'Mine', state = 'closed', closed_at = now() where iid = 2`);
  await db.query(sql`delete from issues where iid = 3`);
  await db.query(sql`delete from issue_imports i using issues where issues.id = i.issue_id and iid = 4`);
  const [{ last } = { last: 0 }] = await db.query<{ last: number }>(sql`select max(id) as last from events.outbox`);
  const theirs = { title: 'Theirs', description: '- [x] Done', closedAt: later, locked: true, updatedAt: later };
  const page = [
    issue(1, { ...theirs, labels: [], assigneeIds: [author.id] }),
    issue(2, { ...theirs, closedAt: undefined }),
    issue(3, theirs),
    issue(4, theirs),
    issue(5, { updatedAt: later }),
    issue(6, { createdAt: later, updatedAt: later }),
  ];
  for (let round = 0; round < 2; round += 1) {
    expect(await imports(key, page, since)).toBe(6);
    const rows = await db.query(sql`
      select iid, title, description, state, closed_at as closed, discussion_locked as locked, task_count as tasks,
        updated_at as changed, (select count(*)::int from issue_labels where issue_id = i.id) as labels,
        array(select user_id from issue_assignees where issue_id = i.id) as assignees from issues i order by iid`);
    const untouched = {
      description: 'See #12, @assignee',
      locked: null,
      tasks: 0,
      labels: 1,
      assignees: [assignee.id],
    };
    expect(rows).toEqual([
      {
        ...{
          iid: 1,
          title: 'Theirs',
          description: '- [x] Done',
          state: 'closed',
          closed: later,
          locked: true,
          tasks: 1,
        },
        ...{ changed: later, labels: 0, assignees: [author.id] },
      },
      {
        ...{
          ...untouched,
          iid: 2,
          title: 'Mine',
          description: '- [x] Done',
          state: 'closed',
          closed: expect.any(Date),
        },
        ...{ locked: true, tasks: 1, changed: later },
      },
      // It came in before what an import writes was kept.
      { ...untouched, iid: 4, title: 'Issue 4', state: 'opened', closed: null, changed, labels: 0 },
      { ...untouched, iid: 5, title: 'Issue 5', state: 'opened', closed: null, changed: later },
      { ...untouched, iid: 6, title: 'Issue 6', state: 'opened', closed: null, changed: later },
    ]);
  }
  const events = await db.query<{ event_id: string }>(
    sql`select event_id from events.outbox where id > ${last} and type = 'issue.changed' order by id`,
  );
  expect(events.map(({ event_id: id }) => id.includes(':refreshed:'))).toEqual([false, true, true, true]);
  expect(await db.query(sql`select 1 from resource_events`)).toEqual([]);
});

test('what is here already is not touched, and what no issue can be is left out', async () => {
  const own = await harness.make({ iid: 3, title: 'Own' });
  const strange = [
    issue(3),
    issue(4, { title: ' ' }),
    issue(5, { title: 'x'.repeat(1_000_001), description: 'y'.repeat(1_048_577) }),
    issue(6, { createdAt: new Date(-1) }),
    issue(0),
    issue(8, { authorId: 0 }),
  ];
  expect(await imports(key, strange)).toBe(0);
  expect(
    await running.issues.view({ projectId: open.id, iid: 3 }, { ...harness.asViewer(harness.root) }),
  ).toMatchObject({
    issue: { id: own.id, title: 'Own', importedFrom: 'none', userNotesCount: 0 },
  });
  await expect(imports({ ...key, projectId: 999_999 }, [])).rejects.toMatchObject({ kind: 'not_found' });
});

test('a title that is too long is cut, and one with line breaks is one line; labels are found as they are stored', async () => {
  const page = [
    issue(5, { title: '🐛'.repeat(256), labels: [' bug\n'] }),
    issue(6, { title: 'a\nb\u202e ', labels: [] }),
    issue(7, { title: 'x'.repeat(255), labels: [] }),
  ];
  expect(await imports(key, page)).toBe(3);
  const rows = await running.db.query<{ title: string }>(sql`select title from issues order by iid`);
  expect(rows.map(({ title }) => title)).toEqual([`${'🐛'.repeat(254)}…`, 'a b', 'x'.repeat(255)]);
  expect(await stored()).toMatchObject([{ labels: [running.bug.id] }, { labels: [] }, { labels: [] }]);
});

test('another user takes the place of an author and assignee everywhere, in bounded steps (ADR 67)', async () => {
  const { db } = running;
  const many = Array.from({ length: 60 }, (_, index) => issue(index + 1, { labels: [], closedAt: changed }));
  await imports(key, many);
  await db.query(sql`update issues set closed_by_id = ${author.id}`);
  // Two of them have both already.
  await imports(key, [issue(61, { assigneeIds: [author.id, assignee.id] })]);
  await db.query(sql`
    with carrier as (
      insert into noteables (kind, project_id, target_id) select 'Issue', project_id, id from issues where iid = 61 returning id)
    insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
    select id, ${open.id}, decode(lpad(to_hex(n), 40, '0'), 'hex'), true, ${author.id}, 'Text' from carrier, generate_series(1, 600) n`);
  await db.query(sql`
    insert into activity_events (cause, project_id, author_id, action, subject_type, subject_id, imported, created_at)
    select 'place-' || project, project, ${author.id}, 'created', 'issue', 0, true, now()
    from unnest(${[open.id, open.id + 2]}::bigint[]) as given (project)`);
  const request = { projectId: open.id, fromUserId: author.id, toUserId: assignee.id };
  expect(await reassign(db, places, { ...request, projectId: open.id + 1 })).toEqual({ changed: 0, more: false });
  const first = await reassign(db, places, request);
  expect(first.more).toBe(true);
  expect(await reassign(db, places, request)).toEqual({ changed: 100, more: false });
  expect(await reassign(db, places, request)).toEqual({ changed: 0, more: false });
  const [left] = await db.query(sql`
    select (select count(*)::int from issues where author_id = ${assignee.id}) as issues,
      (select count(*)::int from issues where closed_by_id = ${assignee.id}) as closed,
      (select count(*)::int from notes where author_id = ${assignee.id}) as notes,
      (select array_agg(project_id) from activity_events where author_id = ${author.id}) as feed,
      (select count(*)::int from issue_assignees where user_id = ${author.id}) as assigned,
      (select count(*)::int from issue_participants where user_id = ${author.id}) as taking_part,
      (select count(*)::int from issues where updated_at <> ${changed}) as changed`);
  expect(left).toEqual({
    issues: 61,
    closed: 60,
    notes: 600,
    feed: [open.id + 2],
    assigned: 0,
    taking_part: 0,
    changed: 0,
  });
});

test('who takes part in an issue of an archive does so here, and goes out again', async () => {
  const more = {
    ...({ issueType: 'issue', confidential: false, severity: 'unknown', timeEstimate: 0, totalTimeSpent: 0 } as const),
    ...{ milestone: undefined, closedById: undefined, timelogs: [], dueDate: undefined, weight: undefined },
    ...{ participantIds: [planner.id], internalParticipantIds: [planner.id, guest.id] },
  };
  for (const _ of [1, 2]) expect(await imports(key, [issue(7, { more })])).toBe(1);
  const { lines } = await readRecords(running.db, records.issues!(open.id), 0);
  expect(JSON.parse(lines.toString())).toMatchObject({
    ...{ iid: 7, participants: ['assignee', 'author', 'planner'], internal_participants: ['guest'] },
  });
});

test('events are there once, with their dates, and say who closed it', async () => {
  await imports(key, [issue(7, { closedAt: changed })]);
  const event = (id: string, kind: string, action: string, title = '', userId = assignee.id) => ({
    ...{ key: id, iid: 7, kind, action, title, userId, createdAt: changed },
  });
  const events = [
    event('1', 'label', 'remove', 'bug'),
    event('2', 'milestone', 'add', 'none'),
    event('3', 'state', 'closed'),
    { ...event('4', 'state', 'closed'), iid: 8 },
  ];
  const store = issueImportStore(running.db);
  for (let round = 0; round < 2; round += 1) expect(await store.addEvents(key, events)).toBe(2);
  expect(
    await running.db.query(
      sql`select kind, action, object_id as object, user_id as by, created_at as at from resource_events order by id`,
    ),
  ).toEqual([
    { kind: 'label', action: 'remove', object: running.bug.id, by: assignee.id, at: changed },
    { kind: 'state', action: 'closed', object: null, by: assignee.id, at: changed },
  ]);
  expect(await running.db.query(sql`select closed_by_id as by from issues`)).toEqual([{ by: assignee.id }]);

  // Who closed it first did not close it last; a page of earlier events does not change that.
  await imports(key, [issue(9, { closedAt: changed })]);
  await store.addEvents(key, [{ ...event('1', 'state', 'closed', '', 0), iid: 9 }]);
  await store.addEvents(key, [{ ...event('2', 'state', 'closed'), iid: 9, createdAt: made }]);
  expect(await running.db.query(sql`select closed_by_id as by from issues where iid = 9`)).toEqual([{ by: null }]);
});

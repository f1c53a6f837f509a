import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { CreateIssueRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { TimeTracking_Kind as Kind, TimeTracking } from '@switchyard/protos/rpc/v1/time_tracking';
import { issueTimelogStore } from '../../src/issues/storage/issue-timelog.store';
import { type Item, json, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
beforeAll(async () => {
  fixture = await startNoteFixture();
});
afterAll(() => fixture.here.close());

const open = async (given: Partial<CreateIssueRequest> = {}): Promise<Item> =>
  json(
    await fixture.here.issues.createIssue(
      CreateIssueRequest.fromPartial({ projectId: fixture.project.id, title: 'Broken', ...given }),
      fixture.as(fixture.bob),
    ),
  );
const track = async ({ iid }: Item, tracking: Partial<TimeTracking>, user = fixture.bob): Promise<Item> =>
  json(
    await fixture.here.issues.trackIssueTime(
      {
        projectId: fixture.project.id,
        iid,
        tracking: TimeTracking.fromPartial({ kind: Kind.KIND_SPEND, ...tracking }),
      },
      fixture.as(user),
    ),
  );
const list = async ({ iid }: Item): Promise<Item[]> =>
  json(
    await fixture.here.issueTimelogs.listIssueTimelogs(
      { projectId: fixture.project.id, iid, page: pageOf() },
      fixture.as(fixture.ada),
    ),
  );
const remove = ({ iid }: Item, timelogId: number, user: DirectoryUser) =>
  fixture.here.issueTimelogs.deleteIssueTimelog({ projectId: fixture.project.id, iid, timelogId }, fixture.as(user));
const comment = async ({ iid }: Item, body: string): Promise<Item> =>
  json(
    await fixture.here.notes.createNote(
      {
        noteable: { projectId: fixture.project.id, target: { $case: 'issueIid', value: iid as number } },
        body,
        internal: false,
        createdAt: undefined,
      },
      fixture.as(fixture.bob),
    ),
  );
const total = async ({ iid }: Item): Promise<number> =>
  json(
    await fixture.here.issues.getIssue(
      { projectId: fixture.project.id, iid, renderHtml: false },
      fixture.as(fixture.ada),
    ),
  ).time_stats.total_time_spent;
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ kind }: { kind: string }) => kind,
  );

/** Issues whose time spent is not the sum of its entries. */
afterEach(async () =>
  expect(
    await fixture.here.db.query(sql`
      select i.id from issues i
      where i.total_time_spent <> (select coalesce(sum(t.time_spent), 0) from timelogs t where t.issue_id = i.id)`),
  ).toEqual([]),
);

test('time spent is listed with its day, its summary and its user, the latest first (gaps §10 Issues)', async () => {
  const issue = await open();
  await track(issue, { duration: '1h', summary: 'Review' });
  const note = await comment(issue, 'Done.\n/spend 30m 2026-01-03\n/spend -10m 2026-01-02');
  await track(issue, { duration: '5m', summary: '' }, fixture.ada);
  const logs = await list(issue);
  expect(logs.map(({ user, time_spent, summary }) => [user.username, time_spent, summary])).toEqual([
    ['ada', 300, null],
    ['bob', 3_600, 'Review'],
    ['bob', 1_800, null],
    ['bob', -600, null],
  ]);
  expect(logs.slice(2).map(({ spent_at }) => spent_at)).toEqual([
    '2026-01-03T00:00:00.000Z',
    '2026-01-02T00:00:00.000Z',
  ]);
  expect(logs.map(({ note_id }) => note_id)).toEqual([null, null, note.id, note.id]);
  expect(await total(issue)).toBe(5_100);
  await track(issue, { kind: Kind.KIND_RESET_SPENT });
  expect((await list(issue))[0]).toMatchObject({ time_spent: -5_100, user: { username: 'bob' } });
  expect(await total(issue)).toBe(0);
});

describe('a comment that reports time, sent again because it was not written', () => {
  /** Makes writing notes fail, as a crash between the quick actions and the note does. */
  const failing = async (write: () => Promise<unknown>): Promise<void> => {
    await fixture.here.db.query(sql`alter table notes add constraint nothing_fits check (false) not valid`);
    try {
      await expect(write()).rejects.toThrow();
    } finally {
      await fixture.here.db.query(sql`alter table notes drop constraint nothing_fits`);
    }
  };
  const body = 'Done.\n/spend 1h\n/spend 1h';

  test('counts once, and again when it was written', async () => {
    const issue = await open();
    await failing(() => comment(issue, body));
    await failing(() => comment(issue, body));
    const note = await comment(issue, body);
    expect((await list(issue)).map(({ note_id }) => note_id)).toEqual([note.id, note.id]);
    const other = await comment(issue, body);
    expect(other.id).not.toBe(note.id);
    expect(await total(issue)).toBe(4 * 3_600);
  });

  test('counts once for each note when both are under way, and is new after 10 minutes', async () => {
    const issue = await open();
    await failing(() => comment(issue, body));
    const [one, same] = await Promise.all([comment(issue, body), comment(issue, body)]);
    // One note, or two where the first was written before the other began.
    const before = new Set([one.id, same.id]).size * 7_200;
    expect(await total(issue)).toBe(before);
    await failing(() => comment(issue, body));
    await fixture.here.db.query(sql`update begun_notes set begun_at = begun_at - interval '10 minutes'`);
    await comment(issue, body);
    expect(await total(issue)).toBe(before + 2 * 7_200);
  });

  test('asks the owner of a merge request with the same cause', async () => {
    const { iid } = fixture.mergeRequest();
    const seen = fixture.here.edits.length;
    const write = () =>
      fixture.here.notes.createNote(
        {
          noteable: { projectId: fixture.project.id, target: { $case: 'mergeRequestIid', value: iid } },
          body: 'Done.\n/spend 1h',
          internal: false,
          createdAt: undefined,
        },
        fixture.as(fixture.bob),
      );
    await failing(write);
    await write();
    await write();
    const causes = (fixture.here.edits.slice(seen) as Item[]).map(({ cause }) => cause);
    expect(causes[0]).toMatch(/^note:/);
    expect(causes).toEqual([causes[0], causes[0], expect.not.stringContaining(causes[0])]);
  });
});

test('commands of a description are logged, of a new issue and of a changed one', async () => {
  const issue = await open({ description: 'Text\n/spend 1h 2026-01-03\n/spend 2h' });
  expect((await list(issue)).map(({ time_spent }) => time_spent)).toEqual([7_200, 3_600]);
  await fixture.here.issues.updateIssue(
    UpdateIssueRequest.fromPartial({
      projectId: fixture.project.id,
      iid: issue.iid,
      description: 'Other\n/spend -30m 2026-01-01',
    }),
    fixture.as(fixture.bob),
  );
  expect((await list(issue)).map(({ time_spent }) => time_spent)).toEqual([7_200, 3_600, -1_800]);
  expect(await total(issue)).toBe(9_000);
});

test('a summary that is too long, and time that cannot be subtracted, are refused with nothing logged', async () => {
  const issue = await open();
  expect(await kindOf(track(issue, { duration: '1h', summary: 'x'.repeat(256) }))).toBe('invalid');
  expect(await kindOf(track(issue, { duration: '-1h' }))).toBe('invalid');
  expect(await list(issue)).toEqual([]);
});

test('an entry is deleted once, by its user and by Maintainers, and leaves the time spent', async () => {
  const issue = await open();
  await track(issue, { duration: '1h' });
  await track(issue, { duration: '2h' });
  const [second, first] = await list(issue);
  expect(await kindOf(remove(issue, first?.id, fixture.eve))).toBe('forbidden');
  expect(await kindOf(remove(await open(), first?.id, fixture.bob))).toBe('not_found');
  expect((await Promise.all([1, 2, 3].map(() => kindOf(remove(issue, first?.id, fixture.bob))))).sort()).toEqual([
    'done',
    'not_found',
    'not_found',
  ]);
  expect(await total(issue)).toBe(7_200);
  await track(issue, { duration: '-90m' });
  expect(await kindOf(remove(issue, second?.id, fixture.ada))).toBe('invalid');
  expect(await total(issue)).toBe(1_800);
});

test('of two who delete the only entry at the same time, the later one does not find it', async () => {
  const issue = await open({ description: '/spend 1h' });
  const [only] = await list(issue);
  const outcomes = await Promise.all([1, 2].map(() => kindOf(remove(issue, only?.id, fixture.bob))));
  expect(outcomes.sort()).toEqual(['done', 'not_found']);
});

test('time that is spent at the same time is all logged', async () => {
  const issue = await open();
  await Promise.all([1, 2, 3, 4].map((minutes) => track(issue, { duration: `${minutes}m` })));
  expect(await total(issue)).toBe(600);
  expect(await list(issue)).toHaveLength(4);
});

test('a list is two statements', async () => {
  const issue = await open({ description: '/spend 1h\n/spend 2h\n/spend 3h' });
  const request = { mode: 'offset', page: 1, perPage: 20, orderBy: 'spent_at', sort: 'desc' } as const;
  const { result, statements } = await countStatements(() =>
    issueTimelogStore(fixture.here.db).page(issue.id as number, request),
  );
  expect([result.rows.length, statements]).toEqual([3, 2]);
});

import { readRecords } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { importIssues } from '../../src/issues/application/import-issues';
import { issueDirectoryStore } from '../../src/issues/storage/issue-directory.store';
import { issueImportStore } from '../../src/issues/storage/issue-import.store';
import { importEmoji } from '../../src/notes/application/import-emoji';
import { importNotes } from '../../src/notes/application/import-notes';
import type { ForgePlace, ImportedNote } from '../../src/notes/domain/imported-note';
import { emojiImportStore } from '../../src/notes/storage/emoji-import.store';
import { noteImportStore } from '../../src/notes/storage/note-import.store';
import { records } from '../../src/project-records/records';
import { issueHarness } from '../support/issue-harness';

const harness = issueHarness();
const { open, author, assignee } = harness;
let running: Awaited<ReturnType<typeof harness.start>>;
let imports: ReturnType<typeof importNotes>;
let reactions: ReturnType<typeof importEmoji>;
const asked: { iids: readonly number[]; places: readonly (ForgePlace & { readonly iid: number })[] }[] = [];

/** The merge request !5 is there; its diff has what stands in `a.txt`. */
const mergeRequestId = 55;
const refs = { baseSha: 'b'.repeat(40), startSha: 'c'.repeat(40), headSha: 'd'.repeat(40) };
const key = { projectId: open.id, importedFrom: 'github' };
const made = new Date('2020-01-02T03:04:05.000Z');
const changed = new Date('2020-02-03T04:05:06.000Z');

beforeAll(async () => {
  running = await harness.start();
  const { db } = running;
  const edges = {
    projectExists: async (id: number) => id === open.id,
    mergeRequests: {
      async locate(_key, iids, places) {
        asked.push({ iids, places });
        return {
          ids: new Map(iids.flatMap((iid) => (iid === 5 ? [[iid, mergeRequestId]] : []))),
          positions: places.map(({ path, line }) =>
            path === 'a.txt' ? { ...refs, oldPath: path, newPath: path, newLine: line } : undefined,
          ),
        };
      },
    },
  } satisfies Omit<Parameters<typeof importNotes>[0], 'imports'>;
  imports = importNotes({ ...edges, imports: noteImportStore(db) });
  reactions = importEmoji({ ...edges, imports: emojiImportStore(db) });
});
afterAll(harness.stop);
beforeEach(async () => {
  await harness.clear();
  asked.length = 0;
  const { db } = running;
  await db.query(sql`truncate noteables, notes, award_emoji cascade`);
  const issue = {
    ...{ authorId: author.id, title: 'Issue', description: undefined, closedAt: undefined, labels: [] },
    ...{ milestone: undefined, assigneeIds: [], locked: false, createdAt: made, updatedAt: changed },
  };
  await importIssues({ directory: issueDirectoryStore(db), imports: issueImportStore(db) })(
    key,
    [7, 8].map((iid) => ({ iid, ...issue })),
  );
});

const note = (id: number, noteableIid: number, given: Partial<ImportedNote> = {}): ImportedNote => ({
  ...{ key: String(id), noteable: 'Issue', noteableIid, thread: '', startsThread: false, authorId: assignee.id },
  ...{ body: `Comment ${id}`, system: false, action: undefined, internal: false, resolvedById: undefined },
  ...{ resolvedAt: undefined, place: undefined, position: undefined, originalPosition: undefined },
  ...{ createdAt: made, updatedAt: changed },
  ...given,
});
const onMergeRequest = (id: number, given: Partial<ImportedNote> = {}): ImportedNote =>
  note(id, 5, { noteable: 'MergeRequest', ...given });
const counts = () =>
  running.db.query(
    sql`select iid, user_notes_count as notes, internal_notes_count as internal from issues order by iid`,
  );
const stored = (kind: string, targetId?: number) =>
  running.db.query<Record<string, unknown>>(sql`
    select n.body, n.author_id as author, n.imported_from as from, n.created_at as made, n.starts_discussion as starts, n.type,
      n.system, n.action, n.position, n.original_position as original, n.resolved_at as resolved, encode(n.discussion_id, 'hex') as discussion
    from notes n join noteables c on c.id = n.noteable_id left join issues i on c.kind = 'Issue' and i.id = c.target_id
    where c.kind = ${kind} and (i.iid = ${targetId ?? null} or c.target_id = ${mergeRequestId}) order by n.created_at, n.id`);
const published = () =>
  running.db.query<{ body: Record<string, unknown> }>(
    sql`select body from events.outbox where event_id like 'note%' order by id`,
  );

test('a refresh takes texts that changed at the forge and not here; what was deleted here stays away (ADR 73)', async () => {
  const { db } = running;
  const since = new Date('2020-03-01T00:00:00.000Z');
  const later = new Date('2020-03-02T00:00:00.000Z');
  await imports(key, [note(1, 7), note(2, 7), note(3, 7), note(4, 7)]);
  await db.query(sql`update notes set body = 'Mine' where cause like '%:2'`);
  await db.query(sql`delete from notes where cause like '%:3'`);
  const page = [1, 2, 3].map((id) => note(id, 7, { body: `Theirs ${id}`, updatedAt: later }));
  for (let round = 0; round < 2; round += 1) {
    expect(await imports(key, [...page, note(4, 7), note(5, 7, { createdAt: later })], since)).toBe(5);
    const rows = await db.query(sql`select body, updated_at as changed from notes order by cause`);
    expect(rows).toEqual([
      { body: 'Theirs 1', changed: later },
      { body: 'Mine', changed },
      { body: 'Comment 4', changed },
      { body: 'Comment 5', changed },
    ]);
  }
});

test('comments are there once each, in their order, and counted', async () => {
  const page = [note(21, 7), note(22, 8), note(23, 7, { createdAt: new Date(made.getTime() - 1) }), note(24, 9)];
  const strange = [note(25, 7, { body: ' ' }), note(26, 7, { authorId: 0 }), note(27, 7, { createdAt: new Date(0) })];
  for (let round = 0; round < 2; round += 1) {
    expect(await imports(key, [...page, ...strange])).toBe(3);
    expect(await counts()).toEqual([
      { iid: 7, notes: 2, internal: 0 },
      { iid: 8, notes: 1, internal: 0 },
    ]);
  }
  const common = { author: assignee.id, from: 'github', starts: true, type: null, system: false };
  expect(await stored('Issue', 7)).toMatchObject([
    { ...common, body: 'Comment 23', made: new Date(made.getTime() - 1) },
    { ...common, body: 'Comment 21', made },
  ]);
  expect(await published()).toEqual([]);
  expect(asked).toEqual([]);
  await expect(imports({ ...key, projectId: 999_999 }, page)).rejects.toMatchObject({ kind: 'not_found' });
});

test('comments on lines are threads at their places, whose replies may come later; their owner gets the counts', async () => {
  const place = { commitSha: refs.headSha, path: 'a.txt', line: 3, oldSide: false, hunk: '' };
  const at = (seconds: number) => ({ createdAt: new Date(made.getTime() + seconds * 1_000) });
  const first = [
    onMergeRequest(1, { thread: 'x', place }),
    onMergeRequest(2, { thread: 'y', place: { ...place, path: 'b.txt' }, resolvedAt: changed, ...at(1) }),
    onMergeRequest(3, { system: true, action: 'title', ...at(2) }),
    onMergeRequest(4, { internal: true, ...at(3) }),
    note(5, 6, { noteable: 'MergeRequest' }),
  ];
  const later = [onMergeRequest(6, { thread: 'x', place, ...at(4) })];
  for (let round = 0; round < 2; round += 1) {
    expect(await imports(key, first)).toBe(4);
    expect(await imports(key, later)).toBe(1);
  }
  const position = { ...refs, oldPath: 'a.txt', newPath: 'a.txt', newLine: 3, positionType: 'text' };
  const found = await stored('MergeRequest');
  expect(found).toMatchObject([
    { body: 'Comment 1', type: 'DiffNote', starts: true, position, original: position },
    { body: 'Comment 2', type: 'DiscussionNote', starts: true, position: null, resolved: changed },
    { body: 'Comment 3', type: null, system: true, action: 'title', starts: true },
    { body: 'Comment 4', type: null, starts: true },
    { body: 'Comment 6', type: 'DiffNote', starts: false, position },
  ]);
  expect(found[4]?.discussion).toBe(found[0]?.discussion);
  expect(new Set(found.map(({ discussion }) => discussion)).size).toBe(4);
  const events = (await published()).map(({ body }) => body);
  expect(events).toMatchObject([
    {
      imported: true,
      noteable: { id: mergeRequestId },
      counters: { userNotesCount: 3, internalNotesCount: 1 },
    },
    { imported: true, counters: { userNotesCount: 4, unresolvedDiscussionsCount: 1 } },
  ]);
});

test('a discussion of an archive keeps its id, its position and where that was', async () => {
  const discussion = 'ab'.repeat(20);
  const position = { ...refs, oldPath: 'a.txt', newPath: 'a.txt', oldLine: 2, positionType: 'text' as const };
  const original = { ...position, oldLine: 1 };
  await imports(key, [onMergeRequest(1, { thread: discussion, position, originalPosition: original })]);
  expect(await stored('MergeRequest')).toMatchObject([{ discussion, type: 'DiffNote', position, original }]);
});

test('what a note of an archive suggests comes in with it once, applied where it was, and goes out again', async () => {
  const position = { ...refs, oldPath: 'a.txt', newPath: 'a.txt', newLine: 3, positionType: 'text' as const };
  const lines = { linesAbove: 1, linesBelow: 0, fromContent: 'a\nb\n', toContent: 'c\n' };
  const suggestions = [
    { ...lines, commitSha: null },
    { ...lines, toContent: '', commitSha: refs.headSha },
  ];
  const page = [onMergeRequest(1, { position, suggestions }), onMergeRequest(2)];
  for (const _ of [1, 2]) expect(await imports(key, page)).toBe(2);
  const { lines: out } = await readRecords(running.db, records.notes!(open.id), 0);
  const given = { lines_above: 1, lines_below: 0, from_content: 'a\nb\n' };
  expect(
    out
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).suggestions),
  ).toEqual([
    [
      { ...given, to_content: 'c\n', commit_sha: null },
      { ...given, to_content: '', commit_sha: refs.headSha },
    ],
    [],
  ]);
});

test('reactions are given once, count as votes, and are passed on', async () => {
  await imports(key, [note(1, 7), onMergeRequest(2)]);
  const given = (on: number, name: string, userId = author.id) => ({ on, name, userId, createdAt: made });
  const thumbs = [given(7, 'thumbsup'), given(7, 'thumbsup', assignee.id), given(8, 'thumbsdown'), given(99, 'heart')];
  for (const _ of [1, 2]) expect(await reactions(key, 'Issue', thumbs)).toBe(3);
  expect(await reactions(key, 'MergeRequest', [given(5, 'thumbsup'), given(6, 'thumbsup')])).toBe(1);
  // A note that did not come in, and one of another import.
  expect(await reactions(key, 'Note', [given(1, 'rocket'), given(3, 'rocket')])).toBe(1);
  expect(await reactions({ ...key, importedFrom: 'other' }, 'Note', [given(1, 'eyes')])).toBe(0);
  expect(
    await running.db.query(sql`
      select a.awardable_type as type, coalesce(i.iid, a.awardable_id - ${mergeRequestId}) as on, a.name, a.created_at as at
      from award_emoji a left join issues i on a.awardable_type = 'Issue' and i.id = a.awardable_id
      where a.awardable_type <> 'Note' order by a.id`),
  ).toEqual([
    { type: 'Issue', on: 7, name: 'thumbsup', at: made },
    { type: 'Issue', on: 7, name: 'thumbsup', at: made },
    { type: 'Issue', on: 8, name: 'thumbsdown', at: made },
    { type: 'MergeRequest', on: 0, name: 'thumbsup', at: made },
  ]);
  expect(await running.db.query(sql`select name from award_emoji where awardable_type = 'Note'`)).toEqual([
    { name: 'rocket' },
  ]);
  expect(
    await running.db.query(
      sql`select iid, upvotes, downvotes, updated_at = ${changed} as old from issues order by iid`,
    ),
  ).toEqual([
    { iid: 7, upvotes: 2, downvotes: 0, old: true },
    { iid: 8, upvotes: 0, downvotes: 1, old: true },
  ]);
  expect((await published()).at(-1)?.body).toMatchObject({
    ...{ imported: true, counters: { upvotes: 1 }, reactions: [{ userId: author.id, name: 'thumbsup' }] },
  });
  await expect(reactions({ ...key, projectId: 1 }, 'Issue', thumbs)).rejects.toThrow('Project');
});

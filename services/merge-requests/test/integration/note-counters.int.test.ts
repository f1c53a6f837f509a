import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { NoteCounters } from '../../src/merge-requests/domain/note-counters';
import { keepReview } from '../../src/merge-requests/storage/approval.store';
import { keepNoteCounters } from '../../src/merge-requests/storage/note-counters.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let id: number;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'note counters test' });
  const [row] = await db.query<{ id: number }>(sql`
    insert into merge_requests (project_id, iid, source_project_id, source_branch, target_branch, author_id, title, state,
      auto_merge_strategy, updated_at)
    values (1, 1, 1, 'topic', 'main', 1, 'Topic', 'opened', 'merge_when_checks_pass', '2026-01-01T00:00:00Z') returning id`);
  id = row?.id ?? 0;
});

afterAll(async () => {
  await db.close();
  await database.close();
});

const keep = (given: Partial<NoteCounters>) =>
  db.transaction((tx) =>
    keepNoteCounters(tx, {
      mergeRequestId: id,
      version: 1,
      userNotes: 0,
      internalNotes: 0,
      unresolvedDiscussions: 0,
      upvotes: 0,
      downvotes: 0,
      activeAt: undefined,
      ...given,
    }),
  );

const stored = async () => {
  const [row] = await db.query(sql`
    select user_notes_count, unresolved_discussions_count, upvotes, downvotes, updated_at from merge_requests where id = ${id}`);
  return row && Object.values(row);
};

it('a merge request keeps the newest counters, whatever their order, and checks again once threads are resolved', async () => {
  const at = new Date('2026-02-01T00:00:00Z');
  await keep({ version: 2, userNotes: 3, unresolvedDiscussions: 1, upvotes: 2, downvotes: 1, activeAt: at });
  expect(await stored()).toEqual([3, 1, 2, 1, at]);
  expect(await db.query(sql`select 1 from jobs`)).toEqual([]);
  await keep({ version: 1, userNotes: 2 });
  await keep({ version: 2, userNotes: 9 });
  expect(await stored()).toEqual([3, 1, 2, 1, at]);
  await keep({ version: 3, userNotes: 3, activeAt: new Date('2026-01-15T00:00:00Z') });
  expect(await stored()).toEqual([3, 0, 0, 0, at]);
  expect(await db.query(sql`select kind, key from jobs`)).toEqual([{ kind: 'auto_merge', key: String(id) }]);
  await keep({ mergeRequestId: 999, version: 4 });
});

it('a reviewer who published a review has reviewed; what they decided stays', async () => {
  const states = ['unreviewed', 'unapproved', 'approved', 'requested_changes', 'reviewed'];
  await db.query(sql`
    insert into merge_request_reviewers (merge_request_id, user_id, state)
    select ${id}, ordinality, state from unnest(${states}::text[]) with ordinality as given (state, ordinality)`);
  for (const userId of [1, 2, 3, 4, 5, 99]) await db.transaction((tx) => keepReview(tx, id, userId));
  expect(await db.query(sql`select state from merge_request_reviewers order by user_id`)).toEqual(
    ['reviewed', 'reviewed', 'approved', 'requested_changes', 'reviewed'].map((state) => ({ state })),
  );
});

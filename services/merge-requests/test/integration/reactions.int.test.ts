import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { ReactionChange } from '../../src/merge-requests/domain/reactions';
import { keepReactions } from '../../src/merge-requests/storage/reaction.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let id: number;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'reactions test' });
  const [row] = await db.query<{ id: number }>(sql`
    insert into merge_requests (project_id, iid, source_project_id, source_branch, target_branch, author_id, title, state)
    values (1, 1, 1, 'topic', 'main', 1, 'Topic', 'opened') returning id`);
  id = row?.id ?? 0;
});

afterAll(async () => {
  await db.close();
  await database.close();
});

const keep = (version: number, change: Partial<ReactionChange>) =>
  db.transaction((tx) => keepReactions(tx, { mergeRequestId: id, version, given: [], taken: [], ...change }));

const there = async () =>
  (
    await db.query<{ who: string }>(
      sql`select user_id || ' ' || name as who from merge_request_reactions where given order by user_id, name`,
    )
  ).map(({ who }) => who);

const star = { userId: 1, name: 'star' };
const tada = { userId: 2, name: 'tada' };

it('reactions are those of the newest event, whatever the order', async () => {
  await keep(1, { given: [star] });
  await keep(2, { given: [tada] });
  expect(await there()).toEqual(['1 star', '2 tada']);
  await keep(4, { taken: [star] });
  await keep(3, { given: [star] });
  expect(await there()).toEqual(['2 tada']);
  await keep(5, { given: [star] });
  await keep(5, { given: [star] });
  expect(await there()).toEqual(['1 star', '2 tada']);
});

it('a state that is published again adds what is missing and removes what is not there', async () => {
  await keep(6, { given: [star, { userId: 3, name: 'eyes' }], taken: 'others' });
  expect(await there()).toEqual(['1 star', '3 eyes']);
  await keep(2, { given: [tada], taken: 'others' });
  expect(await there()).toEqual(['1 star', '3 eyes']);
  await keep(9, { mergeRequestId: 999, given: [star] });
  await db.query(sql`delete from merge_requests where id = ${id}`);
  expect(await there()).toEqual([]);
});

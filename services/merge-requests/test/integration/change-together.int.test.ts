import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { conflict } from '@switchyard/errors';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';
import { storesOn } from '../support/areas';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'change together test' });
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

const within = <T>(save: () => T): T => save();
const titled = (id: number, title: string) => ({ id, actorId: 1, within, decide: () => ({ patch: { title } }) });
const titles = async (ids: readonly number[]): Promise<string[]> =>
  (
    await db.query<{ title: string }>(
      sql`select title from merge_requests where id = any(${[...ids]}::bigint[]) order by id`,
    )
  ).map(({ title }) => title);

async function opened(projectId: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title)
    select i, ${projectId}, ${projectId}, 'b' || i, 'main', 1, 'old' from generate_series(1, 3) i returning id`);
  return rows.map(({ id }) => id);
}

test('a refused change takes no other with it; one after another, the second sees what the first made', async () => {
  const { mergeRequests } = storesOn(db);
  const ids = (await opened(1)) as [number, number, number];
  const seen: string[] = [];
  const outcomes = await mergeRequests.changeTogether([
    titled(ids[1], 'new'),
    {
      ...titled(ids[0], ''),
      decide: () => {
        throw conflict('no');
      },
    },
    titled(ids[2] + 1_000, 'gone'),
    {
      ...titled(ids[1], ''),
      decide: ({ mergeRequest }) => {
        seen.push(mergeRequest.title);
        return undefined;
      },
    },
    titled(ids[2], 'newer'),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: { id: ids[1], title: 'new' } },
    { status: 'rejected', reason: { kind: 'conflict' } },
    { status: 'rejected', reason: { kind: 'not_found' } },
    { status: 'fulfilled', value: { id: ids[1], title: 'new' } },
    { status: 'fulfilled', value: { id: ids[2], title: 'newer' } },
  ]);
  expect(seen).toEqual(['new']);
  expect(await titles(ids)).toEqual(['old', 'new', 'newer']);
});

test('when one cannot be saved none is', async () => {
  const { mergeRequests } = storesOn(db);
  const ids = (await opened(2)) as [number, number, number];
  const broken = { ...titled(ids[1], ''), decide: () => ({ patch: { state: 'nonsense' as 'opened' } }) };
  await expect(mergeRequests.changeTogether([titled(ids[0], 'new'), broken])).rejects.toThrow();
  expect(await titles(ids)).toEqual(['old', 'old', 'old']);
});

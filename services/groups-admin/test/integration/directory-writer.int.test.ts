import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { appendDirectoryChanges, type DirectoryRowChange } from '../../src/directory/storage/directory-change';
import { service } from '../../src/service';

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
});

afterAll(async () => {
  await db.close();
  await server.close();
});

const membership = (id: number): DirectoryRowChange => ({
  row: {
    $case: 'membership',
    value: { id, userId: 1, namespaceId: 2, projectId: 0, accessLevel: 30, expiresAt: undefined },
  },
});

test('concurrent writers get a gap-free sequence, and a rollback leaves no gap', async () => {
  const [before] = await db.query<{ value: number }>(sql`select value from directory_sequence`);
  const start = before?.value ?? 0;
  await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) =>
      db.transaction(async (tx) => {
        await appendDirectoryChanges(tx, [membership(at * 10), membership(at * 10 + 1), membership(at * 10 + 2)]);
        if (at % 4 === 0) throw new Error('rolled back');
      }),
    ),
  );
  const rows = await db.query<{ sequence: number; row: Buffer }>(
    sql`select sequence, row from directory_changes where sequence > ${start} order by sequence`,
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 45 }, (_, at) => start + at + 1));
  expect(DirectoryRow.decode(rows[0]!.row).entity).toMatchObject({ $case: 'membership', value: { userId: 1 } });
});

test('no change gives the present sequence', async () => {
  const [head] = await db.query<{ value: number }>(sql`select value from directory_sequence`);
  expect(await db.transaction((tx) => appendDirectoryChanges(tx, []))).toBe(head?.value);
});

import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { keyring } from '@switchyard/secrets';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { gistImportStore } from '../../src/gist-imports/storage/gist-import.store';
import { projectExportStore } from '../../src/project-exports/storage/project-export.store';
import { service } from '../../src/service';

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
});
afterAll(async () => {
  await db?.close();
  await server?.close();
});

it('of two exports of projects by one user one is made at a time, before that of another one or after it', async () => {
  const exports = projectExportStore(db, { keep: async () => true });
  const [ada, grace] = [1, 2];
  for (const [projectId, authorId] of [
    [11, ada],
    [12, ada],
    [13, grace],
  ] as const)
    await exports.add(projectId, authorId, undefined);
  const first = await exports.claim();
  expect(first).toMatchObject({ export: { projectId: 11 }, attempt: 1, askedAt: expect.any(Date) });
  expect(await exports.claim()).toMatchObject({ export: { projectId: 13 } });
  expect(await exports.claim()).toBeUndefined();
  if (first === undefined) throw new Error('none');
  await exports.end(first, { problem: 'none' });
  expect(await exports.claim()).toMatchObject({ export: { projectId: 12 } });
});

it('an import of gists that is given back comes after those that wait, and goes on where it was', async () => {
  const imports = gistImportStore(db, keyring([Buffer.from('17'.repeat(32), 'hex')]));
  for (const authorId of [1, 2]) await imports.add(authorId, '', 'token');
  await db.query(sql`update gist_imports set created_at = now() - interval '1 hour'`);
  const first = await imports.claim();
  if (first === undefined) throw new Error('none');
  expect(first).toMatchObject({ authorId: 1, place: { page: 1, brought: 0 }, askedAt: expect.any(Date) });
  const result = { imported: 7, skipped: [] };
  const place = { page: 1, brought: 7 };
  expect(await imports.save(first, place, result)).toBe(true);
  // Of two processes with the same lease the second has brought the same.
  expect(await imports.save(first, place, result)).toBe(false);
  await imports.release(first, 0);
  await db.query(sql`update gist_imports set leased_until = leased_until - interval '1 second' where id = ${first.id}`);
  expect(await imports.claim()).toMatchObject({ authorId: 2 });
  const again = await imports.claim();
  expect(again).toMatchObject({ authorId: 1, place, attempt: 1 });
  if (again === undefined) throw new Error('none');
  expect(await imports.save(again, { page: 2, brought: 0 }, { imported: 1, skipped: [] })).toBe(true);
  expect(await db.one(sql`select imported from gist_imports where id = ${first.id}`)).toEqual({ imported: 8 });
});

import { join } from 'node:path';
import { openDatabase, sql } from '@switchyard/database';
import { testDatabase } from '@switchyard/testkit';

describe('the migrations', () => {
  it('apply to an empty database, trigram search included', async () => {
    const { url, close } = await testDatabase({
      sets: [{ schema: 'public', directory: join(__dirname, '../../prisma/migrations') }],
    });
    const db = openDatabase({ url, applicationName: 'test' });
    try {
      const rows = await db.query<{ name: string }>(
        sql`select indexname as name from pg_indexes where schemaname = 'public' and indexname like '%trigrams'`,
      );
      expect(rows.map((row) => row.name).sort()).toEqual([
        'merge_requests_description_trigrams',
        'merge_requests_title_trigrams',
      ]);
    } finally {
      await db.close();
      await close();
    }
  });
});

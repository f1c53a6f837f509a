import { join } from 'node:path';
import { schemaDrift, testDatabase } from '@switchyard/testkit';
import { migrations } from '../../src/migrations';

it('schema.prisma and the migrations describe the same tables', async () => {
  const database = await testDatabase({ sets: migrations });
  try {
    expect(await schemaDrift(database.url, join(__dirname, '../../prisma/schema.prisma'))).toEqual([]);
  } finally {
    await database.close();
  }
});

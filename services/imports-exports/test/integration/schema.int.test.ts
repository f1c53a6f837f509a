import { join } from 'node:path';
import { schemaDrift, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';

it('schema.prisma and the migrations describe the same tables', async () => {
  const database = await testDatabase({ sets: service.migrationSets });
  try {
    expect(await schemaDrift(database.url, join(__dirname, '../../prisma/schema.prisma'))).toEqual([]);
  } finally {
    await database.close();
  }
});

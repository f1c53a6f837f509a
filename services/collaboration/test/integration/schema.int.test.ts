import { join } from 'node:path';
import { schemaDrift, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';

/** They have no form in schema.prisma. */
const overExpressions = ['epics_all_by_title', 'issues_all_by_title', 'issues_by_title'];

it('schema.prisma and the migrations describe the same tables', async () => {
  const database = await testDatabase({ sets: service.migrationSets });
  try {
    expect(await schemaDrift(database.url, join(__dirname, '../../prisma/schema.prisma'), overExpressions)).toEqual([]);
  } finally {
    await database.close();
  }
});

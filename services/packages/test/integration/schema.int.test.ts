import { join } from 'node:path';
import { schemaDrift, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';

/** A package without a version has none to be compared, so its version counts as empty; Python names are normalized. */
const overExpressions = ['packages_by_version', 'packages_of_version', 'packages_of_pypi', 'packages_of_pypi_name'];

it('schema.prisma and the migrations describe the same tables', async () => {
  const database = await testDatabase({ sets: service.migrationSets });
  try {
    expect(await schemaDrift(database.url, join(__dirname, '../../prisma/schema.prisma'), overExpressions)).toEqual([]);
  } finally {
    await database.close();
  }
});

import { join } from 'node:path';
import { schemaDrift, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';

/** They have no form in schema.prisma. */
const overExpressions = [
  'emails_confirmed',
  'emails_of_user',
  'namespaces_full_path',
  'namespaces_root',
  'projects_name_unique',
  'projects_path_unique',
  'topics_name_unique',
  'users_email_unique',
  'users_name_in_any_case',
  'users_public_email_in_any_case',
  'users_username_unique',
];

it('schema.prisma and the migrations describe the same tables', async () => {
  const database = await testDatabase({ sets: service.migrationSets });
  try {
    expect(await schemaDrift(database.url, join(__dirname, '../../prisma/schema.prisma'), overExpressions)).toEqual([]);
  } finally {
    await database.close();
  }
});

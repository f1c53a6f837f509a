import { join } from 'node:path';
import type { MigrationSet } from '@switchyard/database';
import { directoryMigrations } from '@switchyard/directory';
import { eventMigrations } from '@switchyard/events';

/** Migrations of the service's database, in the order in which they apply. */
export const migrationSets: MigrationSet[] = [
  { schema: 'public', directory: join(__dirname, '..', 'prisma', 'migrations') },
  eventMigrations,
  directoryMigrations,
];

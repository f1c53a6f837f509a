import { join } from 'node:path';
import { type MigrationSet, migrate } from '@switchyard/database';
import { directoryMigrations } from '@switchyard/directory';
import { eventMigrations } from '@switchyard/events';

/** Migrations of the service's database, in the order in which they apply. */
export const migrationSets: MigrationSet[] = [
  { schema: 'public', directory: join(__dirname, '..', 'prisma', 'migrations') },
  eventMigrations,
  directoryMigrations,
];

/** Brings the service's database to this version. */
export const migrateDatabase = ({ DATABASE_URL }: { DATABASE_URL: string }): Promise<string[]> =>
  migrate({ url: DATABASE_URL, sets: migrationSets });

import { join } from 'node:path';
import type { MigrationSet } from '@switchyard/database/migrate';
import { directoryMigrations } from '@switchyard/directory/migrations';
import { eventMigrations } from '@switchyard/events/migrations';

/**
 * Migrations of a service's database, in the order in which they apply: its own, those of outbox and inbox, and those of
 * the directory where it has one.
 * @param program folder of the service's program, beside which `prisma/migrations` lies
 */
export const migrationsOf = (program: string, { directory }: { readonly directory: boolean }): MigrationSet[] => [
  { schema: 'public', directory: join(program, '..', 'prisma', 'migrations') },
  eventMigrations,
  ...(directory ? [directoryMigrations] : []),
];

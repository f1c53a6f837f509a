import { join } from 'node:path';
import type { MigrationSet } from '@switchyard/database';
import { eventMigrations } from '@switchyard/events';

/** Everything this service's database needs, in order. */
export const migrations: MigrationSet[] = [
  { schema: 'public', directory: join(__dirname, '..', 'prisma', 'migrations') },
  eventMigrations,
];

import { join } from 'node:path';
import { type MigrationSet, migrate } from '@switchyard/database';

const directory = join(__dirname, '..', 'migrations');

/** Outbox and inbox, in the database of every service that publishes or consumes. */
export const eventMigrations: MigrationSet = { schema: 'events', directory: join(directory, 'events') };

/** The embedded log, in a database of its own (`LOG_DATABASE_URL`). */
export const logMigrations: MigrationSet = { schema: 'log', directory: join(directory, 'log') };

/**
 * Migrates the database of a service, and the embedded event log where that is the bus: the first service
 * migrates the log, the others wait for the advisory lock and find it done.
 */
export async function migrateService(
  config: { DATABASE_URL: string; LOG_DATABASE_URL?: string | undefined; KAFKA_BROKERS?: string | undefined },
  sets: MigrationSet[],
): Promise<string[]> {
  const own = await migrate({ url: config.DATABASE_URL, sets });
  if (config.KAFKA_BROKERS || !config.LOG_DATABASE_URL) return own;
  return [
    ...own,
    ...(await migrate({ url: config.LOG_DATABASE_URL, variable: 'LOG_DATABASE_URL', sets: [logMigrations] })),
  ];
}

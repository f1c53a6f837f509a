import { join } from 'node:path';
import type { MigrationSet } from '@switchyard/database/migrate';

const directory = join(__dirname, '..', 'migrations');

/** Outbox and inbox, in the database of every service that publishes or consumes. */
export const eventMigrations: MigrationSet = { schema: 'events', directory: join(directory, 'events') };

/** The embedded log, in a database of its own (`LOG_DATABASE_URL`). */
export const logMigrations: MigrationSet = { schema: 'log', directory: join(directory, 'log') };

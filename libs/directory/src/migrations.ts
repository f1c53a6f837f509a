import { join } from 'node:path';
import type { MigrationSet } from '@switchyard/database/migrate';

/** Migrations of the SQL schema `directory` (D5); a service that embeds the directory applies them with its own. */
export const directoryMigrations: MigrationSet = {
  schema: 'directory',
  directory: join(__dirname, '..', 'migrations'),
};

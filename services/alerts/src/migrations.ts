import { migrationsOf } from '@switchyard/service/migrations';

/** Migrations of its database. */
export const migrationSets = migrationsOf(__dirname, { directory: true });

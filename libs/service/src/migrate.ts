import { isMigrated, type MigrateOptions, type MigrationSet, migrate } from '@switchyard/database/migrate';
import { logMigrations } from '@switchyard/events/migrations';

/** Databases of a service. */
interface Databases {
  readonly DATABASE_URL: string;
  readonly LOG_DATABASE_URL?: string | undefined;
  readonly KAFKA_BROKERS?: string | undefined;
}

/** The database of a service, and the embedded event log where that is the bus. */
function migrationsFor(databases: Databases, sets: MigrationSet[]): MigrateOptions[] {
  const own = { url: databases.DATABASE_URL, sets };
  if (databases.KAFKA_BROKERS || !databases.LOG_DATABASE_URL) return [own];
  return [own, { url: databases.LOG_DATABASE_URL, variable: 'LOG_DATABASE_URL', sets: [logMigrations] }];
}

/**
 * Migrates the databases of a service. Of several services the first migrates the log; the others wait for the advisory
 * lock and find it done.
 * @returns names of the migrations applied by this call
 */
export async function migrateService(databases: Databases, sets: MigrationSet[]): Promise<string[]> {
  const applied: string[] = [];
  for (const one of migrationsFor(databases, sets)) applied.push(...(await migrate(one)));
  return applied;
}

/** Whether `migrateService` has nothing to do; throws where it would refuse. */
export async function isServiceMigrated(databases: Databases, sets: MigrationSet[]): Promise<boolean> {
  const found = await Promise.all(migrationsFor(databases, sets).map(isMigrated));
  return found.every(Boolean);
}

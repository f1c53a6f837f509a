import { parseEnvironment } from '@switchyard/config';
import type { MigrationSet } from '@switchyard/database/migrate';
import { migrateService } from './migrate';
import { migrateVariables } from './migrate-variables';

/** The sub-command `migrate`: one line for the operator. It needs neither the service's program nor its other variables. */
export async function runMigrations(name: string, sets: MigrationSet[]): Promise<void> {
  const applied = await migrateService(parseEnvironment(migrateVariables), sets);
  process.stdout.write(`${name}: ${applied.length} migrations applied\n`);
}

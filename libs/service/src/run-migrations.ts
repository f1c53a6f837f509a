import { busVariables, parseEnvironment, serviceVariables } from '@switchyard/config';
import type { MigrationSet } from '@switchyard/database/migrate';
import { migrateService } from './migrate';

const variables = {
  DATABASE_URL: serviceVariables.DATABASE_URL,
  KAFKA_BROKERS: busVariables.KAFKA_BROKERS,
  LOG_DATABASE_URL: busVariables.LOG_DATABASE_URL,
};

/** The sub-command `migrate`: one line for the operator. It needs neither the service's program nor its other variables. */
export async function runMigrations(name: string, sets: MigrationSet[]): Promise<void> {
  const applied = await migrateService(parseEnvironment(variables), sets);
  process.stdout.write(`${name}: ${applied.length} migrations applied\n`);
}

import type { MigrationSet } from '@switchyard/database/migrate';
import { startTelemetry } from '@switchyard/telemetry';
import { migrateVariables } from './migrate-variables';
import type { Service } from './service';
import { sayStartFailed } from './start-failure';

/**
 * The program of a domain service: the sub-command `migrate`, or the whole life of `service`. Loading a service takes
 * most of a second of a processor, so `migrate`, which runs before each start, does without.
 */
export function runMain(
  name: string,
  migrationSets: MigrationSet[],
  load: () => Promise<{ readonly service: Pick<Service<never>, 'run'> }>,
): void {
  const stopTelemetry = startTelemetry(name);
  // Loaded after telemetry has patched pg and grpc.
  if (process.argv[2] !== 'migrate') void load().then(({ service }) => service.run({ stopTelemetry }));
  else void migrateAndExit(name, migrationSets, stopTelemetry);
}

async function migrateAndExit(name: string, sets: MigrationSet[], stopTelemetry: () => Promise<void>): Promise<void> {
  let code = 0;
  try {
    const { runMigrations } = await import('./run-migrations.js');
    await runMigrations(name, sets);
  } catch (error) {
    code = sayStartFailed('migrate', error, Object.keys(migrateVariables));
  }
  // A collector that is away must not change the exit code.
  await stopTelemetry().catch(() => undefined);
  process.exit(code);
}

import { startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('alerts');

async function main(): Promise<void> {
  // Loaded after telemetry has patched pg and grpc.
  const { runService } = await import('@switchyard/rpc');
  const { readConfig } = await import('./config.js');
  const { migrateService } = await import('@switchyard/events');
  const { migrationSets } = await import('./migrations.js');
  const { compose } = await import('./compose.js');
  await runService({
    name: 'alerts',
    config: readConfig,
    migrate: (config) => migrateService(config, migrationSets),
    compose,
    stopTelemetry,
  });
}

void main();

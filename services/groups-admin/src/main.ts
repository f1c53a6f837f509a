import { startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('groups-admin');

async function main(): Promise<void> {
  // Loaded after telemetry has patched grpc and pg.
  const { runService } = await import('@switchyard/rpc');
  const { migrateService } = await import('@switchyard/events');
  const { readConfig } = await import('./config.js');
  const { compose } = await import('./compose.js');
  const { migrations } = await import('./migrations.js');
  await runService({
    name: 'groups-admin',
    config: readConfig,
    migrate: (config) => migrateService(config, migrations),
    compose,
    stopTelemetry,
  });
}

void main();

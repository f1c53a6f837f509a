import { startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('merge-requests');

async function main(): Promise<void> {
  if (process.argv[2] === 'verify-landings') {
    const { verifyLandings } = await import('./compose-verifier.js');
    const code = await verifyLandings(process.argv.slice(3), (line) => process.stdout.write(`${line}\n`)).catch(
      (error) => {
        process.stderr.write(`verify-landings: ${error instanceof Error ? error.message : error}\n`);
        return 2;
      },
    );
    process.exit(code);
  }
  // Loaded after telemetry has patched pg and grpc.
  const { runService } = await import('@switchyard/rpc');
  const { readConfig } = await import('./config.js');
  const { migrateService } = await import('@switchyard/events');
  const { migrationSets } = await import('./migrations.js');
  const { compose } = await import('./compose.js');
  await runService({
    name: 'merge-requests',
    config: readConfig,
    migrate: (config) => migrateService(config, migrationSets),
    compose,
    stopTelemetry,
  });
}

void main();

import { logger, startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('gateway');

async function main(): Promise<void> {
  // Loaded after telemetry has patched http and express.
  const { readSigner } = await import('@switchyard/rpc');
  const { stopOnSignals } = await import('@switchyard/service');
  const { readConfig } = await import('./config.js');
  const { compose } = await import('./compose.js');
  const config = readConfig();
  let starting: ReturnType<typeof compose> | undefined;
  stopOnSignals(() => starting, { name: 'gateway', stopTelemetry });
  starting = compose(config, readSigner('gateway', config.SWITCHYARD_IDENTITY_KEY_FILE));
  logger.info({ port: (await starting).port }, 'gateway listens');
}

main().catch((error: Error) => {
  process.stderr.write(`gateway: ${error.message}\n`);
  process.exit(1);
});

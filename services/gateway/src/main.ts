import { startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('gateway');

async function main(): Promise<void> {
  // Loaded after telemetry has patched http and express.
  const { logger } = await import('@switchyard/telemetry');
  const { readSigner } = await import('@switchyard/rpc');
  const { readConfig } = await import('./config.js');
  const { compose } = await import('./compose.js');
  const config = readConfig();
  const gateway = await compose(config, readSigner('gateway', config.SWITCHYARD_IDENTITY_KEY_FILE));
  logger.info({ port: gateway.port }, 'gateway listens');
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await gateway.close();
    await stopTelemetry();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.env.SWITCHYARD_SUPERVISED === '1') process.on('disconnect', stop);
}

main().catch((error: Error) => {
  process.stderr.write(`gateway: ${error.message}\n`);
  process.exit(1);
});

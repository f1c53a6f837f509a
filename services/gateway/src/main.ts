import { commandFailed } from '@switchyard/config';
import { logger, startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('gateway');

async function main(): Promise<void> {
  const [, , command] = process.argv;
  if (command !== undefined) {
    process.stderr.write(`${command}: is not known; the gateway has no sub-commands\n`);
    process.exit(commandFailed);
  }
  // Loaded after telemetry has patched http and express.
  const { readSigner } = await import('@switchyard/rpc');
  const { sayStartFailed, stopOnSignals } = await import('@switchyard/service');
  const { readConfig, variableNames } = await import('./config.js');
  const { compose } = await import('./compose.js');
  try {
    const config = readConfig();
    let starting: ReturnType<typeof compose> | undefined;
    stopOnSignals(() => starting, { name: 'gateway', stopTelemetry });
    starting = compose(config, readSigner('gateway', config.SWITCHYARD_IDENTITY_KEY_FILE));
    logger.info({ port: (await starting).port }, 'gateway listens');
  } catch (error) {
    process.exit(sayStartFailed('gateway', error, variableNames()));
  }
}

void main();

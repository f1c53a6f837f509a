import v8 from 'node:v8';
import { commandFailed } from '@switchyard/config';
import { assertOwnKey, readSigner, readTrustedKeys } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { type Command, runCommand } from './command';
import type { Variables } from './configuration';
import { failureLine } from './failure-line';
import { type RunningService, startService, stopOnSignals } from './process';
import type { Service } from './service';
import { sayStartFailed } from './start-failure';

/**
 * Percent by which the old heap may grow over what is alive before it is collected. V8 lets it grow to four times on a
 * machine with much memory: by 154 MiB in an import of a large project whose live heap stays at 44 MiB throughout. Neither
 * that import nor a list of 100,000 components takes longer for it; at 100 that list needs 258 MiB, here 231.
 */
const heapGrowingPercent = 50;

/**
 * The whole life of a domain service's process: a sub-command of its own, or start, serve, and drain on SIGTERM. A failure to start is one
 * line on stderr and exit code 78 where the configuration is at fault, else 1; a sub-command that fails gives exit code 2.
 */
export async function runService<V extends Variables>(
  service: Service<V>,
  commands: Readonly<Record<string, Command>>,
  stopTelemetry: () => Promise<void>,
): Promise<void> {
  // What it writes, repositories by git included, belongs to its user alone.
  process.umask(0o077);
  v8.setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  const [, , name, ...args] = process.argv;
  if (name !== undefined) {
    const code = await runNamed(service, commands, name, args).catch((error: unknown) => {
      process.stderr.write(`${name}: ${failureLine(error)}\n`);
      return commandFailed;
    });
    // A collector that is away must not change the exit code.
    await stopTelemetry().catch(() => undefined);
    process.exit(code);
  }
  try {
    const config = service.readConfig();
    const context = {
      signer: readSigner(service.name, config.SWITCHYARD_IDENTITY_KEY_FILE),
      trusted: readTrustedKeys(config.SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE),
    };
    assertOwnKey(context.signer, context.trusted);
    let starting: Promise<RunningService> | undefined;
    // Before it starts: background work may have had its first effects by the time the last of it has begun.
    stopOnSignals(() => starting, { name: service.name, stopTelemetry });
    const parts = await service.compose(config, context);
    starting = startService(config, context, parts);
    const running = await starting;
    logger.info({ grpc_port: running.grpcPort, http_port: running.httpPort }, `${service.name} listens`);
  } catch (error) {
    process.exit(sayStartFailed(service.name, error, service.variables));
  }
}

async function runNamed<V extends Variables>(
  service: Service<V>,
  commands: Readonly<Record<string, Command>>,
  name: string,
  args: readonly string[],
): Promise<number> {
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  const chosen = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (chosen === undefined) {
    const known = ['migrate', ...Object.entries(commands).map(([one, { usage }]) => (usage ? `${one} ${usage}` : one))];
    throw new Error(`is not known; sub-commands: ${known.join(', ')}`);
  }
  return runCommand(chosen, { name: service.name, sets: service.migrationSets, args, write, environment: process.env });
}

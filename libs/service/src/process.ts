import { startServer } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { startInternalHttp } from './internal-http';
import { assertListenable } from './listen';
import type { ProcessConfig, ProcessContext, ServiceParts } from './process-parts';

/** A service that listens. */
export interface RunningService {
  readonly grpcPort: number;
  readonly httpPort: number;
  /**
   * Drains and stops: readiness fails, running calls finish for at most `graceMs` (default: `SWITCHYARD_DRAIN_SECONDS`), then
   * background work and pools end.
   */
  close(graceMs?: number): Promise<void>;
}

/** Starts both servers of a composed service, then its background work. A start that fails closes what was opened for it. */
export async function startService(
  config: ProcessConfig,
  context: ProcessContext,
  parts: ServiceParts,
): Promise<RunningService> {
  const http = await startInternalHttp({
    ...{ host: config.HOST, port: config.HTTP_PORT, variables: { host: 'HOST', port: 'HTTP_PORT' } },
    ...parts,
  });
  const grpc = await startGrpc(config, context, parts).catch(async (error: unknown) => {
    await http.close(0);
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const deadline = Date.now() + graceMs;
    http.drain();
    parts.drain?.();
    // Until the last reply the probes see a process that drains, not one that has ended.
    await grpc.close(graceMs);
    await http.close(Math.max(0, deadline - Date.now()));
    await parts.close();
  };
  await parts.start?.().catch(async (error: unknown) => {
    // What is wrong is said first of all.
    await close(0).catch(() => undefined);
    throw error;
  });
  return {
    grpcPort: grpc.port,
    httpPort: http.port,
    close: (graceMs = config.SWITCHYARD_DRAIN_SECONDS * 1_000) => {
      closing ??= close(graceMs);
      return closing;
    },
  };
}

async function startGrpc(
  { HOST: host, GRPC_PORT: port }: ProcessConfig,
  { trusted }: ProcessContext,
  parts: ServiceParts,
): ReturnType<typeof startServer> {
  await assertListenable({ host, port, variables: { host: 'HOST', port: 'GRPC_PORT' } });
  return startServer({
    services: parts.services,
    trusted,
    host,
    port,
    ensureDirectory: parts.ensureDirectory,
    countStatements: parts.countStatements,
    guardWrites: parts.guardWrites,
  });
}

/**
 * Ends the process on SIGTERM, SIGINT and, under the launcher (`SWITCHYARD_SUPERVISED=1`), on the loss of its IPC
 * channel.
 * @param starting what is to be closed first; undefined while nothing listens or works yet
 */
export function stopOnSignals(
  starting: () => Promise<{ close(): Promise<void> }> | undefined,
  program: { readonly name: string; readonly stopTelemetry?: () => Promise<void> },
): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    const service = starting();
    // Nothing listens or works yet, so there is nothing to drain.
    if (service === undefined) process.exit(0);
    service
      .then((running) => running.close())
      .then(() => program.stopTelemetry?.())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, `${program.name} did not stop cleanly`);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.env.SWITCHYARD_SUPERVISED === '1') process.on('disconnect', stop);
}

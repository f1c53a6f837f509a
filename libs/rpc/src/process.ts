import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAppError } from '@switchyard/errors';
import { logger, metrics } from '@switchyard/telemetry';
import type { StatementCounter } from './cost';
import { readSigner, readTrustedKeys, type Signer, type TrustedKeys } from './identity';
import { type ServiceImplementation, startServer, type WriteGuard } from './server';

/** The part of a service's configuration that its lifecycle reads; `serviceVariables` of libs/config has it. */
export interface ProcessConfig {
  /** Interface both servers listen on. */
  readonly HOST: string;
  /** Port of the gRPC server; 0 for any free one. */
  readonly GRPC_PORT: number;
  /** Port of the internal HTTP server; 0 for any free one. */
  readonly HTTP_PORT: number;
  readonly SWITCHYARD_IDENTITY_KEY_FILE: string;
  readonly SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: string;
}

/** What the lifecycle gives a service to build itself with. */
export interface ProcessContext {
  /** Signs this process's own calls. */
  readonly signer: Signer;
  /** Keys of the processes whose calls are believed; for HTTP handlers that check signed metadata themselves. */
  readonly trusted: TrustedKeys;
}

/** A composed service, not yet listening. */
export interface ServiceParts {
  /** gRPC services with their handlers. */
  readonly services: readonly ServiceImplementation[];
  /** Waits until the local directory has reached a sequence (D5). */
  readonly ensureDirectory?: (sequence: number) => Promise<void>;
  /** Counts the SQL statements of a call: `countStatements` of libs/database. */
  readonly countStatements?: StatementCounter;
  /** Keeps calls that can no longer be answered from writing: `guardWrites` of libs/database. */
  readonly guardWrites?: WriteGuard;
  /** Answers every request of the internal HTTP server that is not one of `/-/liveness`, `/-/readiness`, `/metrics`. */
  readonly http?: RequestListener;
  /** Throws while the service cannot serve (its database is away); asked by `/-/readiness`. */
  readonly ready?: () => Promise<void>;
  /** Starts background work (relay, consumers, reconcilers) once both servers listen. */
  readonly start?: () => Promise<void>;
  /** Called first in a shutdown: ends long waits, takes no new background work. Running calls still finish after it. */
  readonly drain?: () => void;
  /** Stops background work and closes pools and connections, after both servers have closed. */
  readonly close: () => Promise<void>;
}

/** A service as its `main.ts` hands it over. */
export interface ServiceProgram<Config extends ProcessConfig> {
  /** Process name: `groups-admin`, `merge-requests` … */
  readonly name: string;
  /** Reads the environment; throws one line that names the variables at fault. */
  readonly config: () => Config;
  /** Applies the service's migrations; the sub-command `migrate`. Returns the names of those applied. */
  readonly migrate: (config: Config) => Promise<readonly string[]>;
  /** Builds the service; refuses (throws) on a database that is not migrated. */
  readonly compose: (config: Config, context: ProcessContext) => Promise<ServiceParts>;
  /** Flushes and stops telemetry; what `startTelemetry` returned. */
  readonly stopTelemetry?: () => Promise<void>;
}

/** A service that listens. */
export interface RunningService {
  readonly grpcPort: number;
  readonly httpPort: number;
  /** Drains and stops: readiness fails, running calls finish for at most `graceMs` (default 8,000), then background work and pools end. */
  close(graceMs?: number): Promise<void>;
}

/** The internal HTTP server of a process. */
export interface InternalHttp {
  readonly port: number;
  /** From now on `/-/readiness` answers 503. */
  drain(): void;
  /** Lets running requests finish, at most `graceMs`, then closes. */
  close(graceMs: number): Promise<void>;
}

/** Starts the internal HTTP server: `/-/liveness`, `/-/readiness`, `/metrics`, and what `http` answers. */
export async function startInternalHttp(
  options: Pick<ServiceParts, 'http' | 'ready'> & { readonly host: string; readonly port: number },
): Promise<InternalHttp> {
  let draining = false;
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 75_000, headersTimeout: 80_000, maxHeaderSize: 64 << 10 },
    internalListener(options, () => draining),
  );
  const port = await listen(server, options.host, options.port);
  return {
    port,
    drain: () => {
      draining = true;
    },
    close: (graceMs) => closeHttp(server, graceMs),
  };
}

/** Starts both servers of a composed service, then its background work. */
export async function startService(
  config: ProcessConfig,
  context: ProcessContext,
  parts: ServiceParts,
): Promise<RunningService> {
  const http = await startInternalHttp({ host: config.HOST, port: config.HTTP_PORT, ...parts });
  const grpc = await startServer({
    services: parts.services,
    trusted: context.trusted,
    host: config.HOST,
    port: config.GRPC_PORT,
    ensureDirectory: parts.ensureDirectory,
    countStatements: parts.countStatements,
    guardWrites: parts.guardWrites,
  });
  await parts.start?.();
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const deadline = Date.now() + graceMs;
    http.drain();
    parts.drain?.();
    // Until the last call is answered the probes see a process that drains, not one that has gone.
    await grpc.close(graceMs);
    await http.close(Math.max(0, deadline - Date.now()));
    await parts.close();
  };
  return {
    grpcPort: grpc.port,
    httpPort: http.port,
    close: (graceMs = 8_000) => {
      closing ??= close(graceMs);
      return closing;
    },
  };
}

/**
 * The whole life of a domain service's process: `migrate` sub-command, or start, serve and drain when told to stop. A failure to start is
 * one line on stderr and exit code 1.
 */
export async function runService<Config extends ProcessConfig>(program: ServiceProgram<Config>): Promise<void> {
  // Whatever it writes, repositories by git included, is its user's alone.
  process.umask(0o077);
  try {
    const config = program.config();
    if (process.argv[2] === 'migrate') {
      const applied = await program.migrate(config);
      process.stdout.write(`${program.name}: ${applied.length} migrations applied\n`);
      await program.stopTelemetry?.();
      process.exit(0);
    }
    const context = {
      signer: readSigner(program.name, config.SWITCHYARD_IDENTITY_KEY_FILE),
      trusted: readTrustedKeys(config.SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE),
    };
    let starting: Promise<RunningService> | undefined;
    // Before it starts: background work may have had its first effects by the time the last of it has begun.
    stopOnSignals(() => starting, program);
    const parts = await program.compose(config, context);
    starting = startService(config, context, parts);
    const service = await starting;
    logger.info({ grpc_port: service.grpcPort, http_port: service.httpPort }, `${program.name} listens`);
  } catch (error) {
    process.stderr.write(`${program.name}: ${oneLine(error)}\n`);
    process.exit(1);
  }
}

/**
 * Ends the process when it is told to: on SIGTERM, SIGINT and, under the launcher (`SWITCHYARD_SUPERVISED=1`), on the loss of its IPC channel.
 * @param starting what is to be closed first; undefined while nothing listens or works yet
 */
export function stopOnSignals(
  starting: () => Promise<{ close(): Promise<void> }> | undefined,
  program: Pick<ServiceProgram<ProcessConfig>, 'name' | 'stopTelemetry'>,
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

const oneLine = (error: unknown): string => {
  const cause = isAppError(error) && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message || String(cause) : String(cause);
  return message.replaceAll('\n', ' ');
};

function internalListener(parts: Pick<ServiceParts, 'http' | 'ready'>, draining: () => boolean): RequestListener {
  const text = (status: number, body: string, type = 'application/json'): [number, string, string] => [
    status,
    body,
    type,
  ];
  const own: Record<string, () => Promise<[number, string, string]>> = {
    '/-/liveness': async () => text(200, '{"status":"ok"}'),
    '/-/readiness': async () => {
      if (draining()) return text(503, '{"status":"draining"}');
      try {
        await parts.ready?.();
        return text(200, '{"status":"ok"}');
      } catch (error) {
        logger.warn({ err: error }, 'not ready');
        return text(503, '{"status":"failed"}');
      }
    },
    '/metrics': async () => text(200, await metrics.metrics(), metrics.contentType),
  };
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(own, path) ? own[path] : undefined;
    if (answer === undefined) {
      if (parts.http !== undefined) parts.http(request, response);
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
      return;
    }
    answer().then(
      ([status, body, type]) => response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => {
        logger.error({ err: error }, 'internal endpoint failed');
        response.writeHead(500).end();
      },
    );
  };
}

const listen = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Milliseconds between two looks for kept-alive connections whose last request has ended. */
const idleLook = 50;

const closeHttp = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection that was busy when the server closed stays open when its request is answered.
    const looking = setInterval(() => server.closeIdleConnections(), idleLook);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve();
    });
    server.closeIdleConnections();
  });

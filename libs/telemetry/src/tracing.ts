import { decimalNumber, parseEnvironment, refusedConfiguration, webAddress, z } from '@switchyard/config';
import { logger, logLevels } from './logger';

/**
 * Query parameters whose values reach no span: tokens (G-5-1), values of variables, and what object stores sign addresses
 * with.
 */
const secretParameters = [
  'private_token',
  'access_token',
  'job_token',
  'refresh_token',
  'client_secret',
  'token',
  'password',
  'secret',
  'value',
  'variables[][value]',
  'sig',
  'Signature',
  'AWSAccessKeyId',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'X-Amz-Security-Token',
];

/** Probes and scrapes: answered every few seconds, and of no request. */
const isProbe = (url: string | undefined): boolean => url === '/metrics' || url?.startsWith('/-/') === true;

/** What every process reads of its log and its traces; see docs/operations.md. */
export const telemetryVariables = {
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress().optional(),
  /** Fraction of the requests without a sampled parent that are traced. */
  OTEL_TRACES_SAMPLER_ARG: decimalNumber(0, 1).default(0.01),
};

/**
 * Names the process in its log, and starts OpenTelemetry when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; off otherwise (D9).
 * Must run before express, grpc-js, pg and kafkajs are loaded, so `main.ts` calls it first and loads the rest after.
 * The sampling ratio is `OTEL_TRACES_SAMPLER_ARG` (default 0.01); the parent's decision is kept. A wrong value of these
 * ends the process, with one line that names the variable.
 */
export function startTelemetry(process: string): () => Promise<void> {
  const environment = globalThis.process.env;
  const config = readOrEnd(process, environment);
  logger.setBindings({ service: process });
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return async () => {};
  environment.OTEL_EXPORTER_OTLP_ENDPOINT = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  environment.OTEL_TRACES_SAMPLER ??= 'parentbased_traceidratio';
  environment.OTEL_TRACES_SAMPLER_ARG = String(config.OTEL_TRACES_SAMPLER_ARG);
  environment.OTEL_METRICS_EXPORTER ??= 'none';
  environment.OTEL_LOGS_EXPORTER ??= 'none';
  // Loaded here, not above: the SDK costs 35 MB in a process that does not use it.
  const { NodeSDK } = require('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node');
  const { HttpInstrumentation } =
    require('@opentelemetry/instrumentation-http') as typeof import('@opentelemetry/instrumentation-http');
  const { GrpcInstrumentation } =
    require('@opentelemetry/instrumentation-grpc') as typeof import('@opentelemetry/instrumentation-grpc');
  const { ExpressInstrumentation, ExpressLayerType } =
    require('@opentelemetry/instrumentation-express') as typeof import('@opentelemetry/instrumentation-express');
  const { PgInstrumentation } =
    require('@opentelemetry/instrumentation-pg') as typeof import('@opentelemetry/instrumentation-pg');
  const { KafkaJsInstrumentation } =
    require('@opentelemetry/instrumentation-kafkajs') as typeof import('@opentelemetry/instrumentation-kafkajs');
  const sdk = new NodeSDK({
    serviceName: `switchyard-${process}`,
    instrumentations: [
      new HttpInstrumentation({
        redactedQueryParams: secretParameters,
        redactedQueryParamsServer: secretParameters,
        ignoreIncomingRequestHook: ({ url }) => isProbe(url),
      }),
      new GrpcInstrumentation(),
      // Spans of a dozen middlewares would double the spans of a request without being useful.
      new ExpressInstrumentation({ ignoreLayersType: [ExpressLayerType.MIDDLEWARE, ExpressLayerType.ROUTER] }),
      // Relay, bus and reconcilers poll tables: without a parent each poll would be a trace.
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      new KafkaJsInstrumentation(),
    ],
  });
  sdk.start();
  return () => sdk.shutdown();
}

function readOrEnd(name: string, environment: NodeJS.ProcessEnv): z.infer<z.ZodObject<typeof telemetryVariables>> {
  try {
    return parseEnvironment(telemetryVariables, environment);
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
    process.exit(refusedConfiguration);
  }
}

/**
 * Starts OpenTelemetry when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; off otherwise (D9).
 * Must run before express, grpc-js, pg and kafkajs are loaded, so `main.ts` calls it first and loads the rest after.
 * The sampling ratio is `OTEL_TRACES_SAMPLER_ARG` (default 0.01); the parent's decision is kept.
 */
export function startTelemetry(process: string): () => Promise<void> {
  if (!globalThis.process.env.OTEL_EXPORTER_OTLP_ENDPOINT) return async () => {};
  globalThis.process.env.OTEL_TRACES_SAMPLER ??= 'parentbased_traceidratio';
  globalThis.process.env.OTEL_TRACES_SAMPLER_ARG ??= '0.01';
  globalThis.process.env.OTEL_METRICS_EXPORTER ??= 'none';
  globalThis.process.env.OTEL_LOGS_EXPORTER ??= 'none';
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
      new HttpInstrumentation(),
      new GrpcInstrumentation(),
      // A span for each of a dozen middlewares would tell nothing and double the spans of a request.
      new ExpressInstrumentation({ ignoreLayersType: [ExpressLayerType.MIDDLEWARE, ExpressLayerType.ROUTER] }),
      new PgInstrumentation(),
      new KafkaJsInstrumentation(),
    ],
  });
  sdk.start();
  return () => sdk.shutdown();
}

import { TraceFlags, trace } from '@opentelemetry/api';

/** Id of the trace that the running code belongs to; undefined where there is none, or it is not recorded. */
export function currentTraceId(): string | undefined {
  const context = trace.getActiveSpan()?.spanContext();
  return context !== undefined && (context.traceFlags & TraceFlags.SAMPLED) !== 0 ? context.traceId : undefined;
}

import { trace } from '@opentelemetry/api';
import pino, { type Logger } from 'pino';

export type { Logger };

/** Keys whose values never reach a log line. */
const redacted = [
  'token',
  'password',
  'private_token',
  'authorization',
  '*.token',
  '*.password',
  'headers.authorization',
];

/** The process's JSON log; each line carries the trace id when there is one (D9). */
export const logger: Logger = pino({
  level: process.env.LOG_LEVEL ?? (process.env.NODE_ENV === 'test' ? 'silent' : 'info'),
  base: { service: process.env.SWITCHYARD_PROCESS },
  redact: { paths: redacted, censor: '[redacted]' },
  mixin: () => {
    const context = trace.getActiveSpan()?.spanContext();
    return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
  },
});

import { trace } from '@opentelemetry/api';
import pino, { type Logger } from 'pino';
import { currentRequestId } from './request-id';

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

/** Values of `LOG_LEVEL`. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

// Another value is refused by `startTelemetry`, which can say so in one line; here it would be a stack.
const level = logLevels.find((one) => one === process.env.LOG_LEVEL?.trim());

/** The process's JSON log; each line carries the request id and the trace id where there are (D9). */
export const logger: Logger = pino({
  level: level ?? (process.env.NODE_ENV === 'test' ? 'silent' : 'info'),
  base: null,
  redact: { paths: redacted, censor: '[redacted]' },
  mixin: () => {
    const context = trace.getActiveSpan()?.spanContext();
    const requestId = currentRequestId();
    return {
      ...(requestId === undefined ? {} : { request_id: requestId }),
      ...(context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId }),
    };
  },
});

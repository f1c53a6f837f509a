export { type Logger, logger } from './logger';
export {
  counter,
  gauge,
  metrics,
  observe,
  observeHttp,
  observeRpc,
  type Reading,
  scrape,
} from './metrics';
export { currentRequestId, withRequestId } from './request-id';
export { currentTraceId } from './trace-id';
export { startTelemetry } from './tracing';

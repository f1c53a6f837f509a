export { type Logger, logger } from './logger';
export {
  counter,
  gauge,
  metrics,
  observe,
  observeHttp,
  observeRpc,
  type Reading,
} from './metrics';
export { currentRequestId, withRequestId } from './request-id';
export { startTelemetry } from './tracing';

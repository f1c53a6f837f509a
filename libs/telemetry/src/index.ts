export { type Logger, logger } from './logger';
export { countRpc, countRpcs, metrics, observe, observeRpc } from './metrics';
export { startTelemetry } from './tracing';

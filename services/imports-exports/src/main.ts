import { startTelemetry } from '@switchyard/telemetry';

const stopTelemetry = startTelemetry('imports-exports');
// Loaded after telemetry has patched pg and grpc.
void import('./service.js').then(({ service }) => service.run({ stopTelemetry }));

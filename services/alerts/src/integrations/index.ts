export { integrationDigest, type KeyDigest } from './application/integration-key';
export { sampleReader } from './application/read-sample';
export { composeIntegrations } from './compose';
export type { AlertEndpoint, EndpointIntegration, EndpointSelector, ProjectName } from './domain/alert-endpoint';
export { licensedSettings } from './domain/alert-settings';
export { type HttpIntegration, hasMapping } from './domain/http-integration';
export { type ReadSample, sampleProblem } from './domain/http-integration-change';
export { alertEndpointStore } from './storage/alert-endpoint.store';
export { httpIntegrationStore } from './storage/http-integration.store';

export { composeIntegrations } from './compose';
export { integrationSecrets } from './storage/integration-secrets.store';

export { composeVariables } from './compose';
export { variableSecrets } from './storage/variable-secrets.store';

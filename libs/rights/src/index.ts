export { levels } from './levels';
export { allScopes, ordinaryScopes, selfServiceScopes } from './scopes';

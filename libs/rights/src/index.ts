export { levels } from './levels';
export { allScopes, deployScopes, ordinaryScopes, resourceScopes, selfServiceScopes } from './scopes';

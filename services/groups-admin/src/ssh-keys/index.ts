export { composeSshKeys } from './compose';
export { forgetDeployKeys } from './storage/deploy-key.store';

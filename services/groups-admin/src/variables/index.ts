export { composeVariables, rotateSecrets } from './compose';

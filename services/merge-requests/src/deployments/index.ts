export { composeDeployments } from './compose';

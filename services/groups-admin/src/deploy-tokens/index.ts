export { composeDeployTokens } from './compose';

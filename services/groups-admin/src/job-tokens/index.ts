export { composeJobTokens } from './compose';

export { composeCleanup } from './compose';

export { composeHookBodies } from './compose';

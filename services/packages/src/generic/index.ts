export { composeGeneric } from './compose';

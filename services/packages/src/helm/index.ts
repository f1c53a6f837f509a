export { composeHelm } from './compose';

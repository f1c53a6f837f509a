export { composeNpm } from './compose';

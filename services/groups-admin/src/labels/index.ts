export { composeLabels } from './compose';

export { composeGroups } from './compose';

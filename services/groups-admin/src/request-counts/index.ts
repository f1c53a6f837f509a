export { composeRequestCounts } from './compose';

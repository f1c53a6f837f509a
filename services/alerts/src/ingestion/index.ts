export { composeIngestion } from './compose';

export { composeReports, type Reports } from './compose';

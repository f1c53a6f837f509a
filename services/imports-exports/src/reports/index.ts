export { composeReports, type Reports } from './compose';
export type { Report } from './domain/report';

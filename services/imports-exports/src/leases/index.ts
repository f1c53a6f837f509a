export { leased, leaseStore } from './lease.store';
export { LeaseLost, workLeased } from './work-leased';

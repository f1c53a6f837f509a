export { leased, leaseStore } from './lease.store';
export { pauseAfter } from './pause-after';
export { LeaseLost, workLeased } from './work-leased';

export { leased, leaseStore } from './lease.store';
export { pauseAfter } from './pause-after';
export { LeaseLost, TurnOver, workLeased } from './work-leased';
export { workers } from './workers';

export { leased, leaseStore } from './lease.store';
export { isFinal, type Leased, LeaseLost, problemOf, workLeased } from './work-leased';

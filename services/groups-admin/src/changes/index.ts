export type { ChangeFollower } from './application/change-follower';
export { composeChanges } from './compose';
export type { Change } from './domain/change';

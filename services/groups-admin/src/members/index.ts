export { noteRemoved } from './application/member-events';
export type { Owners } from './application/owners';
export { composeMembers } from './compose';
export type { Membership } from './domain/member-row';

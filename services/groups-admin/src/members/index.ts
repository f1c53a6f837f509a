export { composeMembers } from './compose';
export type { Membership } from './domain/member-row';
export { publishMemberRemoved } from './storage/member.events';
export type { Owners } from './storage/owners';

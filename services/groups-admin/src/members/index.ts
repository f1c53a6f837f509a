export { noteAdded, noteRemoved } from './application/member-events';
export type { MemberStore, Membership } from './storage/member.store';

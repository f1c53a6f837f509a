export { noteAdded } from './application/member-events';
export type { MemberStore } from './storage/member.store';

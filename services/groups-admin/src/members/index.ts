export { composeMembers } from './compose';
export { type MemberActor, mayChange, mayGrant, refusePastExpiry } from './domain/member';
export type { MemberRemovalReason } from './domain/member-change';
export type { Membership } from './domain/member-row';
export { type BotMembership, botMemberships } from './storage/bot-membership';
export { publishMemberRemoved } from './storage/member.events';
export { lockSource } from './storage/membership.sql';
export type { Owners } from './storage/owners';
export { actorOf } from './transport/member.handler';

import { userReference } from '@switchyard/directory';
import { dateOf } from '../../rules';
import type { MemberRow } from '../domain/member-row';

/** A member as the API shows one (G §10 Members). */
export const presentMember = (member: MemberRow, externalUrl: string) => ({
  ...userReference(member, externalUrl),
  access_level: member.access_level,
  created_at: member.created_at,
  ...(member.created_by === null ? {} : { created_by: userReference(member.created_by, externalUrl) }),
  expires_at: member.expires_at === null ? null : dateOf(member.expires_at),
  group_saml_identity: null,
  membership_state: 'active',
});

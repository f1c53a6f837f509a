import { userReference } from '@switchyard/directory';
import type { MemberRow } from '../domain/member-row';

/** A member as the API shows one (G §10 Members). */
export const presentMember = (member: MemberRow, externalUrl: string) => ({
  ...userReference(member, externalUrl),
  access_level: member.access_level,
  created_at: member.created_at,
  ...(member.created_by === null ? {} : { created_by: userReference(member.created_by, externalUrl) }),
  expires_at: member.expires_at === null ? null : member.expires_at.toISOString().slice(0, 10),
  group_saml_identity: null,
  membership_state: 'active',
});

import { avatarUrl } from '@switchyard/directory';
import type { UserRow } from '../domain/user-row';

/** What a user reference is made of. */
export interface ReferenceRow {
  id: number;
  username: string;
  name: string;
  state: string;
  avatar_url: string | null;
  public_email: string;
}

/** The user reference (api.md 2, G-2-1). */
export const presentUserReference = (user: ReferenceRow, externalUrl: string) => ({
  id: user.id,
  username: user.username,
  public_email: user.public_email,
  name: user.name,
  state: user.state,
  locked: false,
  avatar_url: avatarUrl(user.avatar_url, externalUrl),
  web_url: `${externalUrl}/${user.username}`,
});

const workInformation = ({ job_title, organization }: UserRow): string | null =>
  job_title !== '' && organization !== '' ? `${job_title} at ${organization}` : job_title || organization || null;

/** A user as every viewer sees one (G §10 Users). A private profile shows the reference alone. */
export function presentUser(user: UserRow, externalUrl: string) {
  const shown = <T>(value: T): T | null => (user.private_profile ? null : value);
  return {
    ...presentUserReference(user, externalUrl),
    created_at: shown(user.created_at.toISOString()),
    bio: shown(user.bio),
    location: shown(user.location),
    skype: shown(user.skype),
    linkedin: shown(user.linkedin),
    twitter: shown(user.twitter),
    discord: shown(user.discord),
    website_url: shown(user.website_url),
    github: shown(user.github),
    organization: shown(user.organization),
    job_title: shown(user.job_title),
    pronouns: shown(user.pronouns),
    bot: user.user_type !== 'human',
    work_information: shown(workInformation(user)),
    followers: user.followers,
    following: user.following,
    is_followed: user.is_followed,
    local_time: null,
  };
}

const iso = (timestamp: Date | null): string | null => timestamp?.toISOString() ?? null;

/**
 * The user of the token, or a user as an administrator sees one. `is_admin` and what follows are for administrators
 * alone.
 */
export function presentFullUser(
  user: UserRow,
  externalUrl: string,
  { forAdministrator }: { forAdministrator: boolean },
) {
  const own = {
    ...presentUser({ ...user, private_profile: false }, externalUrl),
    last_sign_in_at: iso(user.last_sign_in_at),
    confirmed_at: iso(user.confirmed_at),
    last_activity_on: user.last_activity_on,
    email: user.email,
    ...(user.unconfirmed_email === null ? {} : { unconfirmed_email: user.unconfirmed_email }),
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: iso(user.current_sign_in_at),
    identities: [],
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > 0,
    two_factor_enabled: false,
    external: user.external,
    private_profile: user.private_profile,
    commit_email: user.commit_email || user.email,
    preferred_language: user.preferred_language,
    shared_runners_minutes_limit: user.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: user.extra_shared_runners_minutes_limit,
    namespace_id: user.namespace_id,
    scim_identities: [],
  };
  if (!forAdministrator) return own;
  return {
    ...own,
    is_admin: user.admin,
    note: user.note,
    created_by: creatorOf(user, externalUrl),
    email_reset_offered_at: null,
    ...(user.custom_attributes === undefined ? {} : { custom_attributes: user.custom_attributes }),
  };
}

const creatorOf = (user: UserRow, externalUrl: string) =>
  user.creator_id === null
    ? null
    : presentUserReference(
        {
          id: user.creator_id,
          username: user.creator_username ?? '',
          name: user.creator_name ?? '',
          state: user.creator_state ?? 'active',
          avatar_url: user.creator_avatar_url,
          public_email: user.creator_public_email ?? '',
        },
        externalUrl,
      );

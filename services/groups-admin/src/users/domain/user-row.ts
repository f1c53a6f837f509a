import type { CustomAttribute } from '../../custom-attributes';

/** A user with everything that is printed of one. */
export interface UserRow {
  id: number;
  username: string;
  name: string;
  email: string;
  /** The address that becomes the primary e-mail once it is confirmed. */
  unconfirmed_email: string | null;
  user_type: string;
  state: string;
  admin: boolean;
  external: boolean;
  avatar_url: string | null;
  public_email: string;
  commit_email: string | null;
  bio: string;
  location: string;
  skype: string;
  linkedin: string;
  twitter: string;
  discord: string;
  github: string;
  website_url: string;
  organization: string;
  job_title: string;
  pronouns: string | null;
  note: string;
  preferred_language: string;
  theme_id: number;
  color_scheme_id: number;
  projects_limit: number;
  can_create_group: boolean;
  private_profile: boolean;
  shared_runners_minutes_limit: number | null;
  extra_shared_runners_minutes_limit: number | null;
  confirmed_at: Date | null;
  last_sign_in_at: Date | null;
  current_sign_in_at: Date | null;
  last_activity_on: string | null;
  created_at: Date;
  /** Users who follow them. */
  followers: number;
  /** Users whom they follow. */
  following: number;
  /** Whether the viewer follows them. */
  is_followed: boolean;
  namespace_id: number | null;
  creator_id: number | null;
  creator_username: string | null;
  creator_name: string | null;
  creator_state: string | null;
  creator_avatar_url: string | null;
  creator_public_email: string | null;
  /** Present where they were requested. */
  custom_attributes?: CustomAttribute[];
}

/** Which users. */
export interface UserFilter {
  username?: string;
  search?: string;
  /** The search may find e-mails that are not public. */
  searchPrivateEmail: boolean;
  active?: boolean;
  blocked?: boolean;
  external?: boolean;
  excludeExternal?: boolean;
  humans?: boolean;
  excludeHumans?: boolean;
  excludeActive?: boolean;
  excludeInternal?: boolean;
  admins?: boolean;
  createdAfter?: Date;
  createdBefore?: Date;
  withoutProjectBots?: boolean;
  withoutProjects?: boolean;
  /** Values by key that the users have. */
  customAttributes?: Record<string, string>;
  /** Reads the custom attributes of the users as well. */
  withCustomAttributes?: boolean;
}

/** A user under its lock. */
export interface LockedUser {
  id: number;
  username: string;
  name: string;
  email: string;
  /** Whether `email` is. */
  confirmed: boolean;
  public_email: string;
  commit_email: string | null;
  state: string;
  user_type: string;
  namespace_id: number | null;
}

/** What a token is presented as: as that of a user, a job token or a deploy token. */
export type PresentedAs = 'user' | 'job' | 'deploy';

/** A token and its user, as one look-up finds them. A deploy token has no user, so its id is 0. */
export interface TokenRow {
  token_id: number;
  /** `personal`, `bootstrap`, `impersonation`, `resource`, `job` or `deploy`. */
  kind: string;
  /** Of a job token. */
  project_id?: number;
  /** Of a job token. */
  pipeline_id?: number;
  scopes: string[];
  revoked: boolean;
  /** Unix seconds at which it ends; null when never. */
  expires_at: number | null;
  expired: boolean;
  /** True when `last_used_at` is older than a minute. */
  stale: boolean;
  user_id: number;
  username: string;
  admin: boolean;
  external: boolean;
  state: string;
  directory_sequence: number;
}

/** A user an administrator acts for. */
export type SudoRow = Pick<TokenRow, 'user_id' | 'username' | 'admin' | 'external' | 'state'>;

/** A project or group with the level of a user in it. */
export interface TargetRow {
  id: number;
  full_path: string;
  visibility: string;
  archived: boolean;
  deleting: boolean;
  /** It, or a group above it, is being purged: no one finds it any more. */
  purging: boolean;
  tier: string | null;
  /** `ip_restriction_ranges` of the top-level group, comma-separated; null for none. */
  ip_ranges: string | null;
  /** `enabled_git_access_protocol` of the top-level group; null where it was never set. */
  git_protocol: string | null;
  /** Of a project; empty for a group. */
  repository_access_level: string;
  merge_requests_access_level: string;
  issues_access_level: string;
  monitor_access_level: string;
  snippets_access_level: string;
  package_registry_access_level: string;
  level: number;
  /** True for a private group in whose tree the user is a member further down. */
  member_below: boolean;
  /** Unix seconds at which the first of the memberships that counted ends; null when none does. */
  valid_until: number | null;
  directory_sequence: number;
}

/** A target as a request names it: an id, or a full path. */
export type TargetName = { id: number } | { path: string };

interface UserColumns {
  username: string;
  name: string;
  state: string;
  avatar_url: string | null;
  public_email: string;
}

/** A membership with its user and its creator, as it is printed. */
export interface MemberRow extends UserColumns {
  /** Id of the user. */
  id: number;
  membership_id: number;
  access_level: number;
  created_at: Date;
  expires_at: Date | null;
  created_by: (UserColumns & { id: number }) | null;
}

/** A membership as rules use it. */
export interface Membership {
  id: number;
  user_id: number;
  namespace_id: number | null;
  project_id: number | null;
  access_level: number;
  version: number;
  expired: boolean;
}

/** Which members a list holds. */
export interface MemberFilter {
  query?: string;
  /** The query may find e-mails that are not public. */
  searchPrivateEmail: boolean;
  userIds?: number[];
  /** Without these users. */
  skipUserIds?: number[];
  /** With those of the groups above. */
  inherited: boolean;
}

/** A direct membership of a user, with what it is in. */
export interface UserMembershipRow {
  source_id: number;
  source_name: string;
  source_type: 'Project' | 'Namespace';
  access_level: number;
}

/** A membership to insert. */
export interface NewMember {
  userId: number;
  level: number;
  /** `YYYY-MM-DD`; undefined for none. */
  expiresAt: string | undefined;
  createdBy: number;
  /** Undefined: since now. */
  since?: Date | undefined;
}

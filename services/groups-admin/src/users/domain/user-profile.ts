/** A user as a reference shows them, with what decides who may look further. */
export interface ProfileFacts {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly state: string;
  readonly avatar_url: string | null;
  readonly public_email: string;
  readonly user_type: string;
  readonly private_profile: boolean;
}

/** A user in a list of follows. */
export type FollowRow = Omit<ProfileFacts, 'user_type' | 'private_profile'>;

/** The last day on which a user was active. */
export interface UserActivity {
  readonly username: string;
  /** `YYYY-MM-DD`. */
  readonly last_activity_on: string;
}

/** A user who starred a project. */
export interface StarrerRow {
  id: number;
  username: string;
  name: string;
  state: string;
  avatar_url: string | null;
  public_email: string;
  starred_since: Date;
}

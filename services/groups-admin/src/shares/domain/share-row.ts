/** A share as rules use it. */
export interface Share {
  id: number;
  /** Group that is shared; null when a project is. */
  namespace_id: number | null;
  project_id: number | null;
  /** The invited group. */
  group_id: number;
  access_level: number;
  expires_at: Date | null;
  expired: boolean;
}

/** A group with which something is shared, as it is printed there. */
export interface SharedGroup {
  group_id: number;
  group_name: string;
  group_full_path: string;
  group_access_level: number;
  /** `YYYY-MM-DD`. */
  expires_at: string | null;
}

/** A namespace as it is printed. */
export interface NamespaceRow {
  id: number;
  name: string;
  path: string;
  kind: string;
  full_path: string;
  parent_id: number | null;
  avatar_url: string | null;
  tier: string | null;
  /** Members of the group and of all below it; null where the viewer may not know. */
  members: number | null;
}

/** Which namespaces. */
export interface NamespaceFilter {
  search: string;
  ownedOnly: boolean;
  topLevelOnly: boolean;
}

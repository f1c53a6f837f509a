/** Sizes in bytes that services measure; null or absent where nothing was measured yet. */
export interface Sizes {
  readonly repository_size?: number | null;
  readonly wiki_size?: number | null;
  readonly snippets_size?: number | null;
  readonly packages_size?: number | null;
  /** Reports of pipelines. */
  readonly reports_size?: number | null;
  /** Avatars, and files that texts link to. */
  readonly uploads_size?: number | null;
}

/** Sizes of a project, and the commits of its default branch. */
export interface ProjectSizes extends Sizes {
  readonly commit_count?: number | null;
}

/** Sizes of the projects of a group, and of a top-level group of all projects below it as well. */
export interface GroupSizes {
  readonly own: Sizes;
  /** Null for subgroups. */
  readonly root: Sizes | null;
}

/** What the owner of some data of a project measured. */
export interface Measurement {
  readonly projectId: number;
  /** Grows with every measurement at its owner. */
  readonly version: number;
  readonly measured:
    | { readonly of: 'repository'; readonly size: number; readonly wikiSize: number; readonly commitCount: number }
    | { readonly of: 'snippets'; readonly size: number }
    | { readonly of: 'reports'; readonly size: number }
    | { readonly of: 'packages'; readonly size: number; readonly uploadsSize: number };
}

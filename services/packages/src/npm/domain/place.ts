/** Where packages are looked for: a project, the projects below a group, or all of them that a viewer may read. */
export type Place =
  | { readonly kind: 'project'; readonly id: number }
  | { readonly kind: 'group'; readonly id: number; readonly viewer: PlaceViewer }
  | { readonly kind: 'instance'; readonly viewer: PlaceViewer };

/** Who looks into a group or the instance. */
export interface PlaceViewer {
  /** 0 for an anonymous caller, and for a deploy token. */
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
  /** Project to which a job token is limited, beside what is public (G-5-13); undefined for no such limit. */
  readonly onlyProject: number | undefined;
}

/** What a search asks for. */
export interface NpmSearch {
  /** Part of a name, in any case. */
  readonly text: string;
  readonly from: number;
  readonly size: number;
}

/** A package that a search found, by its `latest` or newest version. */
export interface NpmFound {
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
  /** What it says of itself: `description`, `keywords`, `maintainers`. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

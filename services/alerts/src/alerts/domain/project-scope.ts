/** The project of a call, and its tier. */
export interface ProjectScope {
  readonly projectId: number;
  /** Licence tier that applies. */
  readonly tier: string;
}

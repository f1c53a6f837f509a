/** The project of a call, and what licence it has. */
export interface ProjectScope {
  readonly projectId: number;
  /** Licence tier that applies. */
  readonly tier: string;
}

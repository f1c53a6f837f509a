/** What is known of a repository before it is measured. */
export interface MeasuredRepository {
  readonly defaultBranch: string;
  readonly commitCount: number;
  /** Head of the default branch whose commits were counted. */
  readonly countedSha: string | undefined;
}

/** What was measured of a repository. */
export interface RepositoryMeasurement {
  /** Bytes on disk. */
  readonly size: number;
  /** The same of the wiki; 0 where there is none. */
  readonly wikiSize: number;
  readonly commitCount: number;
  readonly countedSha: string | undefined;
}

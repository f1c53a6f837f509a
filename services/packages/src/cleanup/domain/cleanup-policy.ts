/** What the packages of a project keep; undefined keeps everything in that respect. */
export interface CleanupPolicy {
  /** Newest files that a package keeps of each name. */
  readonly keepFiles: number | undefined;
  /** Newest versions that are kept of a package, whatever their age. */
  readonly keepVersions: number | undefined;
  /** Days since its last download, or its publication where there was none, after which a version goes. */
  readonly olderThanDays: number | undefined;
}

/** A policy, and when it runs next; undefined for never. */
export interface ScheduledPolicy extends CleanupPolicy {
  readonly nextRunAt: Date | undefined;
}

/** A policy at work. */
export interface RunningPolicy extends CleanupPolicy {
  readonly projectId: number;
  /** Packages up to this id are done in this run. */
  readonly doneUntil: number;
}

/** A package that a policy has removed. */
export interface ExpiredPackage {
  readonly id: number;
  readonly format: string;
  readonly name: string;
}

/** The policy of a project that has none. */
export const noPolicy: ScheduledPolicy = {
  keepFiles: undefined,
  keepVersions: undefined,
  olderThanDays: undefined,
  nextRunAt: undefined,
};

/** Whether a policy has anything removed. */
export const removes = ({ keepFiles, keepVersions, olderThanDays }: CleanupPolicy): boolean =>
  keepFiles !== undefined || keepVersions !== undefined || olderThanDays !== undefined;

/** Whether a policy has versions removed: those beyond the number that are too old, where both are given. */
export const removesVersions = ({ keepVersions, olderThanDays }: CleanupPolicy): boolean =>
  keepVersions !== undefined || olderThanDays !== undefined;

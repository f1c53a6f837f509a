import type { ScheduledPolicy } from '../domain/cleanup-policy';

/** The public policy. */
export const presentCleanupPolicy = (policy: ScheduledPolicy) => ({
  keep_n_duplicated_package_files: policy.keepFiles ?? null,
  keep_n_versions: policy.keepVersions ?? null,
  older_than_days: policy.olderThanDays ?? null,
  next_run_at: policy.nextRunAt ?? null,
});

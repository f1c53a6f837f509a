import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type BranchProtection, defaultProtection } from '../../rules';
import type { DirectoryRowChange } from './directory-change';

type RowOf<C extends DirectoryRowChange['row']['$case']> = Extract<DirectoryRowChange['row'], { $case: C }>['value'];

const change = <C extends DirectoryRowChange['row']['$case']>(
  kind: C,
  value: RowOf<C>,
  deleted: boolean,
): DirectoryRowChange => ({ row: { $case: kind, value } as DirectoryRowChange['row'], deleted });

/** Namespaces as the directory has them, by id. */
export async function namespaceChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  type Columns = RowOf<'namespace'> & { protection: BranchProtection | null };
  const rows = await tx.query<Columns>(sql`
    select id, kind, name, path, full_path as "fullPath", full_name as "fullName", ancestry, visibility,
      coalesce(owner_id, 0) as "ownerId", coalesce(avatar_url, '') as "avatarUrl",
      marked_for_deletion_at is not null as deleting, coalesce(tier, '') as tier,
      settings @> '{"mentions_disabled": true}' as "mentionsDisabled", settings @> '{"emails_enabled": false}' as "emailsDisabled",
      cardinality(ancestry) = 1 and settings ->> 'ip_restriction_ranges' is not null as "addressRestricted",
      settings -> 'default_branch_protection_defaults' as protection
    from namespaces where id = any(${[...ids]}::bigint[]) order by cardinality(ancestry), id`);
  return rows.map(({ protection, ...row }) =>
    change(
      'namespace',
      {
        ...row,
        defaultBranchProtection: row.kind === 'group' ? toProtection(protection ?? defaultProtection) : undefined,
      },
      deleted,
    ),
  );
}

/** The least of the levels; `no one` (0) counts only alone. */
function leastOf(allowed: BranchProtection['allowed_to_push']): number {
  const levels = allowed.map(({ access_level: level }) => level).filter((level) => level > 0);
  return levels.length === 0 ? 0 : Math.min(...levels);
}

const toProtection = (stored: BranchProtection): NonNullable<RowOf<'namespace'>['defaultBranchProtection']> => ({
  pushAccessLevel: leastOf(stored.allowed_to_push),
  mergeAccessLevel: leastOf(stored.allowed_to_merge),
  allowForcePush: stored.allow_force_push,
  developerCanInitialPush: stored.developer_can_initial_push,
});

/** Projects as the directory has them, by id. */
export async function projectChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<Omit<RowOf<'project'>, 'settings'> & NonNullable<RowOf<'project'>['settings']>>(sql`
    select id, namespace_id as "namespaceId", name, path, visibility, default_branch as "defaultBranch", archived,
      marked_for_deletion_at is not null as deleting, coalesce(avatar_url, '') as "avatarUrl",
      coalesce(creator_id, 0) as "creatorId", coalesce(forked_from_project_id, 0) as "forkedFromProjectId",
      coalesce(fork_network_id, 0) as "forkNetworkId", coalesce(repository_origin_id, 0) as "repositoryOriginId",
      coalesce(repository_origin_branch, '') as "repositoryOriginBranch", merge_method as "mergeMethod", squash_option as "squashOption",
      only_allow_merge_if_pipeline_succeeds as "onlyAllowMergeIfPipelineSucceeds",
      allow_merge_on_skipped_pipeline as "allowMergeOnSkippedPipeline",
      only_allow_merge_if_all_discussions_are_resolved as "onlyAllowMergeIfAllDiscussionsAreResolved",
      remove_source_branch_after_merge as "removeSourceBranchAfterMerge",
      merge_requests_access_level <> 'disabled' as "mergeRequestsEnabled",
      merge_requests_access_level as "mergeRequestsAccessLevel",
      issues_access_level <> 'disabled' as "issuesEnabled", issues_access_level as "issuesAccessLevel",
      repository_access_level as "repositoryAccessLevel", coalesce(feature_access_levels ->> 'monitor', 'enabled') as "monitorAccessLevel",
      coalesce(feature_access_levels ->> 'snippets', 'enabled') as "snippetsAccessLevel",
      coalesce(feature_access_levels ->> 'package_registry', 'enabled') as "packageRegistryAccessLevel",
      initialize_with_readme as "initializeWithReadme", coalesce(merge_commit_template, '') as "mergeCommitTemplate",
      coalesce(squash_commit_template, '') as "squashCommitTemplate",
      coalesce(suggestion_commit_message, '') as "suggestionCommitMessage",
      merge_pipelines_enabled and merge_trains_enabled as "mergeTrainsEnabled",
      merge_trains_skip_train_allowed as "mergeTrainsSkipTrainAllowed",
      merge_train_required_statuses as "mergeTrainRequiredStatuses", merge_train_timeout as "mergeTrainTimeout",
      merge_train_parallel_cars as "mergeTrainParallelCars", merge_train_retries as "mergeTrainRetries",
      merge_train_batch_size as "mergeTrainBatchSize", merge_train_required_status_count as "mergeTrainRequiredStatusCount",
      merge_train_settling_seconds as "mergeTrainSettlingSeconds",
      mr_default_target_self as "mrDefaultTargetSelf",
      approvals_before_merge as "approvalsBeforeMerge", merge_requests_author_approval as "mergeRequestsAuthorApproval",
      merge_requests_disable_committers_approval as "mergeRequestsDisableCommittersApproval",
      reset_approvals_on_push as "resetApprovalsOnPush",
      disable_overriding_approvers_per_merge_request as "disableOverridingApproversPerMergeRequest",
      not emails_enabled as "emailsDisabled"
    from projects where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map(
    ({
      id,
      namespaceId,
      name,
      path,
      visibility,
      defaultBranch,
      archived,
      deleting,
      avatarUrl,
      creatorId,
      forkedFromProjectId,
      forkNetworkId,
      repositoryOriginId,
      repositoryOriginBranch,
      ...settings
    }) => {
      const fork = { forkedFromProjectId, forkNetworkId, repositoryOriginId, repositoryOriginBranch };
      const own = { id, namespaceId, name, path, visibility, defaultBranch, archived, deleting, avatarUrl, creatorId };
      return change('project', { ...own, ...fork, settings }, deleted);
    },
  );
}

/** The instance as the directory has it. */
export async function instanceChanges(tx: SqlExecutor): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<RowOf<'instance'>>(sql`select id, tier from instance`);
  return rows.map((row) => change('instance', row, false));
}

/** Memberships as the directory has them, by id. */
export async function membershipChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<Omit<RowOf<'membership'>, 'expiresAt'> & { expiresAt: Date | null }>(sql`
    select id, user_id as "userId", coalesce(namespace_id, 0) as "namespaceId", coalesce(project_id, 0) as "projectId",
      access_level as "accessLevel", expires_at as "expiresAt"
    from memberships where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map((row) => change('membership', { ...row, expiresAt: row.expiresAt ?? undefined }, deleted));
}

/** Shares as the directory has them, by id. */
export async function shareChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<Omit<RowOf<'share'>, 'expiresAt'> & { expiresAt: Date | null }>(sql`
    select id, coalesce(namespace_id, 0) as "namespaceId", coalesce(project_id, 0) as "projectId", group_id as "groupId",
      access_level as "accessLevel", expires_at as "expiresAt"
    from group_shares where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map((row) => change('share', { ...row, expiresAt: row.expiresAt ?? undefined }, deleted));
}

/** Labels as the directory has them, by id. */
export async function labelChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<Omit<RowOf<'label'>, 'priority'> & { priority: number | null }>(sql`
    select l.id, coalesce(l.project_id, 0) as "projectId", coalesce(l.namespace_id, 0) as "namespaceId", l.title, l.color,
      coalesce(l.description, '') as description, rank.priority
    from labels l left join label_priorities rank on rank.label_id = l.id and rank.project_id = l.project_id
    where l.id = any(${[...ids]}::bigint[]) order by l.id`);
  return rows.map((row) => change('label', { ...row, priority: row.priority ?? undefined }, deleted));
}

/** Milestones as the directory has them, by id. */
export async function milestoneChanges(
  tx: SqlExecutor,
  ids: readonly number[],
  deleted = false,
): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<RowOf<'milestone'>>(sql`
    select id, iid, coalesce(project_id, 0) as "projectId", coalesce(namespace_id, 0) as "namespaceId", title, description,
      state, coalesce(due_date::text, '') as "dueDate", coalesce(start_date::text, '') as "startDate",
      created_at as "createdAt", updated_at as "updatedAt"
    from milestones where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map((row) => change('milestone', row, deleted));
}

import type { SqlExecutor } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';

type Entity = NonNullable<DirectoryRow['entity']>;
type Kind = Entity['$case'];
type Columns = Record<string, unknown>;

/** A row on its way into the replica. */
export interface IncomingRow {
  row: DirectoryRow | undefined;
  deleted: boolean;
}

// The wire knows neither null nor undefined: 0 and '' mean "none".
const id = (value: number): number | null => (value === 0 ? null : value);
const text = (value: string): string | null => (value === '' ? null : value);

const columnsOf: { [K in Kind]: (value: Extract<Entity, { $case: K }>['value']) => Columns } = {
  user: (user) => ({
    id: user.id,
    username: user.username,
    name: user.name,
    state: user.state,
    avatar_url: text(user.avatarUrl),
    public_email: text(user.publicEmail),
    commit_email: text(user.commitEmail),
    email: text(user.email),
    admin: user.admin,
    external: user.external,
    private_profile: user.privateProfile,
    confirmed_emails: user.confirmedEmails,
    bot: user.bot,
    kind: user.kind,
    ghost_id: id(user.ghostId),
    created_at: user.createdAt ?? null,
  }),
  namespace: (namespace) => ({
    id: namespace.id,
    kind: namespace.kind,
    name: namespace.name,
    path: namespace.path,
    full_path: namespace.fullPath,
    full_name: namespace.fullName,
    ancestry: namespace.ancestry,
    visibility: namespace.visibility,
    owner_id: id(namespace.ownerId),
    avatar_url: text(namespace.avatarUrl),
    deleting: namespace.deleting,
    tier: text(namespace.tier),
    mentions_disabled: namespace.mentionsDisabled,
    default_branch_protection: namespace.defaultBranchProtection ?? null,
    emails_disabled: namespace.emailsDisabled,
    address_restricted: namespace.addressRestricted,
  }),
  project: (project) => ({
    id: project.id,
    namespace_id: project.namespaceId,
    name: project.name,
    path: project.path,
    visibility: project.visibility,
    default_branch: text(project.defaultBranch),
    archived: project.archived,
    deleting: project.deleting,
    avatar_url: text(project.avatarUrl),
    creator_id: id(project.creatorId),
    forked_from_project_id: id(project.forkedFromProjectId),
    fork_network_id: id(project.forkNetworkId),
    repository_origin_id: id(project.repositoryOriginId),
    repository_origin_branch: text(project.repositoryOriginBranch),
    mr_default_target_self: project.settings?.mrDefaultTargetSelf ?? false,
    merge_method: project.settings?.mergeMethod || 'merge',
    squash_option: project.settings?.squashOption || 'default_off',
    only_allow_merge_if_pipeline_succeeds: project.settings?.onlyAllowMergeIfPipelineSucceeds ?? false,
    allow_merge_on_skipped_pipeline: project.settings?.allowMergeOnSkippedPipeline ?? false,
    only_allow_merge_if_all_discussions_are_resolved:
      project.settings?.onlyAllowMergeIfAllDiscussionsAreResolved ?? false,
    remove_source_branch_after_merge: project.settings?.removeSourceBranchAfterMerge ?? false,
    merge_requests_enabled: project.settings?.mergeRequestsEnabled ?? true,
    merge_requests_access_level: project.settings?.mergeRequestsAccessLevel || 'enabled',
    issues_enabled: project.settings?.issuesEnabled ?? true,
    issues_access_level: project.settings?.issuesAccessLevel || 'enabled',
    repository_access_level: project.settings?.repositoryAccessLevel || 'enabled',
    monitor_access_level: project.settings?.monitorAccessLevel || 'enabled',
    snippets_access_level: project.settings?.snippetsAccessLevel || 'enabled',
    package_registry_access_level: project.settings?.packageRegistryAccessLevel || 'enabled',
    initialize_with_readme: project.settings?.initializeWithReadme ?? false,
    merge_commit_template: text(project.settings?.mergeCommitTemplate ?? ''),
    squash_commit_template: text(project.settings?.squashCommitTemplate ?? ''),
    suggestion_commit_message: text(project.settings?.suggestionCommitMessage ?? ''),
    merge_trains_enabled: project.settings?.mergeTrainsEnabled ?? false,
    merge_trains_skip_train_allowed: project.settings?.mergeTrainsSkipTrainAllowed ?? false,
    merge_train_required_statuses: project.settings?.mergeTrainRequiredStatuses ?? [],
    merge_train_timeout: project.settings?.mergeTrainTimeout || 60,
    merge_train_parallel_cars: project.settings?.mergeTrainParallelCars || 20,
    merge_train_retries: project.settings?.mergeTrainRetries ?? 1,
    merge_train_batch_size: project.settings?.mergeTrainBatchSize || 4,
    merge_train_required_status_count: project.settings?.mergeTrainRequiredStatusCount ?? 0,
    merge_train_settling_seconds: project.settings?.mergeTrainSettlingSeconds ?? 2,
    approvals_before_merge: project.settings?.approvalsBeforeMerge ?? 0,
    merge_requests_author_approval: project.settings?.mergeRequestsAuthorApproval ?? false,
    merge_requests_disable_committers_approval: project.settings?.mergeRequestsDisableCommittersApproval ?? false,
    reset_approvals_on_push: project.settings?.resetApprovalsOnPush ?? true,
    disable_overriding_approvers_per_merge_request:
      project.settings?.disableOverridingApproversPerMergeRequest ?? false,
    emails_disabled: project.settings?.emailsDisabled ?? false,
  }),
  membership: (membership) => ({
    id: membership.id,
    user_id: membership.userId,
    namespace_id: id(membership.namespaceId),
    project_id: id(membership.projectId),
    access_level: membership.accessLevel,
    expires_at: membership.expiresAt ?? null,
  }),
  share: (share) => ({
    id: share.id,
    namespace_id: id(share.namespaceId),
    project_id: id(share.projectId),
    group_id: share.groupId,
    access_level: share.accessLevel,
    expires_at: share.expiresAt ?? null,
  }),
  label: (label) => ({
    id: label.id,
    project_id: id(label.projectId),
    namespace_id: id(label.namespaceId),
    title: label.title,
    color: label.color,
    description: text(label.description),
    priority: label.priority ?? null,
  }),
  milestone: (milestone) => ({
    id: milestone.id,
    iid: milestone.iid,
    project_id: id(milestone.projectId),
    namespace_id: id(milestone.namespaceId),
    title: milestone.title,
    description: text(milestone.description),
    state: milestone.state,
    due_date: text(milestone.dueDate),
    start_date: text(milestone.startDate),
    created_at: milestone.createdAt ?? null,
    updated_at: milestone.updatedAt ?? null,
  }),
  instance: (instance) => ({ id: instance.id, tier: instance.tier }),
};

/** Table of each kind of row. */
export const tables: Record<Kind, string> = {
  user: 'users',
  namespace: 'namespaces',
  project: 'projects',
  membership: 'memberships',
  share: 'shares',
  label: 'labels',
  milestone: 'milestones',
  instance: 'instance',
};

/** Rows one statement writes at most: keeps the JSON parameter of a batch in the low megabytes. */
const statementRows = 5_000;

/**
 * Writes rows into the tables of `schema`, the last state of each row winning: one statement per table and 5,000 rows.
 * Deleted rows stay as tombstones; a row that comes again is alive again.
 */
export async function writeRows(tx: SqlExecutor, schema: string, incoming: readonly IncomingRow[]): Promise<void> {
  const byTable = new Map<string, Map<number, Columns>>();
  const now = new Date();
  for (const { row, deleted } of incoming) {
    // A kind of row this version does not know: a newer groups-admin, whose readers of that kind are newer as well.
    if (row?.entity === undefined) continue;
    const { $case, value } = row.entity;
    const columns = (columnsOf[$case] as (value: unknown) => Columns)(value);
    // A snapshot has no mark of deletion; the tombstone of a user is known by the ghost it points at.
    columns.deleted_at = deleted || columns.ghost_id ? now : null;
    const rows = byTable.get(tables[$case]) ?? new Map<number, Columns>();
    rows.set(value.id, columns);
    byTable.set(tables[$case], rows);
  }
  for (const [table, rows] of byTable) {
    const all = [...rows.values()];
    const names = Object.keys(all[0] ?? {});
    const target = raw(`${schema}.${table}`);
    const changed = raw(
      names
        .filter((name) => name !== 'id')
        .map((name) => `${name} = excluded.${name}`)
        .join(', '),
    );
    for (let start = 0; start < all.length; start += statementRows) {
      const json = JSON.stringify(all.slice(start, start + statementRows));
      await tx.query(sql`
        insert into ${target} (${raw(names.join(', '))})
        select ${raw(names.join(', '))} from json_populate_recordset(null::${target}, ${json}::json)
        on conflict (id) do update set ${changed}`);
    }
  }
}

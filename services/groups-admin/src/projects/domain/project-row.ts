import type { CustomAttribute } from '../../custom-attributes';
import type { Visibility } from '../../rules';
import type { SharedGroup } from '../../shares';
import type { ProjectSizes } from '../../statistics';
import type { ProjectChange } from './project';

/** A project with its namespace and the viewer's memberships, as it is printed. */
export interface ProjectRow {
  id: number;
  namespace_id: number;
  creator_id: number | null;
  name: string;
  path: string;
  description: string | null;
  visibility: Visibility;
  default_branch: string;
  avatar_url: string | null;
  topics: string[];
  archived: boolean;
  marked_for_deletion_at: Date | null;
  /** At the root of the default branch; null when there is none. */
  readme_path: string | null;
  merge_method: string;
  squash_option: string;
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  remove_source_branch_after_merge: boolean;
  merge_pipelines_enabled: boolean;
  merge_trains_enabled: boolean;
  merge_trains_skip_train_allowed: boolean;
  merge_train_required_statuses: string[];
  merge_train_timeout: number;
  merge_train_parallel_cars: number;
  merge_train_retries: number;
  merge_train_batch_size: number;
  merge_train_required_status_count: number;
  merge_train_settling_seconds: number;
  merge_commit_template: string | null;
  squash_commit_template: string | null;
  suggestion_commit_message: string | null;
  resolve_outdated_diff_discussions: boolean;
  autoclose_referenced_issues: boolean;
  approvals_before_merge: number;
  merge_requests_author_approval: boolean;
  merge_requests_disable_committers_approval: boolean;
  reset_approvals_on_push: boolean;
  disable_overriding_approvers_per_merge_request: boolean;
  issues_access_level: string;
  merge_requests_access_level: string;
  repository_access_level: string;
  /** Of `forking`, `monitor`, `package_registry` and `snippets`; other features, which nothing is behind, do not count. */
  feature_access_levels: Record<string, string>;
  request_access_enabled: boolean;
  emails_enabled: boolean;
  /** Merge requests from a fork go into itself where nothing else is said. */
  mr_default_target_self: boolean;
  /** Project it is a fork of; null for none. */
  forked_from_project_id: number | null;
  star_count: number;
  /** Forks that are not marked for deletion. */
  forks_count: number;
  /** The project it is a fork of, where the viewer sees that; read with single projects and lists alike. */
  forked_from: ForkedFromRow | null;
  import_status: 'none' | ImportStatus;
  import_error: string | null;
  /** Kind of the forge that it came from; null where it did not. */
  import_type: string | null;
  /** What that forge calls the repository. */
  import_source: string | null;
  open_issues_count: number;
  last_activity_at: Date;
  created_at: Date;
  updated_at: Date;
  namespace_name: string;
  namespace_path: string;
  namespace_kind: 'group' | 'user';
  namespace_full_path: string;
  namespace_full_name: string;
  namespace_parent_id: number | null;
  namespace_avatar_url: string | null;
  tier: string | null;
  owner_id: number | null;
  owner_username: string | null;
  owner_name: string | null;
  owner_state: string | null;
  owner_avatar_url: string | null;
  owner_public_email: string | null;
  owner_created_at: Date | null;
  /** Level of the viewer's own membership in the project. */
  project_level: number | null;
  /** Highest level of the viewer in the groups above. */
  group_level: number | null;
  /** Groups it is shared with, those the viewer sees. */
  shared_with_groups: SharedGroup[];
  /** Effective level of the viewer, by memberships and shares; null for none. */
  level: number | null;
  /** Present where they were requested; null below the role Reporter. */
  sizes?: ProjectSizes | null;
  custom_attributes?: CustomAttribute[];
}

/** Columns that the short form of a project shows. */
export type SimpleProjectRow = Pick<
  ProjectRow,
  | 'id'
  | 'description'
  | 'name'
  | 'path'
  | 'default_branch'
  | 'topics'
  | 'readme_path'
  | 'forks_count'
  | 'avatar_url'
  | 'star_count'
  | 'visibility'
  | 'namespace_id'
  | 'namespace_name'
  | 'namespace_path'
  | 'namespace_kind'
  | 'namespace_full_path'
  | 'namespace_full_name'
  | 'namespace_parent_id'
  | 'namespace_avatar_url'
> & { readonly created_at: Date | string; readonly last_activity_at: Date | string };

/** The short form of the project that another one is a fork of; it comes as JSON, so its times are texts. */
export type ForkedFromRow = SimpleProjectRow & { readonly created_at: string; readonly last_activity_at: string };

/** What is read of projects on request. */
export interface ProjectExtras {
  readonly statistics: boolean;
  /** For administrators. */
  readonly customAttributes: boolean;
}

/** A namespace as far as a project in it is concerned. */
export interface LockedNamespace {
  id: number;
  kind: 'group' | 'user';
  visibility: Visibility;
  owner_id: number | null;
  full_path: string;
  project_creation_level: string | null;
  default_branch: string | null;
  /** Licence tier of the top-level group when it has its own (G-13-16). */
  tier: string | null;
  /** Effective level of the requested user; 50 in their own namespace. */
  level: number;
  /** Hidden because it, or a group above it, is marked for deletion. */
  deleting: boolean;
  /** True when the user belongs to a group or project below. */
  member_below: boolean;
  /** A user's namespace that holds as many projects as its owner may have. */
  full: boolean;
}

/** Which projects a list holds; an absent field does not restrict it. */
export interface ProjectFilter {
  /** `shared`: what is shared with the group itself; `without` when absent. */
  group?: { id: number; below: boolean; above: boolean; shared?: 'with' | 'without' | 'only' };
  /** Owner of the namespace. */
  ownerId?: number;
  archived?: boolean;
  visibility?: string;
  search?: string;
  /** `search` includes the full path. */
  searchNamespaces?: boolean;
  membership?: boolean;
  starred?: boolean;
  /** User who starred them; nothing where the viewer may not see their profile. */
  starredBy?: number;
  /** Least level of the viewer. */
  minLevel?: number;
  withIssues?: boolean;
  withMergeRequests?: boolean;
  /** Names, all of which the project has. */
  topics?: string[];
  topicId?: number;
  idAfter?: number;
  idBefore?: number;
  lastActivityAfter?: Date;
  lastActivityBefore?: Date;
  updatedAfter?: Date;
  updatedBefore?: Date;
  active?: boolean;
  /** Projects that were marked for deletion on this day (`YYYY-MM-DD`, UTC) and that the viewer may restore. */
  markedOn?: string;
  repositoryStorage?: string;
  /** The project of which they are forks. */
  forksOf?: number;
  /** Values by key that the projects have. */
  customAttributes?: Record<string, string>;
}

/** A project under its lock. */
export interface LockedProject {
  namespace_id: number;
  name: string;
  path: string;
  visibility: Visibility;
  full_path: string;
  /** Licence tier of the top-level group when it has its own (G-13-16). */
  tier: string | null;
  marked_for_deletion_at: Date | null;
  /** Of the project that it is a fork of. */
  source_visibility: Visibility | null;
}

/** A project to insert. */
export interface NewProject extends ProjectChange {
  namespace_id: number;
  creator_id: number;
  initialize_with_readme: boolean;
  readme_path: string | undefined;
  /** Of a fork. */
  forked_from_project_id?: number;
  fork_network_id?: number;
  repository_origin_id?: number;
  /** The only branch that is copied. */
  repository_origin_branch?: string | undefined;
  import_status?: 'scheduled';
  /** Of an import. */
  import_key?: string;
  import_type?: string;
  import_source?: string;
}

/** How an import stands (G-3-4). */
export type ImportStatus = 'scheduled' | 'started' | 'finished' | 'failed' | 'canceled';

/** What a project records of a push. */
export interface PushRecord {
  readonly at: Date;
  /** The README of the default branch, `now` undefined for none; undefined for a push of another ref. */
  readonly readmePath: { readonly now: string | undefined } | undefined;
}

import { forbidden } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { displayTextProblems } from '@switchyard/texts';
import {
  branchNameProblems,
  isWider,
  lengthProblems,
  nameProblems,
  note,
  type Problems,
  pathProblems,
  type Visibility,
} from '../../rules';

/** Columns of a project that its Maintainers set, by column; an absent one keeps its value. */
export interface ProjectChange {
  name?: string;
  path?: string;
  description?: string | null;
  visibility?: Visibility;
  default_branch?: string;
  /** Names, in their order; no column, but rows of their own. */
  topics?: string[];
  merge_method?: string;
  squash_option?: string;
  only_allow_merge_if_pipeline_succeeds?: boolean;
  allow_merge_on_skipped_pipeline?: boolean;
  only_allow_merge_if_all_discussions_are_resolved?: boolean;
  remove_source_branch_after_merge?: boolean;
  merge_pipelines_enabled?: boolean;
  merge_trains_enabled?: boolean;
  merge_trains_skip_train_allowed?: boolean;
  /** Empty: every status name of an entry's pipeline counts. */
  merge_train_required_statuses?: string[];
  /** Minutes. */
  merge_train_timeout?: number;
  merge_train_parallel_cars?: number;
  merge_train_retries?: number;
  merge_train_batch_size?: number;
  /** 0: not used. */
  merge_train_required_status_count?: number;
  /** Seconds. */
  merge_train_settling_seconds?: number;
  merge_commit_template?: string | null;
  squash_commit_template?: string | null;
  suggestion_commit_message?: string | null;
  resolve_outdated_diff_discussions?: boolean;
  autoclose_referenced_issues?: boolean;
  approvals_before_merge?: number;
  merge_requests_author_approval?: boolean;
  merge_requests_disable_committers_approval?: boolean;
  reset_approvals_on_push?: boolean;
  disable_overriding_approvers_per_merge_request?: boolean;
  issues_access_level?: string;
  merge_requests_access_level?: string;
  repository_access_level?: string;
  /** Levels of the features without a column, `forking`, `monitor`, `package_registry` and `snippets`; merged into those that are set. */
  feature_access_levels?: Record<string, string>;
  request_access_enabled?: boolean;
  emails_enabled?: boolean;
  mr_default_target_self?: boolean;
}

/** The namespace of a project as far as rules depend on it. */
export interface ProjectNamespace {
  kind: 'group' | 'user';
  visibility: Visibility;
  projectCreationLevel: string;
}

const creationLevels: Record<string, number> = {
  developer: levels.developer,
  maintainer: levels.maintainer,
  owner: levels.owner,
};

/**
 * Whether an actor may make projects in a namespace (G-2-33): `noone` keeps administrators out as well, `administrator`
 * all others.
 */
export function allowsProjects(actor: { admin: boolean; level: number }, namespace: ProjectNamespace): boolean {
  if (namespace.kind === 'group' && namespace.projectCreationLevel === 'noone') return false;
  if (actor.admin) return true;
  const needed = namespace.kind === 'user' ? levels.owner : creationLevels[namespace.projectCreationLevel];
  return needed !== undefined && actor.level >= needed;
}

/** @throws AppError forbidden where `allowsProjects` is false */
export function mayCreateProject(actor: { admin: boolean; level: number }, namespace: ProjectNamespace): void {
  if (!allowsProjects(actor, namespace)) throw forbidden();
}

const licensed = [
  'approvals_before_merge',
  'merge_requests_author_approval',
  'merge_requests_disable_committers_approval',
  'reset_approvals_on_push',
  'disable_overriding_approvers_per_merge_request',
  'merge_pipelines_enabled',
  'merge_trains_enabled',
  'merge_trains_skip_train_allowed',
  'merge_train_required_statuses',
  'merge_train_timeout',
  'merge_train_parallel_cars',
  'merge_train_retries',
  'merge_train_batch_size',
  'merge_train_required_status_count',
  'merge_train_settling_seconds',
] as const satisfies (keyof ProjectChange)[];

/**
 * A change without what the tier does not have: such attributes are ignored, neither stored nor found wrong (G-13-16).
 */
export function withinTier(change: ProjectChange, tier: string): ProjectChange {
  if (tier !== 'free') return change;
  const within = { ...change };
  for (const attribute of licensed) delete within[attribute];
  return within;
}

/** Most status names that a project may require of an entry of a merge train. */
const maxStatuses = 50;
const maxStatusName = 255;

function statusProblems(names: readonly string[] | undefined): string[] {
  if (names === undefined) return [];
  const problems: string[] = [];
  if (names.some((name) => name.trim() === '')) problems.push("can't contain a blank name");
  if (names.some((name) => [...name].length > maxStatusName))
    problems.push(`contains a name that is too long (maximum is ${maxStatusName} characters)`);
  if (names.length > maxStatuses) problems.push(`is too long (maximum is ${maxStatuses} entries)`);
  if (new Set(names).size < names.length) problems.push('contains duplicates');
  return problems;
}

/** Least and most of each number of a project's merge trains (D8). */
const trainRanges = [
  ['merge_train_timeout', 1, 1_440],
  ['merge_train_parallel_cars', 1, 100],
  ['merge_train_retries', 0, 3],
  ['merge_train_batch_size', 1, 10],
  ['merge_train_required_status_count', 0, 100],
  ['merge_train_settling_seconds', 0, 600],
] as const;

const rangeProblems = (value: number | undefined, least: number, most: number): string[] =>
  value !== undefined && (value < least || value > most) ? [`must be between ${least} and ${most}`] : [];

/** Most approvals that a merge request can need. */
const maxApprovals = 100;

/** A project of such a path would have the Git address of another one's wiki (ADR 82). */
const wikiProblems = (path: string): string[] =>
  /\.wiki$/i.test(path) ? ["cannot end in '.wiki', as the Git addresses of wikis do"] : [];

/** What is wrong with a new or changed project in its namespace. */
export function projectProblems(change: ProjectChange, namespace: ProjectNamespace): Problems {
  const problems: Problems = {};
  if (change.name !== undefined) note(problems, 'name', nameProblems(change.name));
  if (change.path !== undefined)
    note(problems, 'path', [...pathProblems(change.path, { atTop: false }), ...wikiProblems(change.path)]);
  note(problems, 'description', lengthProblems(change.description ?? undefined, 2_000));
  if (
    namespace.kind === 'group' &&
    change.visibility !== undefined &&
    isWider(change.visibility, namespace.visibility)
  ) {
    note(problems, 'visibility_level', [`${change.visibility} is not allowed in a ${namespace.visibility} group.`]);
  }
  note(problems, 'default_branch', branchNameProblems(change.default_branch));
  note(problems, 'topics', [...new Set(change.topics?.flatMap((topic) => displayTextProblems(topic)))]);
  note(problems, 'merge_train_required_statuses', statusProblems(change.merge_train_required_statuses));
  for (const [attribute, least, most] of trainRanges) {
    note(problems, attribute, rangeProblems(change[attribute], least, most));
  }
  note(problems, 'approvals_before_merge', rangeProblems(change.approvals_before_merge, 0, maxApprovals));
  note(problems, 'merge_commit_template', lengthProblems(change.merge_commit_template ?? undefined, 500));
  note(problems, 'squash_commit_template', lengthProblems(change.squash_commit_template ?? undefined, 500));
  note(problems, 'suggestion_commit_message', lengthProblems(change.suggestion_commit_message ?? undefined, 255));
  return problems;
}

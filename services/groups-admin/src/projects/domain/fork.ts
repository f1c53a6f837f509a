import { AppError, conflict, forbidden, invalid, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { isVisible, type Viewer } from '../../directory';
import { branchNameProblems, isWider, note, taken, type Visibility } from '../../rules';
import { allowsProjects, projectProblems } from './project';
import { isNamespaceVisible, type ProjectCreation, type ProjectFacts, toRules } from './project-change';
import type { NewProject } from './project-row';

/** A project that is to be forked, as one user finds it. */
export interface ForkSource {
  id: number;
  name: string;
  path: string;
  description: string | null;
  visibility: Visibility;
  default_branch: string;
  repository_access_level: string;
  issues_access_level: string;
  merge_requests_access_level: string;
  feature_access_levels: Record<string, string>;
  forked_from_project_id: number | null;
  fork_network_id: number | null;
  /** Effective level of the user. */
  level: number;
  /** Hidden because it, or a group above it, is marked for deletion. */
  deleting: boolean;
}

/** What is said of a new fork; the rest follows from its source. */
export interface ForkSettings {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
  /** The only branch to copy; it becomes the default branch. */
  readonly branch?: string | undefined;
  /** Merge requests from it go into itself where nothing else is said. */
  readonly mrDefaultTargetSelf?: boolean | undefined;
}

/** What is locked and read for a new fork. */
export interface ForkFacts extends ProjectFacts {
  readonly source: ForkSource | undefined;
}

/** What is locked and read for a relation between two projects that are there. */
export interface RelationFacts {
  readonly project: { readonly id: number; readonly forked_from_project_id: number | null };
  readonly source: ForkSource | undefined;
  /** The source descends from the project. */
  readonly descends: boolean;
}

/** How the copy of a repository ended. */
export interface RecordedCopy {
  /** Why it was not copied; undefined when it was. */
  readonly error: string | undefined;
  readonly readmePath: string | undefined;
  /** The default branch of the copy where `missing`, the one of the project, is not there. */
  readonly defaultBranch?: { readonly name: string; readonly missing: string } | undefined;
}

/** True when a feature of the project is open to a user of this level. */
const isOpen = (access: string | undefined, level: number, { admin }: Viewer): boolean =>
  access !== 'disabled' && (access !== 'private' || admin || level >= levels.guest);

const isSeen = ({ deleting, visibility, level }: ForkSource, actor: Viewer): boolean =>
  !deleting && isVisible({ visibility, level, memberBelow: false }, actor);

/** Whether a user who sees the project may fork it: who reads its code may, unless forking is closed to them. */
const mayFork = (source: ForkSource, actor: Viewer): boolean =>
  (actor.admin || source.visibility !== 'private' || source.level >= levels.reporter) &&
  isOpen(source.repository_access_level, source.level, actor) &&
  isOpen(source.feature_access_levels.forking, source.level, actor);

const narrowest = (...visibilities: readonly (Visibility | undefined)[]): Visibility =>
  visibilities
    .filter((visibility) => visibility !== undefined)
    .reduce((least, visibility) => (isWider(least, visibility) ? visibility : least), 'public');

/**
 * Makes a fork. It has the access levels of its source's features, so that code for members alone is not for others in
 * the fork.
 * @param branchMissing the branch that alone is to be copied is not in the source
 * @throws AppError not_found when the actor may not fork the project, or not create projects in the namespace, as in
 *   GitLab; forbidden at the limit of projects; conflict for a taken name or path, invalid for other problems
 */
export function decideFork(
  {
    actor,
    settings,
    branchMissing = false,
  }: { readonly actor: Viewer; readonly settings: ForkSettings; readonly branchMissing?: boolean },
  { source, namespace, conflicts }: ForkFacts,
): ProjectCreation {
  if (source === undefined || !isSeen(source, actor)) throw notFound('Project');
  if (!mayFork(source, actor)) throw notFound();
  if (namespace === undefined || !isNamespaceVisible(namespace, actor)) throw notFound('Target Namespace');
  const target = toRules(namespace);
  if (!allowsProjects({ admin: actor.admin, level: namespace.level }, target)) throw notFound('Target Namespace');
  if (namespace.full && !actor.admin) throw forbidden('Your project limit has been reached.');
  const { id, feature_access_levels, issues_access_level, merge_requests_access_level, repository_access_level } =
    source;
  const outer = namespace.kind === 'group' ? namespace.visibility : 'public';
  const project: NewProject = {
    name: settings.name ?? source.name,
    path: settings.path ?? source.path,
    description: settings.description ?? source.description,
    visibility: narrowest(settings.visibility, source.visibility, outer),
    default_branch: settings.branch ?? source.default_branch,
    feature_access_levels,
    issues_access_level,
    merge_requests_access_level,
    repository_access_level,
    mr_default_target_self: settings.mrDefaultTargetSelf ?? false,
    namespace_id: namespace.id,
    creator_id: actor.userId,
    initialize_with_readme: false,
    readme_path: undefined,
    forked_from_project_id: id,
    fork_network_id: source.fork_network_id ?? id,
    repository_origin_id: id,
    repository_origin_branch: settings.branch,
    import_status: 'scheduled',
  };
  const { default_branch: _, ...named } = project;
  const problems = projectProblems(named, target);
  note(problems, 'branches', branchMissing ? ['does not exist'] : branchNameProblems(settings.branch));
  if (conflicts.name) note(problems, 'name', [taken]);
  if (conflicts.path) note(problems, 'path', [taken]);
  if (conflicts.name || conflicts.path) throw new AppError('conflict', { message: problems });
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return { project, ownerId: namespace.owner_id ?? undefined };
}

/**
 * Makes a project a fork of another one; returns the network that both belong to then.
 * @throws AppError not_found, forbidden for the source; conflict for a fork; invalid for a circle
 */
export function decideRelation(actor: Viewer, { project, source, descends }: RelationFacts): { networkId: number } {
  if (source === undefined || !isSeen(source, actor)) throw notFound('Project');
  if (!mayFork(source, actor)) throw forbidden();
  if (project.forked_from_project_id !== null) throw conflict('Project already forked');
  if (source.id === project.id) throw invalid({ forked_from_project_id: ["can't be the project itself"] });
  if (descends) throw invalid({ forked_from_project_id: ["can't be a fork of the project"] });
  return { networkId: source.fork_network_id ?? source.id };
}

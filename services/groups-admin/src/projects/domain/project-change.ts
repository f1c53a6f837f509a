import { badRequest, forbidden, invalid, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import { type AvatarChange, avatarProblems, type StoredAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import { isPaid, isWider, note, pathFromName, refuse, taken, type Visibility } from '../../rules';
import { mayCreateProject, type ProjectChange, type ProjectNamespace, projectProblems, withinTier } from './project';
import type { LockedNamespace, LockedProject, NewProject } from './project-row';

/** Which of a name and a path the namespace has already: in projects and, for the path, in groups. */
export interface NameConflicts {
  readonly name: boolean;
  readonly path: boolean;
}

/** A project to create. */
export interface CreateProject {
  readonly actor: Viewer;
  /** User for whom it is created. */
  readonly creatorId: number;
  readonly initializeWithReadme: boolean;
  readonly settings: ProjectChange & { readonly name: string; readonly path: string };
  /** Tier of the instance. */
  readonly tier: string;
  /** What a project gets that says nothing else. */
  readonly defaults: { readonly visibility: Visibility; readonly branch: string };
  readonly avatar?: AvatarChange | undefined;
}

/** The result of the creation of a project. */
export interface ProjectCreation {
  readonly project: NewProject;
  /** Owner of the namespace: becomes an Owner of the project, as the Owner of a group is through the group. */
  readonly ownerId: number | undefined;
}

/** What a decision about a project may depend on besides the project. */
export interface ProjectFacts {
  /** The namespace of the project, or the one it moves to; undefined when there is none, or none was requested. */
  readonly namespace: LockedNamespace | undefined;
  readonly conflicts: NameConflicts;
}

/** Which project changes, and what is locked and read for the decision. */
export interface ProjectChangeRequest {
  readonly id: number;
  readonly actorId: number;
  /**
   * A namespace to lock before the project, as when a project is created: it guards the names in it and how visible
   * they may be. `own`: where the project was read; if it has moved since, its new namespace is locked too.
   */
  readonly namespace?: { readonly kind: 'own' | 'target'; readonly id: number };
  /** The new name and path, for `ProjectFacts.conflicts`; a project that moves takes its own along. */
  readonly names?: { readonly name?: string | undefined; readonly path?: string | undefined };
  /** Set or, with null, removed with the change. */
  readonly avatar?: StoredAvatar | null | undefined;
  /** Refuses the change when the project changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/** The result of a change of a project. */
export type ProjectDecision =
  /** With `redirects`, the full path that the project had redirects to it (G-1-7). */
  | {
      readonly kind: 'changed';
      /** Of an archive, `archived` and `created_at` as well. */
      readonly change: ProjectChange & {
        readonly archived?: boolean | undefined;
        readonly created_at?: Date | undefined;
      };
      readonly redirects: boolean;
    }
  | { readonly kind: 'moved'; readonly namespaceId: number; readonly ownerId: number | undefined }
  | { readonly kind: 'archived'; readonly archived: boolean }
  /**
   * Marked: hidden at once, purged by the job once the delay has passed (D5). `purgesNow`: without a delay, and no one
   * can restore the project.
   */
  | { readonly kind: 'deleted'; readonly purgesNow: boolean }
  | { readonly kind: 'restored' };

/** Whether an actor sees a namespace. */
export const isNamespaceVisible = (namespace: LockedNamespace, actor: Viewer): boolean =>
  !namespace.deleting &&
  (actor.admin ||
    namespace.kind === 'user' ||
    namespace.level > 0 ||
    namespace.member_below ||
    namespace.visibility === 'public' ||
    (namespace.visibility === 'internal' && !actor.external));

/** The namespace as far as rules of projects depend on it. */
export const toRules = (namespace: LockedNamespace): ProjectNamespace => ({
  kind: namespace.kind,
  visibility: namespace.visibility,
  projectCreationLevel: namespace.project_creation_level ?? 'developer',
});

/**
 * @throws AppError not_found when the actor does not see the namespace; forbidden when they may not create projects
 * there
 */
function requireNamespace(namespace: LockedNamespace | undefined, actor: Viewer): LockedNamespace {
  if (namespace === undefined || !isNamespaceVisible(namespace, actor)) throw notFound('Namespace');
  mayCreateProject({ admin: actor.admin, level: namespace.level }, toRules(namespace));
  return namespace;
}

function refuseProblems(
  change: ProjectChange,
  namespace: LockedNamespace,
  conflicts: NameConflicts,
  avatar: AvatarChange | undefined,
  widerThanSource?: Visibility,
): void {
  const problems = projectProblems(change, toRules(namespace));
  if (widerThanSource !== undefined)
    note(problems, 'visibility_level', [
      `${widerThanSource} is not allowed since the fork source project has lower visibility.`,
    ]);
  if (conflicts.name) note(problems, 'name', [taken]);
  if (conflicts.path) note(problems, 'path', [taken]);
  note(problems, 'avatar', avatarProblems(avatar));
  refuse(problems);
}

/** Settings of a new project with its name and path: one that is missing follows from the other. */
export function withNames(settings: ProjectChange): CreateProject['settings'] {
  const name = displayText(settings.name ?? '') || settings.path || '';
  return { ...settings, name, path: settings.path || pathFromName(name) };
}

/** The default of the instance, but no wider than the group. */
const defaultVisibility = (visibility: Visibility, { kind, visibility: outer }: LockedNamespace): Visibility =>
  kind === 'group' && isWider(visibility, outer) ? outer : visibility;

/**
 * Creates a project.
 * @throws AppError not_found, forbidden for the namespace; forbidden at the limit of projects; invalid with all
 * problems
 */
export function decideCreate(
  { actor, creatorId, initializeWithReadme, settings: given, tier, defaults, avatar }: CreateProject,
  { namespace: found, conflicts }: ProjectFacts,
): ProjectCreation {
  const namespace = requireNamespace(found, actor);
  const settings: ProjectChange = {
    ...withinTier(given, namespace.tier ?? tier),
    visibility: given.visibility ?? defaultVisibility(defaults.visibility, namespace),
    default_branch: given.default_branch || namespace.default_branch || defaults.branch,
  };
  if (namespace.full && !actor.admin) throw forbidden('Your project limit has been reached.');
  refuseProblems(settings, namespace, conflicts, avatar);
  return {
    project: {
      ...settings,
      namespace_id: namespace.id,
      creator_id: creatorId,
      initialize_with_readme: initializeWithReadme,
      readme_path: initializeWithReadme ? 'README.md' : undefined,
    },
    ownerId: namespace.owner_id ?? undefined,
  };
}

/**
 * Changes a project.
 * @param tier of the instance
 * @throws AppError invalid with all problems
 */
export function decideUpdate(
  project: LockedProject,
  requested: ProjectChange,
  { namespace, conflicts }: ProjectFacts,
  tier: string,
  avatar?: AvatarChange,
): ProjectDecision {
  if (namespace === undefined) throw notFound('Project');
  const change = withinTier(requested, namespace.tier ?? tier);
  const widened =
    project.source_visibility !== null && isWider(change.visibility ?? 'private', project.source_visibility);
  refuseProblems(change, namespace, conflicts, avatar, widened ? change.visibility : undefined);
  return { kind: 'changed', change, redirects: change.path !== undefined && change.path !== project.path };
}

/**
 * Moves a project to another namespace.
 * @throws AppError not_found, forbidden for the namespace; invalid for the namespace where it is, for a taken name or
 *   path and for a project that is more visible than the group
 */
export function decideTransfer(
  project: LockedProject,
  actor: Viewer,
  { namespace: found, conflicts }: ProjectFacts,
): ProjectDecision {
  const namespace = requireNamespace(found, actor);
  if (project.namespace_id === namespace.id) throw invalid('Project is already in this namespace.');
  if (conflicts.name || conflicts.path)
    throw invalid('Project with same name or path in target namespace already exists');
  if (namespace.kind === 'group' && isWider(project.visibility, namespace.visibility))
    throw invalid(`${project.visibility} is not allowed in a ${namespace.visibility} group.`);
  if (namespace.full && !actor.admin) throw forbidden('Your project limit has been reached.');
  return { kind: 'moved', namespaceId: namespace.id, ownerId: namespace.owner_id ?? undefined };
}

/**
 * Deletes a project, as `decideDelete` of groups does a group (G-4.15-7).
 * @param confirmed the full path that confirms the immediate deletion of a marked project; undefined for a first mark
 * @throws AppError bad_request for a project that is marked already; with `confirmed`, for a wrong full path and for a
 *   project that is not marked yet
 */
export function decideDelete(
  project: LockedProject,
  confirmed: { readonly fullPath: string } | undefined,
  { tier, delayDays }: { readonly tier: string; readonly delayDays: number },
): ProjectDecision {
  const isMarked = project.marked_for_deletion_at !== null;
  const isFree = !isPaid(project, tier);
  const isImmediate = delayDays === 0 || isFree;
  if (confirmed === undefined || isFree) {
    if (isMarked) throw badRequest('Project has been already marked for deletion');
    return { kind: 'deleted', purgesNow: isImmediate };
  }
  if (confirmed.fullPath !== project.full_path)
    throw badRequest('`full_path` is incorrect. You must enter the complete path for the project.');
  if (!isMarked && !isImmediate) throw badRequest('Project must be marked for deletion first.');
  return { kind: 'deleted', purgesNow: true };
}

/**
 * Restores a project.
 * @throws AppError bad_request for one that is not marked
 */
export function decideRestore(project: LockedProject): ProjectDecision {
  if (project.marked_for_deletion_at === null) throw badRequest('Project has not been marked for deletion');
  return { kind: 'restored' };
}

import { forbidden } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type AvatarChange, avatarProblems } from '../../avatars';
import type { Viewer } from '../../directory';
import { isWider, note, type Problems, type Visibility } from '../../rules';
import { type ProjectChange, projectProblems } from './project';
import {
  decideCreate,
  decideUpdate,
  type ProjectCreation,
  type ProjectDecision,
  type ProjectFacts,
} from './project-change';
import type { LockedProject } from './project-row';

/** A project that comes in from another forge. */
export interface Import {
  /** Names the import for good: a UUID. */
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** Default branch at the forge; undefined for that of the namespace. */
  readonly defaultBranch: string | undefined;
  readonly type: string;
  readonly source: string;
}

/** What an archive says of a project beside its name and path. */
export type ImportedSettings = Omit<ProjectChange, 'name' | 'path'> & {
  readonly archived?: boolean;
  readonly created_at?: Date;
  readonly avatar?: AvatarChange | undefined;
};

/** What is wrong with settings of an archive wherever its project goes, by field. */
export function problemsOfSettings({ archived: _, created_at: __, avatar, ...settings }: ImportedSettings): Problems {
  const home = { kind: 'user', visibility: 'public', projectCreationLevel: 'developer' } as const;
  const problems = projectProblems(settings, home);
  note(problems, 'avatar', avatarProblems(avatar));
  return problems;
}

/**
 * Settings of an archive, as `decideUpdate` takes them; a project is as visible as its group lets it be.
 * @throws AppError invalid with all problems
 */
export function decideImportedSettings(
  project: LockedProject,
  { archived, created_at, avatar, ...settings }: ImportedSettings,
  facts: ProjectFacts,
  tier: string,
): ProjectDecision {
  const outer = facts.namespace?.kind === 'group' ? facts.namespace.visibility : 'public';
  const { visibility = project.visibility } = settings;
  const within = { ...settings, visibility: isWider(visibility, outer) ? outer : visibility };
  const decision = decideUpdate(project, within, facts, tier, avatar);
  if (decision.kind !== 'changed') return decision;
  return { ...decision, change: { ...decision.change, archived, created_at } };
}

const visibilityOf = (isPrivate: boolean, outer: Visibility): Visibility =>
  isPrivate ? 'private' : isWider('public', outer) ? outer : 'public';

/**
 * Makes the project of an import, as `decideCreate` makes one.
 * @throws AppError forbidden below the role Maintainer in the namespace (G-4.19-9); what `decideCreate` throws
 */
export function decideImport(
  { actor, tier, defaultBranch }: { readonly actor: Viewer; readonly tier: string; readonly defaultBranch: string },
  { key, name, path, description, isPrivate, defaultBranch: branch, type, source }: Import,
  facts: ProjectFacts,
): ProjectCreation {
  const outer = facts.namespace?.kind === 'group' ? facts.namespace.visibility : 'public';
  const visibility = visibilityOf(isPrivate, outer);
  const created = decideCreate(
    {
      actor,
      creatorId: actor.userId,
      initializeWithReadme: false,
      settings: {
        name,
        path,
        description,
        visibility,
        ...(branch === undefined ? {} : { default_branch: branch }),
      },
      tier,
      defaults: { visibility, branch: defaultBranch },
    },
    facts,
  );
  if (!actor.admin && (facts.namespace?.level ?? 0) < levels.maintainer) throw forbidden();
  return {
    ...created,
    project: {
      ...created.project,
      import_status: 'scheduled',
      import_key: key,
      import_type: type,
      import_source: source,
    },
  };
}

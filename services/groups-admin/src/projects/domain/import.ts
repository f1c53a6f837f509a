import { forbidden } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { isWider, type Visibility } from '../../rules';
import { decideCreate, type ProjectCreation, type ProjectFacts } from './project-change';

/** A project that comes in from another forge. */
export interface Import {
  /** Names the import for good: a UUID. */
  readonly key: string;
  /** Name and path. */
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** Default branch at the forge; undefined for that of the namespace. */
  readonly defaultBranch: string | undefined;
  readonly type: string;
  readonly source: string;
}

const visibilityOf = (isPrivate: boolean, outer: Visibility): Visibility =>
  isPrivate ? 'private' : isWider('public', outer) ? outer : 'public';

/**
 * Makes the project of an import, as `decideCreate` makes one.
 * @throws AppError forbidden below the role Maintainer in the namespace (G-4.19-9); what `decideCreate` throws
 */
export function decideImport(
  { actor, tier, defaultBranch }: { readonly actor: Viewer; readonly tier: string; readonly defaultBranch: string },
  { key, name, description, isPrivate, defaultBranch: branch, type, source }: Import,
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
        path: name,
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

import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { CurrentSettings } from '../../settings';
import { decideDelete, decideRestore } from '../domain/project-change';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Which project to delete, and how. */
export interface DeleteProjectCommand {
  readonly id: number;
  /** Confirms the immediate deletion of a marked project. */
  readonly confirmed: { readonly fullPath: string } | undefined;
  readonly unmodifiedSince: Date | undefined;
}

/**
 * Marks a project for deletion: hidden at once, purged by the job once the delay has passed (D5). Fails with
 * `not_found`, `bad_request`, `precondition_failed`.
 */
export const deleteProject =
  ({ projects, tier, settings }: { projects: ProjectStore; tier: string; settings: CurrentSettings }) =>
  async (actorId: number, { id, confirmed, unmodifiedSince }: DeleteProjectCommand): Promise<void> => {
    const { deletion_adjourned_period: delayDays } = await settings();
    const found = await projects.change({ id, actorId, unmodifiedSince }, (project) =>
      decideDelete(project, confirmed, { tier, delayDays }),
    );
    if (!found) throw notFound('Project');
  };

/**
 * Removes the mark of a project whose purge has not begun. Fails with `not_found`, `bad_request` for one that is not
 * marked.
 */
export const restoreProject =
  ({ projects }: { projects: ProjectStore }) =>
  async (actor: Viewer, id: number): Promise<ProjectRow> => {
    const found = await projects.change({ id, actorId: actor.userId }, decideRestore);
    const project = found ? await projects.find(id, actor) : undefined;
    if (project === undefined) throw notFound('Project');
    return project;
  };

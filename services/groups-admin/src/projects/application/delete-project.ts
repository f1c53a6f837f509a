import type { ProjectStore } from './project.ports';

/**
 * Marks a project for deletion: hidden at once, purged by the job once the delay has passed (D5). A project that is
 * already deleted stays so. Fails with `precondition_failed`.
 */
export const deleteProject =
  ({ projects }: { projects: ProjectStore }) =>
  async (actorId: number, id: number, unmodifiedSince?: Date): Promise<void> => {
    await projects.change({ id, actorId, unmodifiedSince }, () => ({ kind: 'deleted' }));
  };

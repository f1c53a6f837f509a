import { logger } from '@switchyard/telemetry';
import { deleteRepository, type Repository } from '../../git';

/** What removing repositories needs. */
export interface PurgeEdges {
  readonly repositories: {
    /** Projects that are gone from the directory and still have a repository here, a few. */
    gone(): Promise<number[]>;
    /** Drops what is kept of a project beside its repository: rules, ref changes, the row itself. */
    forget(projectId: number): Promise<void>;
  };
  readonly repositoryOf: (projectId: number) => Repository;
}

/**
 * Removes the repositories of projects that were deleted (D5). Repeatable: the row of a repository goes last, so what is left is found
 * again.
 */
export function purgeRepositories({ repositories, repositoryOf }: PurgeEdges): () => Promise<void> {
  return async () => {
    for (;;) {
      const gone = await repositories.gone();
      for (const projectId of gone) {
        await deleteRepository(repositoryOf(projectId));
        await repositories.forget(projectId);
        logger.info({ project_id: projectId }, 'the repository of a deleted project was removed');
      }
      if (gone.length === 0) return;
    }
  };
}

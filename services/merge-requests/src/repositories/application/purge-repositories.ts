import { logger } from '@switchyard/telemetry';
import { deleteRepository } from '../../git';
import { repositoryKinds } from '../domain/repository';
import type { Storages } from './storages';

/** What removing repositories needs. */
export interface PurgeEdges {
  readonly repositories: {
    /** Projects that are deleted in the directory and still have a repository in one of these storages, a few. */
    deletedProjects(storages: readonly string[]): Promise<number[]>;
    /** Drops what is stored of a project apart from its repository: rules, ref changes, the row itself. */
    purge(projectId: number): Promise<void>;
  };
  readonly storages: Pick<Storages, 'at' | 'served'>;
  /** Repositories stay while a backup is made. */
  readonly isBackupRunning: () => Promise<boolean>;
}

/**
 * Removes the repositories and wikis of projects that were deleted (D5), wherever a move has put a copy. Repeatable: the row
 * of a repository goes last, so what is left is found again. A former copy of another process is found there a day later, as
 * one that no row names.
 */
export function purgeRepositories({ repositories, storages, isBackupRunning }: PurgeEdges): () => Promise<void> {
  return async () => {
    for (;;) {
      const projects = await repositories.deletedProjects(storages.served);
      for (const projectId of projects) {
        if (await isBackupRunning()) return;
        for (const storage of storages.served)
          for (const kind of repositoryKinds) await deleteRepository(storages.at(storage, projectId, kind));
        await repositories.purge(projectId);
        logger.info({ project_id: projectId }, 'the repository of a deleted project was removed');
      }
      if (projects.length === 0) return;
    }
  };
}

import { unavailable } from '@switchyard/errors';
import { maintainRepository, type Repository, repositoryExists } from '../../git';
import { type RepositoryKind, repositoryKinds } from '../domain/repository';

/** Seconds after which a repository that waits for a backup is worth another attempt. */
const waitSeconds = 60;

/**
 * Packs the repository of a project, and its wiki, where that is worth it. Repeatable, and safe while they are used.
 * @throws AppError unavailable while a backup is made, which would copy the same objects twice
 */
export const packRepository =
  ({
    repositoryOf,
    isBackupRunning,
  }: {
    readonly repositoryOf: (projectId: number, kind: RepositoryKind) => Promise<Repository>;
    readonly isBackupRunning: () => Promise<boolean>;
  }) =>
  async ({ projectId }: { readonly projectId: number }): Promise<void> => {
    if (await isBackupRunning()) throw unavailable(new Error('a backup is made'), waitSeconds);
    for (const kind of repositoryKinds) {
      const repo = await repositoryOf(projectId, kind);
      if (await repositoryExists(repo)) await maintainRepository(repo);
    }
  };

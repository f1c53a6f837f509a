import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { buryRepository, idsOfRepositories, isOlder } from '../../git';
import { type Home, type RepositoryKind, repositoryKinds } from '../domain/repository';
import type { Copies } from './copies';
import type { Storages } from './storages';

/** What finding copies that no row names needs. */
export interface SweepEdges {
  readonly repositories: {
    /** Those of these projects whose rows name other storages, or that are deleted and have no row. */
    elsewhere(storage: string, projectIds: readonly number[]): Promise<number[]>;
    /** Runs `work` while a project's row does not name a storage, and cannot; not at all where it does. */
    whileElsewhere(projectId: number, storage: string, work: (home: Home | undefined) => Promise<void>): Promise<void>;
  };
  readonly storages: Pick<Storages, 'at' | 'folderOf' | 'only' | 'served'>;
  readonly copies: Pick<Copies, 'at'>;
  readonly isBackupRunning: () => Promise<boolean>;
}

/** Milliseconds for which a copy was not changed, so that no one is at it. */
const olderThanMs = 86_400_000;

/**
 * Takes its name from each copy that a move placed and no row names, since the process was killed before its commit or
 * the project was purged meanwhile. A copy stays where the row's own repository is not on disk: the database is then
 * older than the files, as after a restore. So does one whose own repository another process has that is away.
 */
export const sweepCopies = ({ repositories, storages, copies, isBackupRunning }: SweepEdges, ageMs = olderThanMs) => {
  const isThere = ({ storage }: Home, projectId: number, kind: RepositoryKind): Promise<boolean> =>
    copies
      .at(storage, projectId, kind)
      .exists()
      .catch((error: unknown) => {
        if (!isAppError(error, 'unavailable')) throw error;
        return false;
      });
  const bury = (storage: string, projectId: number, kind: RepositoryKind): Promise<void> =>
    repositories.whileElsewhere(projectId, storage, async (home) => {
      if (home !== undefined && !(await isThere(home, projectId, kind))) return;
      await buryRepository(storages.at(storage, projectId, kind));
      logger.info({ project_id: projectId, storage, kind }, 'a copy of a repository that no row names was removed');
    });
  return async (): Promise<void> => {
    if (storages.only !== undefined) return;
    for (const storage of storages.served) {
      for await (const ids of idsOfRepositories(storages.folderOf(storage))) {
        for (const projectId of await repositories.elsewhere(storage, ids)) {
          for (const kind of repositoryKinds) {
            if (!(await isOlder(storages.at(storage, projectId, kind).path, ageMs))) continue;
            if (await isBackupRunning()) return;
            await bury(storage, projectId, kind);
          }
        }
      }
    }
  };
};

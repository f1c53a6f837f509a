import { unavailable } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { maintainRepository, type Repository, repositoryExists } from '../../git';
import { type RepositoryKind, repositoryKinds } from '../domain/repository';

/** Seconds after which a repository that waits for a backup is worth another attempt. */
const waitSeconds = 60;
/** Milliseconds for which one that could not be packed is left as it is: what takes too long would take it after each push. */
const restMs = 86_400_000;
/** Projects that are remembered. */
const most = 10_000;

/**
 * Packs the repository of a project, and its wiki, where that is worth it. Repeatable, and safe while they are used. What cannot be
 * packed is tried again by this process a day later.
 * @throws AppError unavailable while a backup is made, which would copy the same objects twice
 */
export function packRepository({
  repositoryOf,
  isBackupRunning,
}: {
  readonly repositoryOf: (projectId: number, kind: RepositoryKind) => Promise<Repository>;
  readonly isBackupRunning: () => Promise<boolean>;
}): (given: { readonly projectId: number }) => Promise<void> {
  const resting = new Map<number, number>();

  async function pack(projectId: number, kind: RepositoryKind): Promise<void> {
    const repo = await repositoryOf(projectId, kind);
    const began = performance.now();
    if (!(await repositoryExists(repo)) || !(await maintainRepository(repo))) return;
    logger.info({ project_id: projectId, kind, ms: Math.round(performance.now() - began) }, 'a repository was packed');
  }

  return async ({ projectId }) => {
    if ((resting.get(projectId) ?? 0) > Date.now()) return;
    if (await isBackupRunning()) throw unavailable(new Error('a backup is made'), waitSeconds);
    try {
      for (const kind of repositoryKinds) await pack(projectId, kind);
      resting.delete(projectId);
    } catch (error) {
      logger.warn({ err: error, project_id: projectId }, 'a repository was not packed, and is left for a day');
      if (resting.size >= most) resting.clear();
      resting.set(projectId, Date.now() + restMs);
    }
  };
}

import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { type CopySource, copyObjects } from '../../git';
import type { Home, RepositoryKind } from '../domain/repository';
import type { Storages } from './storages';

/** Copies of repositories, on the volumes of this process and of the others. */
export interface Copies {
  /**
   * The one that a storage has of a project's repository, there or not. Asking fails with `unavailable` while its process
   * is away.
   */
  at(storage: string, projectId: number, kind: RepositoryKind): CopySource;
  /**
   * Removes the former copies of a moved project, of each kind. Repeatable.
   * @throws AppError unavailable while their process is away, or makes a backup
   */
  removeFormer(storage: string, projectId: number): Promise<void>;
}

/**
 * Brings over what the former copy of a moved repository has in addition: a request or a job may have written its objects
 * there. Does nothing where there is none. While the process that has it is away, work goes on with what is here; what
 * lacks its objects then fails, and a job is tried again.
 * @param options.kind `code` unless said otherwise
 * @param options.beganElsewhere whether the process that has the copy asks: there may be objects since a moment ago
 */
export type FollowFormer = (
  home: Home,
  projectId: number,
  options?: { readonly kind?: RepositoryKind; readonly beganElsewhere?: boolean | undefined },
) => Promise<void>;

/**
 * Milliseconds for which a copy of another process is not asked for its files again, whoever moves a ref: that is a call
 * under the lock of the row, and what the process itself writes there is announced by it.
 */
const followedMs = 60_000;

/** Follows former copies. */
export function formerFollower(copies: Pick<Copies, 'at'>, storages: Pick<Storages, 'at' | 'serves'>): FollowFormer {
  const followed = new Map<string, number>();

  /** Whether it is a minute since the last time; notes that it is followed now. */
  function isDue(copy: string): boolean {
    const now = performance.now();
    for (const [other, time] of followed) if (now - time >= followedMs) followed.delete(other);
    if (followed.has(copy)) return false;
    followed.set(copy, now);
    return true;
  }

  return async ({ storage, former }, projectId, { kind = 'code', beganElsewhere = false } = {}) => {
    if (former === undefined) return;
    if (!storages.serves(former) && !isDue(`${projectId} ${kind}`) && !beganElsewhere) return;
    await copyObjects(copies.at(former, projectId, kind), storages.at(storage, projectId, kind)).catch(
      (error: unknown) => {
        if (!isAppError(error, 'unavailable')) throw error;
        logger.warn({ err: error, project_id: projectId, storage: former, kind }, 'a former copy is out of reach');
      },
    );
  };
}

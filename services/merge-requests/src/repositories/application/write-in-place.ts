import type { Tx } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Repository } from '../../git';
import type { Home } from '../domain/repository';
import type { FollowFormer } from './copies';
import type { Storages } from './storages';

/**
 * Writes to the repository of a project otherwise than by `changeRefs`. `write` must be repeatable: it runs once more
 * where the repository was moved to another storage meanwhile, and fails with `unavailable` where that is another process'.
 * @param within the transaction that the caller is in, if any: a second connection might not be had
 */
export type WriteInPlace = (
  projectId: number,
  write: (repo: Repository) => Promise<void>,
  within?: Tx,
) => Promise<void>;

/** What such writes need. */
export interface WriteInPlaceEdges {
  /** Where a repository lies once a move that is about to end has ended. */
  readonly repositories: { settledHome(projectId: number, within?: Tx): Promise<Home | undefined> };
  readonly storages: Pick<Storages, 'at' | 'only'>;
  readonly followFormer: FollowFormer;
}

/**
 * A move copies the refs under the lock for which `settledHome` waits: what was written before that lock is copied, and
 * what was written under it is written again.
 */
export const writeInPlace =
  ({ repositories, storages, followFormer }: WriteInPlaceEdges): WriteInPlace =>
  async (projectId, write, within) => {
    if (storages.only !== undefined) return write(storages.at(storages.only, projectId));
    for (let written: string | undefined; ; ) {
      const home = await repositories.settledHome(projectId, within);
      if (home === undefined) throw notFound('Project');
      if (home.storage === written) return;
      const repo = storages.at(home.storage, projectId);
      await followFormer(home, projectId);
      await write(repo);
      written = home.storage;
    }
  };

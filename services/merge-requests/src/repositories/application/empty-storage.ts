import { repositoryExists } from '../../git';
import type { Storages } from './storages';

/** What looking for one needs. */
export interface EmptyStorageEdges {
  readonly repositories: {
    /** Some projects whose repositories are whole and lie in a storage. */
    someIn(storage: string): Promise<readonly number[]>;
  };
  readonly storages: Pick<Storages, 'served' | 'at'>;
}

/**
 * A storage served here in which repositories lie by their rows, and none of some of them on disk: another volume is
 * mounted, or the right one at another folder. Undefined when there is none.
 */
export async function emptyStorage({ repositories, storages }: EmptyStorageEdges): Promise<string | undefined> {
  for (const storage of storages.served) {
    const some = await repositories.someIn(storage);
    const found = await Promise.all(some.map((projectId) => repositoryExists(storages.at(storage, projectId))));
    if (found.length > 0 && !found.includes(true)) return storage;
  }
  return undefined;
}

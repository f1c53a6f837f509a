import type { Repositories } from './open-project-repository';
import type { Storages } from './storages';

/** What finding the processes of projects needs. */
export interface ElsewhereEdges {
  readonly repositories: Pick<Repositories, 'nearestPlaced'>;
  readonly storages: Pick<Storages, 'choose' | 'serves'>;
}

/** Those of some projects that another process answers for, with a storage of that process. */
export type ServedElsewhere = (projectIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * A project is answered for where its repository lies, or will be made. Forks are with what they are copied from, so that a
 * merge request needs one process.
 */
export const servedElsewhere =
  ({ repositories, storages }: ElsewhereEdges): ServedElsewhere =>
  async (projectIds) => {
    const placed = await repositories.nearestPlaced(projectIds);
    const homes = [...placed].map(([id, nearest]) => [id, nearest.storage ?? storages.choose(nearest.id)] as const);
    return new Map(homes.filter(([, home]) => !storages.serves(home)));
  };

import type { Repositories } from './open-project-repository';
import { homeBy, type Storages } from './storages';

/** What finding the processes of projects needs. */
export interface ElsewhereEdges {
  readonly repositories: Pick<Repositories, 'nearestPlaced'>;
  readonly storages: Pick<Storages, 'choose' | 'serves' | 'takesNew'>;
}

/** Those of some projects that another process answers for, with a storage of that process. */
export type ServedElsewhere = (projectIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** A project is answered for where its repository lies, or will be made. */
export const servedElsewhere =
  ({ repositories, storages }: ElsewhereEdges): ServedElsewhere =>
  async (projectIds) => {
    const placed = await repositories.nearestPlaced(projectIds);
    const homes = [...placed].map(([id, nearest]) => [id, homeBy(id, nearest, storages)] as const);
    return new Map(homes.filter(([, home]) => !storages.serves(home)));
  };

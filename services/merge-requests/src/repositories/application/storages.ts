import { join } from 'node:path';
import { unavailable } from '@switchyard/errors';
import { openRepository, openWiki, type Repository } from '../../git';
import { defaultStorage, type PlacedProject, type RepositoryKind, type RepositoryProject } from '../domain/repository';

/** The storages of repositories, as the environment names them. */
export interface Storages {
  /** All storages of the installation. */
  readonly names: readonly string[];
  /** Those whose volumes this process has. */
  readonly served: readonly string[];
  /** The only one, where there are no others: then no one has to ask where a repository lies. */
  readonly only: string | undefined;
  /** Whether other processes have the volumes of some. */
  readonly isDivided: boolean;
  /** Folder of a storage, in which its repositories lie. */
  folderOf(storage: string): string;
  /** Whether this process has the volume of a storage. */
  serves(storage: string): boolean;
  /**
   * The repository of a project in a storage, made or not; that of its code unless said otherwise.
   * @throws AppError unavailable for a storage that is not served here
   */
  at(storage: string, projectId: number, kind?: RepositoryKind): Repository;
  /**
   * A storage for a new repository, by the weights. The same for the same project in every process, so that those who
   * are first to touch a repository agree on it.
   */
  choose(projectId: number): string;
  /** Whether new repositories may go there. */
  takesNew(storage: string): boolean;
}

/** A number from 0 to below 1 for a project; those of consecutive projects are spread evenly (Knuth's multiplicative hash). */
const shareOf = (projectId: number): number => (Math.imul(projectId, 2_654_435_761) >>> 0) / 2 ** 32;

/**
 * The storages below a data folder: `default` is `repositories`, where all of them lay before there were others; another
 * one is `storages/<name>`, so that a volume is mounted there and backups of the data folder have it.
 * @param weights of the storages by name, 0 to 100, one of them above 0
 * @param served names of those whose volumes this process has
 */
export function storagesIn(
  dataFolder: string,
  weights: ReadonlyMap<string, number>,
  served: ReadonlySet<string> = new Set(weights.keys()),
): Storages {
  const folderOf = (name: string): string =>
    name === defaultStorage ? join(dataFolder, 'repositories') : join(dataFolder, 'storages', name);
  const names = [...weights.keys()];
  const here = names.filter((name) => served.has(name));
  const weightOf = (name: string): number => weights.get(name) ?? 0;
  const total = names.reduce((sum, name) => sum + weightOf(name), 0);
  return {
    names,
    served: here,
    only: names.length === 1 ? names[0] : undefined,
    isDivided: here.length < names.length,
    folderOf,
    serves: (storage) => here.includes(storage),
    at(storage, projectId, kind = 'code') {
      if (!here.includes(storage)) throw unavailable(new Error(`the storage ${storage} is not served here`));
      return (kind === 'wiki' ? openWiki : openRepository)(folderOf(storage), projectId);
    },
    choose(projectId) {
      let left = shareOf(projectId) * total;
      const chosen = names.find((name) => {
        left -= weightOf(name);
        return left < 0;
      });
      return chosen ?? defaultStorage;
    },
    takesNew: (storage) => weightOf(storage) > 0,
  };
}

/**
 * Where the repository of a project lies, or will be made. A fork lies where its source does, if that takes new ones: there
 * they share files, and a merge request needs one process.
 * @param nearest see `Repositories.nearestPlaced`
 */
export function homeBy(
  projectId: number,
  nearest: PlacedProject,
  storages: Pick<Storages, 'choose' | 'takesNew'>,
): string {
  const { id, storage } = nearest;
  if (storage === undefined) return storages.choose(id);
  return id === projectId || storages.takesNew(storage) ? storage : storages.choose(projectId);
}

/**
 * The storage with which work on a project goes on here: that of its former copies for who came before it was moved to
 * another process; refs move in that one all the same.
 */
export const storageHere = (
  storages: Pick<Storages, 'serves'>,
  { storage = defaultStorage, formerStorage }: Pick<RepositoryProject, 'storage' | 'formerStorage'>,
): string =>
  !storages.serves(storage) && formerStorage !== undefined && storages.serves(formerStorage) ? formerStorage : storage;

import { join } from 'node:path';
import { unavailable } from '@switchyard/errors';
import { openRepository, type Repository } from '../../git';
import { defaultStorage } from '../domain/repository';

/** The storages of repositories, as the environment names them. */
export interface Storages {
  readonly names: readonly string[];
  /** The only one, where there are no others: then no one has to ask where a repository lies. */
  readonly only: string | undefined;
  /** Folder of a storage, in which its repositories lie. */
  folderOf(storage: string): string;
  /**
   * The repository of a project in a storage, made or not.
   * @throws AppError unavailable for a storage that is not named
   */
  at(storage: string, projectId: number): Repository;
  /** A storage for a new repository, by the weights. */
  choose(): string;
  /** Whether new repositories may go there. */
  takesNew(storage: string): boolean;
}

/**
 * The storages below a data folder: `default` is `repositories`, where all of them lay before there were others; another
 * one is `storages/<name>`, so that a volume is mounted there and backups of the data folder have it.
 * @param weights of the storages by name, 0 to 100, one of them above 0
 * @param random 0 or more, below 1
 */
export function storagesIn(
  dataFolder: string,
  weights: ReadonlyMap<string, number>,
  random: () => number = Math.random,
): Storages {
  const folderOf = (name: string): string =>
    name === defaultStorage ? join(dataFolder, 'repositories') : join(dataFolder, 'storages', name);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const names = [...weights.keys()];
  return {
    names,
    only: names.length === 1 ? names[0] : undefined,
    folderOf,
    at(storage, projectId) {
      if (!weights.has(storage)) throw unavailable(new Error(`the storage ${storage} is not served here`));
      return openRepository(folderOf(storage), projectId);
    },
    choose() {
      let left = random() * total;
      for (const [name, weight] of weights) {
        if (left < weight) return name;
        left -= weight;
      }
      return defaultStorage;
    },
    takesNew: (storage) => (weights.get(storage) ?? 0) > 0,
  };
}

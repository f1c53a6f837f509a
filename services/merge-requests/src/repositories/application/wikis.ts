import { notFound } from '@switchyard/errors';
import {
  branchNameOf,
  branchRef,
  copyObjects,
  ensureRepository,
  listRefs,
  type Repository,
  readHead,
  readRefs,
  repositoryExists,
  runToCompletion,
  setHead,
} from '../../git';
import { firstDefaultBranch } from '../domain/push';
import { defaultStorage, type Home } from '../domain/repository';
import { moveEach } from './change-refs';
import type { OpenProjectRepository } from './open-project-repository';
import { branchOf, type RefUpdate } from './ref-change';
import type { Storages } from './storages';

/** What wikis need. */
export interface WikiEdges {
  readonly open: OpenProjectRepository;
  readonly repositories: {
    /**
     * Runs `write` while the repositories of a project lie where `home` says, and has them measured soon; a move to
     * another storage waits. @throws AppError not_found once the project was purged
     */
    whileAtHome<T>(projectId: number, write: (home: Home) => Promise<T>): Promise<T>;
  };
  readonly storages: Pick<Storages, 'at'>;
}

/** The wikis of projects: repositories beside those of their code, on the same storage (ADR 82). */
export interface Wikis {
  /** The wiki of a project. @throws AppError not_found when the project is deleted, or has none */
  find(projectId: number): Promise<Repository>;
  /** The same, made if need be. @throws AppError not_found when the project is deleted */
  open(projectId: number): Promise<Repository>;
  /**
   * Moves refs of a wiki that is there, without an intent, since nothing follows from it. Leaves HEAD at a branch that
   * is there, if there is one.
   * @param move moves them where the wiki lies. It must not use the database: a connection is held while it runs
   */
  changeRefsBy<T>(projectId: number, move: (repo: Repository) => Promise<T>): Promise<T>;
  /** The same for updates whose objects are in the wiki; an outcome each. */
  changeRefs(request: {
    readonly projectId: number;
    readonly updates: readonly RefUpdate[];
  }): Promise<readonly { readonly status: 'moved' | 'stale' }[]>;
}

/** A first branch is checked out by a clone whatever its name, and so is another one when that is removed. */
async function pointHead(repo: Repository): Promise<void> {
  const head = await readHead(repo);
  if (head !== undefined && (await readRefs(repo, [branchRef(head)])).size > 0) return;
  const branches = (await listRefs(repo, ['refs/heads/'])).flatMap(({ ref }) => branchOf(ref) ?? []);
  const branch = branchNameOf(firstDefaultBranch(head ?? '', branches) ?? '');
  if (branch !== undefined) await setHead(repo, branch);
}

/** Builds the wikis of projects. */
export function wikisOf({ open, repositories, storages }: WikiEdges): Wikis {
  async function find(projectId: number): Promise<{ repo: Repository; isThere: boolean; defaultBranch: string }> {
    const { project, defaultBranch } = await open(projectId);
    const repo = storages.at(project.storage ?? defaultStorage, projectId, 'wiki');
    return { repo, isThere: await repositoryExists(repo), defaultBranch };
  }

  const changeRefsBy: Wikis['changeRefsBy'] = (projectId, move) =>
    runToCompletion(() =>
      repositories.whileAtHome(projectId, async ({ storage, former }) => {
        const repo = storages.at(storage, projectId, 'wiki');
        // The caller may have made its objects where the wiki lay before.
        if (former !== undefined) await copyObjects(storages.at(former, projectId, 'wiki'), repo);
        const moved = await move(repo);
        await pointHead(repo);
        return moved;
      }),
    );

  return {
    async find(projectId) {
      const { repo, isThere } = await find(projectId);
      if (!isThere) throw notFound('Wiki');
      return repo;
    },

    async open(projectId) {
      const { repo, isThere, defaultBranch } = await find(projectId);
      if (isThere) return repo;
      // A move under way copies it: it looks for a wiki once more under the lock.
      return repositories.whileAtHome(projectId, async ({ storage }) => {
        const made = storages.at(storage, projectId, 'wiki');
        await ensureRepository(made, { defaultBranch: branchNameOf(defaultBranch) });
        return made;
      });
    },

    changeRefsBy,

    async changeRefs({ projectId, updates }) {
      if (updates.length === 0) return [];
      const reasons = await changeRefsBy(projectId, (repo) => moveEach(updates, repo));
      return reasons.map((reason) => ({ status: reason === undefined ? 'moved' : 'stale' }) as const);
    },
  };
}

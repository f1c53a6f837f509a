import { notFound, unavailable } from '@switchyard/errors';
import {
  branchNameOf,
  branchRef,
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
import type { Home } from '../domain/repository';
import { moverOf } from './change-refs';
import type { FollowFormer } from './copies';
import type { OpenProjectRepository } from './open-project-repository';
import { branchOf, type RefUpdate } from './ref-change';
import { type Storages, storageHere } from './storages';

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
  readonly storages: Pick<Storages, 'at' | 'serves'>;
  readonly followFormer: FollowFormer;
  /** Undefined where this process has all storages. */
  readonly changeElsewhere: ChangeWikiRefs | undefined;
}

/** Updates of a wiki whose objects are in it. */
export interface WikiChange {
  readonly projectId: number;
  readonly updates: readonly RefUpdate[];
  /** Whether all of its refs move, or none. */
  readonly atomic: boolean;
}

/**
 * Moves refs of a wiki; per update, undefined when it moved, else why not.
 * @throws AppError unavailable when another process does it and is away, or its answer is lost
 */
export type ChangeWikiRefs = (change: WikiChange) => Promise<readonly (string | undefined)[]>;

/** The wikis of projects: repositories beside those of their code, on the same storage (ADR 82). */
export interface Wikis {
  /** The wiki of a project. @throws AppError not_found when the project is deleted, or has none */
  find(projectId: number): Promise<Repository>;
  /** The same, made if need be. @throws AppError not_found when the project is deleted */
  open(projectId: number): Promise<Repository>;
  /**
   * Moves refs of a wiki that is there, without an intent, since nothing follows from it. Leaves HEAD at a branch that
   * is there, if there is one.
   * @param move moves them where the wiki lies. It must not use the database: a connection is held while it runs. It is not
   * called where the project was moved to another process meanwhile, which then moves the refs
   */
  changeRefsBy(
    change: WikiChange,
    move: (repo: Repository) => Promise<readonly (string | undefined)[]>,
  ): Promise<readonly (string | undefined)[]>;
  /** The same for updates that may move each alone; an outcome each. */
  changeRefs(change: Omit<WikiChange, 'atomic'>): Promise<readonly { readonly status: 'moved' | 'stale' }[]>;
  /** Moves refs for the process that had the wiki when the change began; makes the wiki if need be. */
  changeBegun: ChangeWikiRefs;
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
export function wikisOf({ open, repositories, storages, followFormer, changeElsewhere }: WikiEdges): Wikis {
  const changeThere: ChangeWikiRefs =
    changeElsewhere ??
    (async () => {
      throw unavailable(new Error('the storage is not served'));
    });

  async function find(projectId: number): Promise<{ repo: Repository; isThere: boolean; defaultBranch: string }> {
    const { project, defaultBranch } = await open(projectId);
    const repo = storages.at(storageHere(storages, project), projectId, 'wiki');
    return { repo, isThere: await repositoryExists(repo), defaultBranch };
  }

  async function make(projectId: number): Promise<Repository> {
    const { repo, isThere, defaultBranch } = await find(projectId);
    if (isThere) return repo;
    const makeIn = async (storage: string): Promise<Repository> => {
      const made = storages.at(storage, projectId, 'wiki');
      await ensureRepository(made, { defaultBranch: branchNameOf(defaultBranch) });
      return made;
    };
    // A move under way copies it: it looks for a wiki once more under the lock.
    const { made, home } = await repositories.whileAtHome(projectId, async (home) => ({
      made: storages.serves(home.storage) ? await makeIn(home.storage) : undefined,
      home,
    }));
    if (made !== undefined) return made;
    // It has moved to another process since the request came here. What the request writes goes into the former copy, and
    // from there, with the refs, to where the wiki is now.
    await changeThere({ projectId, updates: [], atomic: false });
    return makeIn(storageHere(storages, { storage: home.storage, formerStorage: home.former }));
  }

  const change = (
    given: WikiChange,
    move: Parameters<Wikis['changeRefsBy']>[1],
    beganElsewhere = false,
  ): ReturnType<ChangeWikiRefs> =>
    runToCompletion(async () => {
      const { projectId } = given;
      const reasons = await repositories.whileAtHome(projectId, async (home) => {
        if (!storages.serves(home.storage)) return undefined;
        const repo = storages.at(home.storage, projectId, 'wiki');
        // The caller may have made its objects where the wiki lay before.
        await followFormer(home, projectId, { kind: 'wiki', beganElsewhere });
        const moved = await move(repo);
        await pointHead(repo);
        return moved;
      });
      if (reasons !== undefined) return reasons;
      // Another process has the wiki now; no lock is held while it is asked.
      return changeThere(given);
    });

  return {
    async find(projectId) {
      const { repo, isThere } = await find(projectId);
      if (!isThere) throw notFound('Wiki');
      return repo;
    },

    open: make,
    changeRefsBy: change,

    async changeBegun(given) {
      await make(given.projectId);
      return change(given, (repo) => moverOf(given.atomic)(given.updates, repo), true);
    },

    async changeRefs({ projectId, updates }) {
      if (updates.length === 0) return [];
      const reasons = await change({ projectId, updates, atomic: false }, (repo) => moverOf(false)(updates, repo));
      return reasons.map((reason) => ({ status: reason === undefined ? 'moved' : 'stale' }) as const);
    },
  };
}

import { isAppError, notFound } from '@switchyard/errors';
import {
  type BranchName,
  branchNameOf,
  bringCommit,
  type Repository,
  readHeads,
  type Sha,
  takeCommit,
} from '../../git';
import { initialDefault, type RepositoryProject } from '../domain/repository';
import type { ForkSource, OpenProjectRepository } from './open-project-repository';

/** A commit that goes from one project into another. */
export interface CommitToBring {
  readonly from: number;
  readonly into: number;
  readonly sha: Sha;
  /** Commits of the receiver that no branch of it may reach: their history is not sent again. */
  readonly known?: readonly Sha[];
}

/**
 * Projects that have to do with each other, as a fork with its source, whichever processes have them.
 * @throws AppError unavailable while a process is away
 */
export interface BetweenProjects {
  /** Where a branch points; undefined when it or its project is gone. */
  readHead(projectId: number, branch: string): Promise<Sha | undefined>;
  /**
   * Brings a commit and all it reaches from one project into another (ADR 39). Repeatable.
   * @returns false where the giver is gone
   * @throws AppError unprocessable when the objects are refused or not whole
   */
  bringCommit(commit: CommitToBring): Promise<boolean>;
  /** The default branch. @throws AppError not_found when the project is deleted */
  defaultBranchOf(projectId: number): Promise<BranchName>;
}

/** A project whose repository another process has. */
export interface ProjectElsewhere extends ForkSource {
  readHead(branch: string): Promise<Sha | undefined>;
  /** A pack of a commit and all it reaches, but for what known commits reach. @throws AppError not_found once it is gone */
  packCommit(sha: Sha, known: readonly Sha[]): AsyncIterable<Uint8Array>;
  /** As {@link BetweenProjects.bringCommit}, into this project. */
  bringCommit(commit: Omit<CommitToBring, 'into'>): Promise<boolean>;
}

/** What working between projects needs. */
export interface BetweenEdges {
  readonly open: OpenProjectRepository;
  readonly projects: { find(projectId: number): Promise<RepositoryProject | undefined> };
  /** Undefined where this process has all storages. */
  readonly elsewhere: ((projectId: number) => Promise<ProjectElsewhere | undefined>) | undefined;
}

/** What is asked for of a project; undefined when it is deleted, or marked for it. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (!isAppError(error, 'not_found')) throw error;
    return undefined;
  });
}

/** Builds what is done between projects. */
export function betweenProjects({ open, projects, elsewhere }: BetweenEdges): BetweenProjects {
  const repositoryIfThere = async (projectId: number): Promise<Repository | undefined> =>
    (await ifThere(open(projectId)))?.repo;

  return {
    async readHead(projectId, branch) {
      const there = await elsewhere?.(projectId);
      if (there !== undefined) return ifThere(there.readHead(branch));
      const repo = await repositoryIfThere(projectId);
      return repo === undefined ? undefined : (await readHeads(repo, [branch])).get(branch);
    },

    async bringCommit({ from, into, sha, known = [] }) {
      const receiver = await elsewhere?.(into);
      if (receiver !== undefined) return receiver.bringCommit({ from, sha, known });
      const { repo } = await open(into);
      const giver = await elsewhere?.(from);
      if (giver !== undefined) {
        const taken = takeCommit(repo, sha, (shared) => giver.packCommit(sha, shared), { known }).then(() => true);
        return (await ifThere(taken)) ?? false;
      }
      const source = await repositoryIfThere(from);
      if (source === undefined) return false;
      await bringCommit(source, repo, sha, { known });
      return true;
    },

    async defaultBranchOf(projectId) {
      if ((await elsewhere?.(projectId)) === undefined) return (await open(projectId)).defaultBranch;
      const project = await projects.find(projectId);
      if (project === undefined) throw notFound('Project');
      return branchNameOf(initialDefault(project)) ?? ('main' as BranchName);
    },
  };
}

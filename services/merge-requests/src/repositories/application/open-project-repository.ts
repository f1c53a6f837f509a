import { isAppError, notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  type BranchName,
  branchNameOf,
  branchRef,
  type CopyOutcome,
  type CopyRequest,
  copyFromBundle,
  copyRepository,
  createInitialCommit,
  ensureRepository,
  ensureUncopied,
  type Repository,
  readCopyError,
  readHead,
  readRefs,
  repositoryExists,
  setHead,
  setRepositoryAside,
  zeroSha,
} from '../../git';
import {
  type Committer,
  defaultStorage,
  initialDefault,
  type PlacedProject,
  type RepositoryCopy,
  type RepositoryOrigin,
  type RepositoryProject,
  repositoryKinds,
} from '../domain/repository';
import { inTurn } from './in-turn';
import { findReadme } from './push-facts';
import type { ChangeRefs } from './ref-change';
import { homeBy, type Storages, storageHere } from './storages';

faultPoints.push('fork.draft_made', 'fork.objects_linked', 'fork.refs_written', 'fork.placed', 'fork.recorded');

/** Seconds after which a fork whose source may be restored is worth another request. */
const markedRetryAfter = 60;

/** Fault points of a copy. */
const copyPoints = {
  draft_made: () => faultPoint('fork.draft_made'),
  objects_linked: () => faultPoint('fork.objects_linked'),
  refs_written: () => faultPoint('fork.refs_written'),
};

/** A project's repository, made if need be, and what goes with it. */
export interface ProjectRepository {
  readonly repo: Repository;
  readonly project: RepositoryProject;
  /** The default branch; it need not exist yet. */
  readonly defaultBranch: BranchName;
}

/** Opens the repository of a project. @throws AppError not_found when the project is deleted */
export type OpenProjectRepository = (projectId: number) => Promise<ProjectRepository>;

/** Where repositories and their projects are kept; see storage/repository.store.ts. */
export interface Repositories {
  find(projectId: number): Promise<RepositoryProject | undefined>;
  /**
   * For each of these projects the nearest of it and those that it is to be copied from that has a storage; without one,
   * the first of them.
   */
  nearestPlaced(projectIds: readonly number[]): Promise<ReadonlyMap<number, PlacedProject>>;
  /** True for a project that is marked for deletion and not gone: it may be restored. */
  isMarked(projectId: number): Promise<boolean>;
  /**
   * Adds the row once; `setAside` runs before it is seen, and not where there is one already. Returns the storage of the
   * row.
   */
  add(
    projectId: number,
    made: { readonly defaultBranch: string; readonly storage: string },
    setAside: () => Promise<void>,
  ): Promise<string>;
  markCreated(projectId: number): Promise<void>;
  markCopied(projectId: number, copy: RepositoryCopy): Promise<void>;
  /** Changes the default branch, while the repository lies in `storage`. */
  setDefaultBranch(projectId: number, branch: string, storage: string): Promise<void>;
  committer(userId: number): Promise<Committer>;
}

/** A git bundle as it comes, and the default branch of where it comes from. */
export interface ForkBundle {
  readonly defaultBranch: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Ends what makes it, read to its end or not. */
  close(): Promise<unknown>;
}

/** A project of another process that a fork is copied from. */
export interface ForkSource {
  /**
   * What a fork gets, or one branch of it, as a git bundle; without content where there is nothing.
   * @throws AppError not_found once the project is gone
   */
  bundleFork(branch: BranchName | undefined): Promise<ForkBundle>;
}

/** What opening a repository needs. */
export interface OpenEdges {
  readonly repositories: Repositories;
  readonly storages: Pick<Storages, 'at' | 'choose' | 'served' | 'serves' | 'takesNew'>;
  readonly changeRefs: ChangeRefs;
  /** Finds projects of other processes; undefined where this process has all storages. */
  readonly elsewhere: ((projectId: number) => Promise<ForkSource | undefined>) | undefined;
}

const asBranch = (name: string): BranchName => branchNameOf(name) ?? ('main' as BranchName);

/**
 * Makes a repository on first touch, from the directory's row (D7) and, for a fork, from the repository of its origin
 * (ADR 38), and follows a default branch that was changed
 * there. Every step may be repeated: after a crash between two of them the next request completes the rest. The row comes
 * before the folder: a folder that is there without a row is of a project that a restored backup does not know, whose id was
 * given again, and is set aside.
 */
export function openProjectRepository({
  repositories,
  storages,
  changeRefs,
  elsewhere,
}: OpenEdges): OpenProjectRepository {
  /** Makes the row, and says where the repository is to be. */
  async function place(project: RepositoryProject, defaultBranch: BranchName): Promise<Repository> {
    const storage = project.storage ?? (await storageFor(project));
    const setAside = async () => {
      for (const name of storages.served)
        for (const kind of repositoryKinds) await setRepositoryAside(storages.at(name, project.id, kind));
    };
    return storages.at(await repositories.add(project.id, { defaultBranch, storage }, setAside), project.id);
  }

  async function storageFor({ id, origin }: RepositoryProject): Promise<string> {
    const nearest = origin && (await repositories.nearestPlaced([id])).get(id);
    return nearest === undefined ? storages.choose(id) : homeBy(id, nearest, storages);
  }

  async function create(project: RepositoryProject): Promise<void> {
    const branch = asBranch(initialDefault(project));
    const repo = await place(project, branch);
    await ensureRepository(repo, { defaultBranch: branch });
    if (project.initializeWithReadme && !project.pushed) await addReadme(repo, project, branch);
    await repositories.markCreated(project.id);
  }

  async function addReadme(repo: Repository, project: RepositoryProject, branch: BranchName): Promise<void> {
    const ref = branchRef(branch);
    if ((await readRefs(repo, [ref])).has(ref)) return;
    const { name, email } = await repositories.committer(project.creatorId);
    const signature = { name, email, date: new Date() };
    const after = await createInitialCommit(repo, {
      readme: `# ${project.name}\n`,
      author: signature,
      committer: signature,
    });
    // Two first touches at once make two commits; the branch is made of one of them.
    await changeRefs({
      projectId: project.id,
      actorId: project.creatorId,
      source: 'api',
      updates: [{ ref, before: zeroSha, after }],
    });
  }

  async function copy(
    sourceId: number,
    repo: Repository,
    { wanted, branch }: { readonly wanted: BranchName; readonly branch: BranchName | undefined },
  ): Promise<CopyOutcome> {
    const request = (defaultBranch: BranchName): CopyRequest => ({
      defaultBranches: [wanted, defaultBranch],
      branch,
      reached: copyPoints,
    });
    const there = await elsewhere?.(sourceId);
    if (there === undefined) {
      const source = await open(sourceId);
      return copyRepository(source.repo, repo, request(source.defaultBranch));
    }
    // Processes share no files.
    const bundle = await there.bundleFork(branch);
    try {
      return await copyFromBundle(bundle.content, repo, request(asBranch(bundle.defaultBranch)));
    } finally {
      await bundle.close();
    }
  }

  async function copyFrom(
    { projectId, branch }: RepositoryOrigin,
    repo: Repository,
    wanted: BranchName,
  ): Promise<string | undefined> {
    const gone = 'The project it was forked from does not exist any more.';
    const only = branch === undefined ? undefined : branchNameOf(branch);
    // A process that crashed before it could record the copy; the origin may be gone by now.
    if (await repositoryExists(repo)) return readCopyError(repo);
    try {
      const outcome = await copy(projectId, repo, { wanted, branch: only });
      if (outcome === 'present') return await readCopyError(repo);
      if (outcome === 'no_branch') return `The branch ${branch} does not exist in the project it was forked from.`;
      return outcome === 'gone' ? gone : undefined;
    } catch (cause) {
      if (isAppError(cause, 'not_found')) {
        if (!(await repositories.isMarked(projectId))) return gone;
        throw unavailable(new Error(`the source ${projectId} of the fork is marked for deletion`), markedRetryAfter);
      }
      if (isAppError(cause, 'too_large')) return 'The repository is too large to be copied.';
      if (isAppError(cause, 'unprocessable')) return 'The repository has objects that git refuses.';
      throw cause;
    }
  }

  async function fork(project: RepositoryProject, origin: RepositoryOrigin): Promise<void> {
    const wanted = asBranch(initialDefault(project));
    const repo = await place(project, wanted);
    const error = await copyFrom(origin, repo, wanted);
    faultPoint('fork.placed');
    if (error === undefined) {
      // The directory may name a branch that the source never had: it follows a first push a moment later.
      const branch = (await readHead(repo)) ?? wanted;
      const ref = branchRef(branch);
      const exists = (await readRefs(repo, [ref])).has(ref);
      await repositories.markCopied(project.id, {
        kind: 'copied',
        defaultBranch: branch === wanted ? undefined : { name: branch, missing: wanted },
        protects: exists ? { branch, protection: project.defaultProtection } : undefined,
        readmePath: exists ? await findReadme(repo, ref) : undefined,
      });
    } else {
      await ensureUncopied(repo, wanted, error);
      await repositories.markCopied(project.id, { kind: 'failed', error });
    }
    faultPoint('fork.recorded');
  }

  // A process copies a repository once, however many requests touch it; another process may do so as well.
  const alone = inTurn();
  const makeFork = (projectId: number): Promise<void> =>
    alone(String(projectId), async () => {
      const project = await repositories.find(projectId);
      if (project?.origin !== undefined && !project.created) await fork(project, project.origin);
    });

  // The directory's default branch was changed by its owner once it differs from ours and exists here.
  async function currentDefault(repo: Repository, project: RepositoryProject): Promise<BranchName> {
    const stored = asBranch(project.storedDefault ?? initialDefault(project));
    const wanted = project.wantedDefault === undefined ? undefined : branchNameOf(project.wantedDefault);
    if (wanted === undefined || wanted === stored) return stored;
    if (!(await readRefs(repo, [branchRef(wanted)])).has(branchRef(wanted))) return stored;
    await setHead(repo, wanted);
    await repositories.setDefaultBranch(project.id, wanted, project.storage ?? defaultStorage);
    return wanted;
  }

  const open: OpenProjectRepository = async (projectId) => {
    const found = await repositories.find(projectId);
    if (found === undefined) throw notFound('Project');
    if (!found.created) await (found.origin === undefined ? create(found) : makeFork(projectId));
    const project = found.created ? found : ((await repositories.find(projectId)) ?? found);
    const storage = storageHere(storages, project);
    const repo = storages.at(storage, projectId);
    if (storage === project.formerStorage)
      return { repo, project, defaultBranch: asBranch(project.storedDefault ?? initialDefault(project)) };
    return { repo, project, defaultBranch: await currentDefault(repo, project) };
  };
  return open;
}

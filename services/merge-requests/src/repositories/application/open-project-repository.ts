import { notFound } from '@switchyard/errors';
import {
  type BranchName,
  branchNameOf,
  branchRef,
  createInitialCommit,
  ensureRepository,
  type Repository,
  readRefs,
  setHead,
  zeroSha,
} from '../../git';
import { type Committer, initialDefault, type RepositoryProject } from '../domain/repository';
import type { ChangeRefs } from './ref-change';

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
  add(projectId: number, defaultBranch: string): Promise<void>;
  markCreated(projectId: number): Promise<void>;
  setDefaultBranch(projectId: number, branch: string): Promise<void>;
  committer(userId: number): Promise<Committer>;
}

/** What opening a repository needs. */
export interface OpenEdges {
  readonly repositories: Repositories;
  readonly repositoryOf: (projectId: number) => Repository;
  readonly changeRefs: ChangeRefs;
}

const asBranch = (name: string): BranchName => branchNameOf(name) ?? ('main' as BranchName);

/**
 * Makes a repository on first touch, from the directory's row (D7), and follows a default branch that was changed
 * there. Every step may be repeated: after a crash between two of them the next request completes the rest.
 */
export function openProjectRepository({ repositories, repositoryOf, changeRefs }: OpenEdges): OpenProjectRepository {
  async function create(repo: Repository, project: RepositoryProject): Promise<void> {
    const branch = asBranch(initialDefault(project));
    await repositories.add(project.id, branch);
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

  // The directory's default branch was changed by its owner once it differs from ours and exists here.
  async function currentDefault(repo: Repository, project: RepositoryProject): Promise<BranchName> {
    const stored = asBranch(project.storedDefault ?? initialDefault(project));
    const wanted = project.wantedDefault === undefined ? undefined : branchNameOf(project.wantedDefault);
    if (wanted === undefined || wanted === stored) return stored;
    if (!(await readRefs(repo, [branchRef(wanted)])).has(branchRef(wanted))) return stored;
    await setHead(repo, wanted);
    await repositories.setDefaultBranch(project.id, wanted);
    return wanted;
  }

  return async (projectId) => {
    const found = await repositories.find(projectId);
    if (found === undefined) throw notFound('Project');
    const repo = repositoryOf(projectId);
    if (found.created) return { repo, project: found, defaultBranch: await currentDefault(repo, found) };
    await create(repo, found);
    const project = (await repositories.find(projectId)) ?? found;
    return { repo, project, defaultBranch: await currentDefault(repo, project) };
  };
}

import type { ProtectedBranch } from '../domain/protected-branch';
import type { ProtectedTag } from '../domain/protected-tag';
import type { Committer } from '../domain/repository';
import type { BetweenProjects } from './between-projects';
import type { CollaboratesOn } from './collaboration';
import type { OpenProjectRepository } from './open-project-repository';
import type { KeptFromImport } from './place-imported-refs';
import type { CodeReaders } from './read-commits';
import type { BeginRefChange, ChangeRefs, RefChange, Say } from './ref-change';
import type { WriteInPlace } from './write-in-place';

/** What other areas do with repositories. */
export interface RepositoryAccess extends BetweenProjects {
  readonly openRepository: OpenProjectRepository;
  /** Whether this process has the repository of a project, and may open it. */
  readonly isHere: (projectId: number) => Promise<boolean>;
  /** The one way by which refs move. */
  readonly changeRefs: ChangeRefs;
  /** Its first half, in the transaction that decides on a change. */
  readonly beginRefChange: BeginRefChange;
  /** How refs are written that no one is notified of, and HEAD. */
  readonly writeInPlace: WriteInPlace;
  /** The rules of a project on its branches; see domain/protected-branch.ts. */
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  /** The rules of a project on its tags. */
  readonly protectedTags: { all(projectId: number): Promise<ProtectedTag[]> };
  readonly keptFromImport: KeptFromImport;
  readonly codeReaders: CodeReaders;
  readonly collaboratesOn: CollaboratesOn;
  readonly committers: { committer(userId: number): Promise<Committer> };
}

/**
 * Follows ref changes in another area, as `LocalSubscriber` does. Repositories are built after their subscribers, so
 * they are handed over with each change.
 */
export interface RefChangeSubscriber {
  afterRefChange(change: RefChange, repositories: RepositoryAccess, say: Say): Promise<void>;
}

import type { DefaultProtection } from './default-protection';
import type { NewDefault } from './settlement';

/** What this service knows of a project's repository: the directory's row and its own. */
export interface RepositoryProject {
  readonly id: number;
  readonly name: string;
  readonly fullPath: string;
  readonly archived: boolean;
  readonly initializeWithReadme: boolean;
  /** 0 when deleted. */
  readonly creatorId: number;
  /** Default branch as the directory has it; undefined for none. */
  readonly wantedDefault: string | undefined;
  /** Default branch as the repository has it; undefined before the first touch. */
  readonly storedDefault: string | undefined;
  /** True once it has been made on disk, README included. */
  readonly created: boolean;
  /** True once a branch was pushed. */
  readonly pushed: boolean;
  /** How the first branch that is pushed is protected. */
  readonly defaultProtection: DefaultProtection;
  /** Storage that it lies in; undefined before the first touch. */
  readonly storage: string | undefined;
  /** Storage of its former copy, which is there for a while after a move. */
  readonly formerStorage: string | undefined;
  /** Where the first contents come from; undefined for a project that is not made as a fork. */
  readonly origin: RepositoryOrigin | undefined;
}

/** Which repository of a project: its code, or its wiki, which lies beside it on the same storage. */
export type RepositoryKind = 'code' | 'wiki';

/** All of them. */
export const repositoryKinds: readonly RepositoryKind[] = ['code', 'wiki'];

/** The storage that is meant where none is named. */
export const defaultStorage = 'default';

/** Where a repository lies. */
export interface Home {
  readonly storage: string;
  /** Storage of its former copy, which is there for a while after a move. */
  readonly former: string | undefined;
}

/** A project, and the storage that its repository lies in; undefined before the first touch. */
export interface PlacedProject {
  readonly id: number;
  readonly storage: string | undefined;
}

/**
 * How the end of a move to another storage went. `busy`: others had the lock of the row all the time, and nothing was done.
 * `changed`: the repository does not lie where it did, or has a former copy.
 */
export type MoveOutcome = 'moved' | 'busy' | 'changed';

/** The repository that a fork starts as a copy of. */
export interface RepositoryOrigin {
  readonly projectId: number;
  /** The only branch that is copied; undefined: all branches and tags. */
  readonly branch: string | undefined;
}

/** What is recorded once the repository of a fork is on disk. */
export type RepositoryCopy =
  | {
      readonly kind: 'copied';
      /** The default branch where `missing`, the one that the directory names, is not there. */
      readonly defaultBranch: { readonly name: string; readonly missing: string } | undefined;
      /** The default branch with its protection; undefined when the origin has no such branch. */
      readonly protects: NewDefault | undefined;
      /** README at the root of the default branch; undefined for none. */
      readonly readmePath: string | undefined;
    }
  /** The repository is empty. */
  | { readonly kind: 'failed'; readonly error: string };

/** Name and address for commits made through the API. */
export interface Committer {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

/** Default branch where nothing else is known. */
export const fallbackDefaultBranch = 'main';

/** Default branch a repository starts with. */
export const initialDefault = (project: RepositoryProject): string =>
  project.storedDefault ?? project.wantedDefault ?? fallbackDefaultBranch;

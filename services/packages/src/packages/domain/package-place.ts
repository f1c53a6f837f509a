import type { PackageFile } from './package';

/** Who looks beyond one project: what they may read there is found, and nothing else. */
export interface PackageSearcher {
  readonly viewer: { readonly userId: number; readonly admin: boolean; readonly external: boolean };
  /** The project of a job token, which reaches no other one that is not public (G-5-13); undefined for all others. */
  readonly jobProjectId: number | undefined;
}

/**
 * Where package managers look: in a project, in those below a group, or in all of the instance, where a package is found
 * whose name is the full path of its project.
 */
export type PackagePlace =
  | { readonly projectId: number }
  | { readonly groupId: number; readonly searcher: PackageSearcher }
  | { readonly searcher: PackageSearcher };

/** A file with what its package is called. */
export interface PlacedFile extends PackageFile {
  readonly name: string;
  readonly version: string | undefined;
  /** What its format keeps of the package. */
  readonly packageMetadata: Readonly<Record<string, unknown>>;
}

/** A version as it was published. */
export interface SpelledVersion {
  readonly name: string;
  readonly version: string;
}

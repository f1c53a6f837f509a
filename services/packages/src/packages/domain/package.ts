/** How files come in and go out: the protocol of a package manager, or plain files. */
export type PackageFormat = 'generic' | 'npm' | 'maven' | 'pypi' | 'helm' | 'golang';

/** Where a package stands (G-3-3). Those that are `pending_destruction` are invisible. */
export type PackageStatus = 'default' | 'hidden' | 'processing' | 'error' | 'pending_destruction' | 'deprecated';

/** Statuses of a list that asks for none (api.md 4.17). */
export const listedStatuses: readonly PackageStatus[] = ['default', 'deprecated', 'error'];

/** Statuses in which a package is shown by its id, and its files are served (G-4.17-4). */
export const shownStatuses: readonly PackageStatus[] = ['default', 'deprecated'];

/** A name of a version. */
export interface PackageTag {
  readonly id: number;
  readonly packageId: number;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A version of a package. */
export interface Package {
  readonly id: number;
  readonly projectId: number;
  /** Full path of the project. */
  readonly projectPath: string;
  readonly format: PackageFormat;
  readonly name: string;
  readonly version: string | undefined;
  readonly status: PackageStatus;
  readonly createdAt: Date;
  readonly lastDownloadedAt: Date | undefined;
  readonly tags: readonly PackageTag[];
  /** The newest pipeline whose job token published it; undefined where none did. */
  readonly lastPipelineId: number | undefined;
}

/** Another version of the same package. */
export interface PackageVersion {
  readonly id: number;
  readonly version: string | undefined;
  readonly createdAt: Date;
  readonly lastPipelineId: number | undefined;
}

/** A file of a package. */
export interface PackageFile {
  readonly id: number;
  readonly packageId: number;
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  /** Key of its content in the blob store. */
  readonly blob: string;
  /** What its format keeps of it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Pipeline whose job token published it; undefined for none. */
  readonly pipelineId: number | undefined;
  readonly createdAt: Date;
}

/** Conditions of a list; all of them must hold. */
export interface PackageFilter {
  readonly format?: string | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly statuses: readonly string[];
  /** Packages without a version are listed as well. */
  readonly includeVersionless: boolean;
}

/** Which package of a project. */
export interface PackageKey {
  readonly projectId: number;
  readonly format: PackageFormat;
  readonly name: string;
  /** Undefined for a package without a version. */
  readonly version: string | undefined;
}

/** A package that is found or made by its key. */
export interface OpenedPackage {
  readonly id: number;
  /** It was made by this call. */
  readonly created: boolean;
}

/** What opening a package sets; what is undefined stays. */
export interface OpenedWith {
  /** Undefined for a deploy token. */
  readonly creatorId: number | undefined;
  readonly status: 'default' | 'hidden' | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Which file of a package. */
export interface PackageFileKey {
  readonly projectId: number;
  readonly packageId: number;
  readonly fileId: number;
}

/** What a new file brings. */
export interface NewPackageFile {
  readonly packageId: number;
  readonly contentId: number;
  readonly fileName: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Pipeline whose job token published it; undefined for none. */
  readonly pipelineId: number | undefined;
}

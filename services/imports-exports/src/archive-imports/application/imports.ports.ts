import type { RecordOwner } from '../../project-exports';
import type { ImportedProject, ImportFailure } from '../../project-imports';
import type {
  ArchiveImportLease,
  ArchiveImportStatus,
  ImportPlace,
  LeftOut,
  NewArchiveImport,
} from '../domain/archive-import';

/** Imports of archives as rows. Every write may be repeated. */
export interface ArchiveImportStore {
  /**
   * Adds an import, leased to the one who adds it, and keeps its blob; undefined where that was pruned.
   */
  add(one: NewArchiveImport): Promise<ArchiveImportLease | undefined>;
  /** Removes an import whose project could not be made, and makes its blob due. */
  remove(one: ArchiveImportLease): Promise<void>;
  /**
   * Takes one that waits, or whose lease has run out, for 30 seconds; undefined without one. One waits while another one
   * of its author is worked on.
   */
  claim(): Promise<ArchiveImportLease | undefined>;
  /** Extends a lease; false when it was lost, as it is when the import is cancelled. */
  extend(one: ArchiveImportLease): Promise<boolean>;
  /** Gives an import back, to be taken again after some seconds; a pause does not count as a try. */
  release(one: ArchiveImportLease, seconds: number, isPause?: boolean): Promise<void>;
  /** Records its project, and that it has begun; false when the lease was lost. */
  begin(one: ArchiveImportLease, projectId: number): Promise<boolean>;
  /** Records where it goes on, and what a stage has left out; false when the lease was lost. */
  save(
    one: ArchiveImportLease,
    place: ImportPlace,
    left: { readonly stage: string; readonly items: readonly LeftOut[] },
  ): Promise<boolean>;
  /** What was left out of a project, the first ones. */
  failures(projectId: number): Promise<ImportFailure[]>;
  /** The blob of an import that has not ended, by its key. */
  fileOf(key: string): Promise<{ readonly blob: string; readonly size: number } | undefined>;
  /** Project of an import; undefined until it is made. */
  projectOf(id: number): Promise<number | undefined>;
  /** Ends an import, and makes its blob due; false when another process has it. */
  end(one: ArchiveImportLease, status: ArchiveImportStatus, problem: string | undefined): Promise<boolean>;
  /** Whether the import of a project is under way. */
  isOpen(projectId: number): Promise<boolean>;
  /** Cancels the import of a project that is under way, and makes its blob due. */
  cancel(projectId: number): Promise<void>;
  /** Removes imports that ended a week ago, but for those that have placeholders. */
  sweep(): Promise<void>;
}

/** What the other services do for an import. Each call may be repeated. */
export interface ArchiveTargets {
  /**
   * Makes the project of an import. Fails with `not_found`, `forbidden` for the namespace; `invalid` with texts by field.
   */
  createProject(one: NewArchiveImport): Promise<ImportedProject>;
  /** Fails with `not_found`. */
  project(projectId: number, requestId: string): Promise<ImportedProject>;
  /** Shows in the project how its import stands. Fails with `not_found`. */
  setStatus(
    projectId: number,
    status: ArchiveImportStatus,
    problem: string | undefined,
    requestId: string,
  ): Promise<void>;
  /**
   * Looks at records and writes none. Their numbers are kept for them in the project, where one is given: what is made there
   * meanwhile gets higher ones. Fails with `unprocessable`, `not_found`.
   */
  checkRecords(
    owner: RecordOwner,
    kind: string,
    lines: Buffer,
    to: { readonly project: ImportedProject | undefined; readonly requestId: string },
  ): Promise<void>;
  /**
   * Adds records to a project. Fails with `unprocessable`, `not_found`, `invalid`.
   * @param standIns who stands for people, by their usernames; undefined where that is asked for
   * @returns people for whom somebody has to stand: nothing was written then; and what was left out
   */
  writeRecords(
    owner: RecordOwner,
    kind: string,
    lines: Buffer,
    to: { readonly project: ImportedProject; readonly import: NewArchiveImport },
    standIns?: ReadonlyMap<string, number>,
  ): Promise<{ readonly unknown: readonly string[]; readonly leftOut: readonly LeftOut[] }>;
  /** Has the repository fetched, until `signal`. Fails with `unprocessable`, `not_found`, `too_large`. */
  importRepository(
    to: { readonly project: ImportedProject; readonly import: NewArchiveImport },
    signal: AbortSignal,
  ): Promise<void>;
  /** Has the files that texts link to kept, until `signal`; returns those that are left out. Fails with `not_found`. */
  importUploads(
    to: { readonly project: ImportedProject; readonly import: NewArchiveImport },
    signal: AbortSignal,
  ): Promise<readonly LeftOut[]>;
}

import type { ProjectUpload } from '@switchyard/protos/rpc/v1/project_upload';
import type {
  ArchiveFile,
  ExportedProject,
  ExportState,
  ProjectExportLease,
  RecordOwner,
} from '../domain/project-export';

/** Exports of projects as rows. */
export interface ProjectExportStore {
  /**
   * Begins one, unless one of the project waits or is being made. That one begins anew where the description is another.
   * @param description of the project in the archive; undefined for its own, or that of the one that is being made
   */
  add(projectId: number, authorId: number, description: string | undefined): Promise<void>;
  /** How those of a project stand. */
  state(projectId: number): Promise<ExportState>;
  /**
   * Takes one that waits, or whose lease has run out, for 30 seconds; undefined without one. One waits while another one
   * of its author is made.
   */
  claim(): Promise<ProjectExportLease | undefined>;
  /** Extends a lease; false when another process has the export. */
  extend(one: ProjectExportLease): Promise<boolean>;
  /** Gives an export back, to be taken again after some seconds. */
  release(one: ProjectExportLease, seconds: number): Promise<void>;
  /**
   * Ends an export; a finished one takes the place of those before it. False when another process has it.
   * @throws Error when the file's blob was pruned
   */
  end(
    one: ProjectExportLease,
    outcome: { readonly file: ArchiveFile } | { readonly problem: string },
  ): Promise<boolean>;
  /** Removes exports whose day is over, and makes their blobs due; returns how many. */
  sweep(limit: number): Promise<number>;
}

/** Some records as lines of JSON. */
export interface RecordLines {
  readonly lines: Uint8Array;
  readonly count: number;
  /** Place after which the next ones are read. */
  readonly next: number;
}

/** The git repositories of a project. */
export type BundleKind = 'repository' | 'wiki';

/** What the services say of a project. */
export interface ProjectSources {
  /** The next records of a kind; none where the project is gone. */
  records(owner: RecordOwner, kind: string, projectId: number, after: number, requestId: string): Promise<RecordLines>;
  /** The repository, or the wiki, as a git bundle, as it comes; nothing without refs. */
  bundle(kind: BundleKind, projectId: number, requestId: string): AsyncIterable<Uint8Array>;
  /** The files that texts link to, whose contents are read one after the other. */
  uploads(
    projectId: number,
    requestId: string,
  ): AsyncIterable<{ readonly upload: ProjectUpload; readonly content: AsyncIterable<Uint8Array> }>;
}

/** Projects by id; undefined for one that is gone. */
export type FindProject = (projectId: number, requestId: string) => Promise<ExportedProject | undefined>;

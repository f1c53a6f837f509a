import type { Tx } from '@switchyard/database';
import type { Property } from '../../boms';
import type {
  DependencyListExport,
  ExportFile,
  ExportSource,
  ExportTarget,
  ListSize,
  PipelineCommit,
} from '../domain/dependency-list-export';
import type { After, ComponentVariant, ExportLease, NewExport, SourceRows } from '../domain/export-work';

/** Exports as rows. */
export interface ExportStore {
  /** Adds one; undefined while the author has 20 that wait. */
  add(one: NewExport): Promise<DependencyListExport | undefined>;
  /** One whose hour is not over. */
  find(id: number): Promise<DependencyListExport | undefined>;
  /** Full path of a project or group; undefined where it is gone. */
  fullPathOf(target: ExportTarget): Promise<string | undefined>;
}

/** Exports under way, in the database. Every write may be repeated. */
export interface ExportWork {
  /**
   * Takes an export that waits, or whose lease has run out, for 30 seconds; undefined without one. One waits while another
   * one of its author is made.
   */
  claim(): Promise<ExportLease | undefined>;
  /** Extends a lease; false when another process has the export. */
  extend(one: ExportLease): Promise<boolean>;
  /** Gives an export back, to be taken again after some seconds. */
  release(one: ExportLease, seconds: number): Promise<void>;
  /** Projects below a group whose lists its author may read, after one, by id. */
  projectsBelow(
    groupId: number,
    authorId: number,
    after: number,
    limit: number,
  ): Promise<{ readonly id: number; readonly fullPath: string }[]>;
  /** Fixes what an export is made of, with the components and edges of its projects; once. */
  plan(
    one: ExportLease,
    sources: readonly ExportSource[],
    projects: SourceRows,
    edges: readonly [string, string][],
  ): Promise<void>;
  /** Sources by position; those that have been read are left out unless `all`. */
  sources(exportId: number, all: boolean): Promise<ExportSource[]>;
  /** Adds what a source says. */
  addRows(exportId: number, source: number, rows: SourceRows): Promise<void>;
  /** Turns some links of a source after one into edges; returns the last one, undefined when none is left. */
  resolveLinks(
    exportId: number,
    source: number,
    after: readonly [Buffer, Buffer] | undefined,
  ): Promise<readonly [Buffer, Buffer] | undefined>;
  /** Marks a source as read, with what it has said. */
  finishSource(exportId: number, source: number, said: ListSize): Promise<void>;
  /** What the sources that have been read have said. */
  sizeOf(exportId: number): Promise<ListSize>;
  /** Variants of components, by key and digest: at most `limit`, and fewer where they are large; none after the last one. */
  components(exportId: number, after: After, limit: number): Promise<ComponentVariant[]>;
  /** Edges, by both ends. */
  edges(exportId: number, after: After, limit: number): Promise<{ readonly key: string; readonly target: string }[]>;
  /** What the list says of itself, by name: up to 1,000 of them. */
  properties(exportId: number): Promise<Property[]>;
  /**
   * Ends an export, with its file or with a problem, and publishes it where a mail is asked for; false when another
   * process has the export, or the file's blob was pruned.
   */
  end(
    one: ExportLease,
    outcome: { readonly file: ExportFile } | { readonly problem: string },
    publish: PublishEnd,
  ): Promise<boolean>;
  /** Removes rows of work that has ended, and exports whose hour is over; returns how many. */
  sweep(limit: number): Promise<number>;
}

/** Publishes that an export has ended. */
export type PublishEnd = (tx: Tx, ended: DependencyListExport) => Promise<void>;

/** What merge-requests says of pipelines and commits. */
export interface PipelineSources {
  /** Fails with `not_found`. */
  pipeline(projectId: number, pipelineId: number, requestId: string): Promise<PipelineCommit>;
  /** Of the default branch of each project that has one. */
  latest(projectIds: readonly number[], requestId: string): Promise<PipelineCommit[]>;
  /** Lock files of a commit, by path. */
  lockFiles(
    projectId: number,
    sha: string,
    requestId: string,
  ): Promise<{ readonly path: string; readonly blob: string; readonly size: number }[]>;
  /** A lock file as text. Fails with `not_found`, `too_large`. */
  readLockFile(projectId: number, blob: string, requestId: string): Promise<string>;
}

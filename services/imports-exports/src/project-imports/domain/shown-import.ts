import type { ImportFailure, ProjectImport, StandingStage } from './project-import';

/** A project as groups-admin shows it. */
export interface ImportedProject {
  readonly projectId: number;
  readonly name: string;
  readonly path: string;
  readonly fullPath: string;
  readonly fullName: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly importStatus: string;
  readonly importError: string;
  readonly importType: string;
  readonly importSource: string;
  readonly forked: boolean;
  /** Directory sequence at which it is known. */
  readonly directorySequence: number;
}

/** What the forge has, and what of it is here. */
export interface ImportCounts {
  readonly fetched: number;
  readonly imported: number;
}

/** A project with its import, where there is one. */
export interface ShownImport {
  readonly project: ImportedProject;
  readonly import: ProjectImport | undefined;
  readonly stages: readonly StandingStage[];
  readonly failures: readonly ImportFailure[];
  /** Files that texts link to; undefined where they do not come over. */
  readonly files?: ImportCounts | undefined;
}

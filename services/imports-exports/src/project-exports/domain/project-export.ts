/** States of an export, in their order; the last two end it. */
export type ProjectExportStatus = 'queued' | 'started' | 'finished' | 'failed';

/** The file of a finished export. */
export interface ArchiveFile {
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
}

/** An export of a project. */
export interface ProjectExport {
  readonly id: number;
  readonly projectId: number;
  /** Of the project in the archive; undefined for its own. */
  readonly description: string | undefined;
  readonly status: ProjectExportStatus;
  /** Why it failed. */
  readonly problem: string | undefined;
  readonly file: ArchiveFile | undefined;
  readonly createdAt: Date;
}

/** An export that a process works on until its lease ends. */
export interface ProjectExportLease {
  readonly export: ProjectExport;
  readonly lease: string;
  readonly attempt: number;
  readonly askedAt: Date;
}

/** How the exports of a project stand: the newest that has not run out, and the newest file. */
export interface ExportState {
  readonly newest: ProjectExport | undefined;
  readonly finished: ProjectExport | undefined;
}

/** A project as its export status describes it. */
export interface ExportedProject {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly fullPath: string;
  readonly fullName: string;
  readonly description: string | null;
  readonly createdAt: Date;
}

/** Times that an export is tried. */
export const maxAttempts = 8;

/** Number of the form of archives (ADR 60, 82, 83): one that an older release cannot read has a higher one. */
export const archiveFormat = 3;

/** Kinds of records in an archive, in the order in which they come in again, by who owns them. */
export const archiveKinds = [
  { owner: 'groups-admin', kind: 'project' },
  { owner: 'groups-admin', kind: 'members' },
  { owner: 'groups-admin', kind: 'labels' },
  { owner: 'groups-admin', kind: 'milestones' },
  { owner: 'merge-requests', kind: 'merge_requests' },
  { owner: 'merge-requests', kind: 'landing_receipts' },
  { owner: 'merge-requests', kind: 'releases' },
  { owner: 'collaboration', kind: 'issues' },
  { owner: 'collaboration', kind: 'snippets' },
  { owner: 'collaboration', kind: 'notes' },
  // From here on those of format 2. An import keeps the place of its kind as a number, so new kinds follow all others.
  { owner: 'merge-requests', kind: 'protected_branches' },
  { owner: 'merge-requests', kind: 'protected_tags' },
  { owner: 'merge-requests', kind: 'approval_rules' },
  { owner: 'merge-requests', kind: 'merge_request_events' },
  { owner: 'collaboration', kind: 'issue_events' },
  { owner: 'collaboration', kind: 'issue_emoji' },
  { owner: 'collaboration', kind: 'merge_request_emoji' },
  { owner: 'collaboration', kind: 'snippet_emoji' },
  { owner: 'collaboration', kind: 'note_emoji' },
  { owner: 'merge-requests', kind: 'merge_request_blocks' },
  { owner: 'merge-requests', kind: 'environments' },
  { owner: 'merge-requests', kind: 'deployments' },
] as const;

/** A service that owns records. */
export type RecordOwner = (typeof archiveKinds)[number]['owner'];

/** Name of the file of an export. */
export const archiveNameOf = (fullPath: string, { createdAt }: Pick<ProjectExport, 'createdAt'>): string =>
  `${createdAt.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-')}_${fullPath.replaceAll('/', '_')}_export.tar.gz`;

/** Status as GitLab names it: a file that is there while another is made is being regenerated. */
export function shownStatus({ newest, finished }: ExportState): string {
  if (newest === undefined || newest.status === 'failed') return finished === undefined ? 'none' : 'finished';
  if (newest.status === 'finished') return 'finished';
  return finished === undefined ? newest.status : 'regeneration_in_progress';
}

import { AppError } from '@switchyard/errors';
import type { SpecVersion } from '../../boms';

/** What a list is of. */
export type ExportTarget =
  | { readonly kind: 'pipeline'; readonly projectId: number; readonly pipelineId: number }
  | { readonly kind: 'project'; readonly projectId: number }
  | { readonly kind: 'group'; readonly groupId: number };

/** Forms of the file. */
export type ExportFormat = 'cyclonedx' | 'spdx';

/** How a list is exported. */
export interface ExportForm {
  readonly format: ExportFormat;
  /** Of CycloneDX. */
  readonly specVersion: SpecVersion;
  readonly sendEmail: boolean;
}

/** A pipeline with the commit that it is of. */
export interface PipelineCommit {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly sha: string;
  readonly createdAt: Date;
}

/** States of an export, in their order; the last two end it. */
export type ExportStatus = 'created' | 'running' | 'finished' | 'failed';

/** An export of a dependency list. */
export interface DependencyListExport extends ExportForm {
  readonly id: number;
  readonly kind: ExportTarget['kind'];
  /** Project or group. */
  readonly targetId: number;
  readonly authorId: number;
  readonly status: ExportStatus;
  /** Why it failed. */
  readonly problem: string | undefined;
  /** Of the project or group, as it was. */
  readonly fullPath: string;
  /** Pipeline that it is of; undefined for a group. */
  readonly pipeline: Omit<PipelineCommit, 'projectId'> | undefined;
  readonly file: ExportFile | undefined;
  readonly expiresAt: Date;
}

/** The file of a finished export. */
export interface ExportFile {
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
  /** Ed25519 over its bytes. */
  readonly signature: Buffer;
}

/** A place from which components come: a report, or a lock file of a commit. */
export interface ExportSource {
  readonly position: number;
  readonly kind: 'report' | 'lock_file';
  readonly projectId: number;
  readonly pipelineId: number;
  readonly path: string;
  /** Key of the report's blob, or id of the file's content in git. */
  readonly blob: string;
  /** What identifies the content. */
  readonly digest: string;
}

/** Exports of one user that wait at a time. */
export const maxWaiting = 20;

/** Times that an export is tried. */
export const maxAttempts = 8;

/** Projects below a group whose lists are exported together. */
export const maxProjects = 2_000;

/**
 * What one export is made of at the most: twenty times the largest list for which a time is promised. More would keep a
 * process busy for hours, and fill its database.
 */
const bounds = {
  sources: [20_000, 'reports and lock files'],
  bytes: [4 * 2 ** 30, 'bytes of reports and lock files'],
  components: [2_000_000, 'components'],
  links: [2_000_000, 'dependencies between components'],
} as const;

/** Components and dependencies between them, as sources name them: what two of them name counts twice. */
export interface ListSize {
  readonly components: number;
  readonly links: number;
}

/** What an export is made of. */
export interface ExportSize extends ListSize {
  readonly sources: number;
  /** Of reports unpacked, and of lock files. */
  readonly bytes: number;
}

/** @throws AppError invalid, which names the bound that is exceeded */
export function requireBounds(size: Partial<ExportSize>): void {
  for (const of of Object.keys(bounds) as (keyof ExportSize)[]) {
    const [most, what] = bounds[of];
    if ((size[of] ?? 0) > most) throw new AppError('invalid', `the list is made of more than ${most} ${what}`);
  }
}

/** Milliseconds after which a client should ask again (G-4.14-3). */
export const pollInterval = 5_000;

/** Whether an export has ended. */
export const hasEnded = ({ status }: Pick<DependencyListExport, 'status'>): boolean =>
  status === 'finished' || status === 'failed';

/** Ref of a project among the components of a list. */
export const projectRef = (projectId: number): string => `project:${projectId}`;

/** Ref of what a list is of. */
export const subjectRef = ({ kind, targetId }: Pick<DependencyListExport, 'kind' | 'targetId'>): string =>
  kind === 'group' ? `group:${targetId}` : projectRef(targetId);

/** Name of the file. */
export function fileNameOf(one: Pick<DependencyListExport, 'kind' | 'targetId' | 'pipeline' | 'format'>): string {
  const of = one.kind === 'group' ? `group_${one.targetId}` : `pipeline_${one.pipeline?.pipelineId ?? one.targetId}`;
  return `${of}_dependencies.${one.format === 'spdx' ? 'spdx' : 'cdx'}.json`;
}

/**
 * What identifies the content of a list, from which its serial number is made: the form, and every source with its
 * content, whatever their order.
 */
export function identityOf(
  one: Pick<DependencyListExport, 'kind' | 'targetId' | 'pipeline' | 'format' | 'specVersion'>,
  sources: readonly Pick<ExportSource, 'projectId' | 'pipelineId' | 'kind' | 'path' | 'digest'>[],
): string {
  const contents = sources.map(({ projectId, pipelineId, kind, path, digest }) =>
    JSON.stringify([projectId, pipelineId, kind, path, digest]),
  );
  const { kind, targetId, pipeline, format, specVersion } = one;
  return JSON.stringify([kind, targetId, pipeline?.pipelineId ?? 0, format, specVersion, contents.sort()]);
}

/** A digest as a UUID of version 8, which names what it was made of (RFC 9562). @param digest hexadecimal digits */
export function uuidOf(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ];
  return parts.join('-');
}

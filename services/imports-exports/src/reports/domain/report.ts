import { invalidParams } from '@switchyard/errors';

/** Bytes of a report, as it comes and unpacked. */
export const maxReportBytes = 100_000_000;

/** Reports of one pipeline. */
export const maxReports = 100;

/** A CycloneDX report of a pipeline, as it is kept. */
export interface Report {
  readonly id: number;
  readonly projectId: number;
  readonly pipelineId: number;
  /** 0 for none. */
  readonly jobId: number;
  readonly fileName: string;
  readonly blob: string;
  /** Bytes as it came. */
  readonly size: number;
  /** Bytes of its text, unpacked; as it came where that was not counted. */
  readonly textSize: number;
  /** Hexadecimal digits of its SHA-256. */
  readonly sha256: string;
  /** Components that it names, those inside others included. */
  readonly components: number;
  readonly createdAt: Date;
}

/** A pipeline that has reports. */
export interface ReportedPipeline {
  readonly projectId: number;
  readonly pipelineId: number;
}

/** A report that was received and has no row yet. */
export type NewReport = Omit<Report, 'id' | 'createdAt'> & { readonly authorId: number };

/**
 * The name of a report: the last part of what the form says. Fails with `invalid_params` when nothing is left, or it has
 * more than 255 characters.
 */
export function fileNameOf(written: string): string {
  const name = written
    .toWellFormed()
    .slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1)
    .replace(/\p{Cc}/gu, '');
  if (name === '' || [...name].length > 255) throw invalidParams('file has no usable name');
  return name;
}

/** Whether bytes begin as gzip does (RFC 1952). */
export const isGzip = (first: Uint8Array): boolean => first[0] === 0x1f && first[1] === 0x8b;

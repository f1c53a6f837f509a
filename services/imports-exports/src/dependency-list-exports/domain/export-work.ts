import type { Property } from '../../boms';
import type { DependencyListExport, ExportForm, ExportTarget, PipelineCommit } from './dependency-list-export';

/** A new export. */
export interface NewExport extends ExportForm {
  readonly kind: ExportTarget['kind'];
  readonly targetId: number;
  readonly authorId: number;
  readonly fullPath: string;
  readonly pipeline: PipelineCommit | undefined;
}

/** An export that a process works on until its lease ends. */
export interface ExportLease {
  readonly export: DependencyListExport;
  readonly lease: string;
  readonly planned: boolean;
  /** Which try this is, from 1. */
  readonly attempt: number;
}

/** A place in the order of what is read page by page; undefined for the start. */
export type After = readonly string[] | undefined;

/** Names of a source for components, and what depends on what by these names; refs are digests. */
export interface SourceRows {
  readonly components: readonly { readonly key: string; readonly digest: Buffer; readonly text: string }[];
  readonly refs: readonly { readonly ref: Buffer; readonly key: string }[];
  readonly links: readonly { readonly ref: Buffer; readonly target: Buffer }[];
  readonly properties: readonly Property[];
}

import type { Component, Property } from '../../boms';
import type {
  DependencyListExport,
  ExportForm,
  ExportTarget,
  ListSize,
  PipelineCommit,
} from './dependency-list-export';

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

/** How a source is read. */
export interface SourceReading {
  readonly requestId: string;
  /** What was read of the export before. */
  readonly before: ListSize;
  /** Throws where the reading has to stop. */
  readonly keepLease: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** What some sources say of a component. */
export interface ComponentVariant {
  readonly key: string;
  /** Of what they say, in hexadecimal digits. */
  readonly digest: string;
  readonly component: Component;
  /** Of its text. */
  readonly characters: number;
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

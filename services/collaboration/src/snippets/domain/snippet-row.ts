import type { UserRow, Viewer } from '@switchyard/directory';
import type { SnippetFile } from './snippet';

/** The viewer, and their access to the project. */
export type SnippetViewer = Viewer & { readonly level: number };

/** A snippet with what it is printed with. */
export interface SnippetRow {
  readonly id: number;
  readonly projectId: number;
  readonly authorId: number;
  readonly author: UserRow | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly visibility: string;
  readonly paths: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Fields of a snippet. */
export interface SnippetFields {
  readonly title: string;
  readonly description: string | undefined;
  readonly visibility: string;
  readonly files: readonly SnippetFile[];
}

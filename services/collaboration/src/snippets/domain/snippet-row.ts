import type { UserRow, Viewer } from '@switchyard/directory';
import type { SnippetFile } from './snippet';

/** The viewer, and their access to the project; 0 where there is none. */
export type SnippetViewer = Viewer & { readonly level: number };

/** Which snippet. */
export interface SnippetKey {
  /** undefined for a personal one. */
  readonly projectId: number | undefined;
  readonly id: number;
}

/** Which personal snippets: those the viewer wrote, public ones, or all that the viewer may see. */
export interface PersonalSnippetFilter {
  readonly scope: 'own' | 'public' | 'all';
  readonly createdAfter: Date | undefined;
  readonly createdBefore: Date | undefined;
}

/** A snippet with what it is printed with. */
export interface SnippetRow extends SnippetKey {
  readonly authorId: number;
  readonly author: UserRow | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly visibility: string;
  readonly paths: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Kind of the forge it came from, as `imported_from` prints it; undefined for one that was made here. */
  readonly importedFrom: string | undefined;
}

/** Where a snippet was written, and when. */
export interface SnippetOrigin {
  /** Kind of the forge, as `imported_from` prints it. */
  readonly importedFrom: string;
  /** What names it there. */
  readonly foreignId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where an imported snippet lies, and whose it is. */
export interface SnippetPlace {
  /** Undefined for a personal one. */
  readonly projectId: number | undefined;
  readonly authorId: number;
}

/** What names a snippet of an archive that came into a project. @param id in the archive */
export const archivedSnippet = (projectId: number, id: number): string => `${projectId}:${id}`;

/** Fields of a snippet. */
export interface SnippetFields {
  readonly title: string;
  readonly description: string | undefined;
  readonly visibility: string;
  readonly files: readonly SnippetFile[];
}

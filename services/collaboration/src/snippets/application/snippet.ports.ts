import type { PageInfo, PageRequest } from '@switchyard/database';
import type { SnippetFile } from '../domain/snippet';
import type { LockedSnippet, SnippetDecision } from '../domain/snippet-change';
import type { SnippetFields, SnippetRow, SnippetViewer } from '../domain/snippet-row';

/** Which snippet. */
export interface SnippetKey {
  readonly projectId: number;
  readonly id: number;
}

/** Snippets of projects. */
export interface SnippetStore {
  /** One page of those a viewer may see, newest first: one statement, and a capped count with offset paging. */
  page(viewer: SnippetViewer, projectId: number, request: PageRequest): Promise<{ rows: SnippetRow[]; page: PageInfo }>;
  /** One that a viewer may see. */
  find(viewer: SnippetViewer, key: SnippetKey): Promise<SnippetRow | undefined>;
  /** Its files in their order. */
  files(id: number): Promise<SnippetFile[]>;
  /** Makes a snippet with its event; returns its id. */
  create(projectId: number, authorId: number, fields: SnippetFields): Promise<number>;
  /**
   * Locks a snippet that a viewer may see, decides, and saves the decision with its event in one transaction. A
   * deletion deletes its notes as well. False when there is no such snippet.
   * @param withFiles whether the decision depends on the files
   * @throws AppError what `decide` throws
   */
  change(
    viewer: SnippetViewer,
    key: SnippetKey,
    withFiles: boolean,
    decide: (locked: LockedSnippet) => SnippetDecision,
  ): Promise<boolean>;
  /** Snippets of an author with ids above `after`, ascending. */
  authoredBy(authorId: number, after: number, limit: number): Promise<SnippetKey[]>;
  /** Removes up to `limit` snippets of deleted projects; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}

import type { PageInfo, PageRequest, SqlExecutor, Tx } from '@switchyard/database';
import type { SnippetFile } from '../domain/snippet';
import type { SnippetFields, SnippetRow, SnippetViewer } from '../domain/snippet-row';

/** Snippets as rows. */
export interface SnippetStore {
  /** One page of those a viewer may see, newest first: one statement, and a capped count with offset paging. */
  page(viewer: SnippetViewer, projectId: number, request: PageRequest): Promise<{ rows: SnippetRow[]; page: PageInfo }>;
  /** One that a viewer may see. `db` may be a transaction. */
  find(viewer: SnippetViewer, projectId: number, id: number, db?: SqlExecutor): Promise<SnippetRow | undefined>;
  /** Its files in their order. */
  files(id: number, db?: SqlExecutor): Promise<SnippetFile[]>;
  insert(tx: SqlExecutor, projectId: number, authorId: number, fields: SnippetFields): Promise<number>;
  /** Locks a snippet; `precondition_failed` when it changed after `since`. */
  lock(tx: Tx, id: number, since?: Date): Promise<void>;
  update(tx: SqlExecutor, id: number, fields: SnippetFields): Promise<void>;
  remove(tx: SqlExecutor, id: number): Promise<void>;
  /** Removes up to `limit` snippets of deleted projects; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}

/** Appends what happened to a snippet in the transaction that made it true; its row is locked. */
export type PublishSnippet = (
  tx: Tx,
  snippet: { readonly id: number; readonly projectId: number; readonly title: string },
  actorId: number,
  fact: 'created' | 'renamed' | 'deleted',
) => Promise<void>;

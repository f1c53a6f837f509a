import type { PageInfo, PageRequest } from '@switchyard/database';
import type { SnippetFile } from '../domain/snippet';
import type { LockedSnippet, SnippetDecision } from '../domain/snippet-change';
import type {
  PersonalSnippetFilter,
  SnippetFields,
  SnippetKey,
  SnippetOrigin,
  SnippetPlace,
  SnippetRow,
  SnippetViewer,
} from '../domain/snippet-row';

/** A page of snippets. */
export interface SnippetPage {
  readonly rows: SnippetRow[];
  readonly page: PageInfo;
}

/** Snippets of projects, and personal ones. */
export interface SnippetStore {
  /**
   * One page of those of a project that a viewer may see, newest first: one statement, and a capped count with offset
   * paging.
   */
  page(viewer: SnippetViewer, projectId: number, request: PageRequest): Promise<SnippetPage>;
  /** The same of personal ones. */
  personalPage(viewer: SnippetViewer, filter: PersonalSnippetFilter, request: PageRequest): Promise<SnippetPage>;
  /** One that a viewer may see. */
  find(viewer: SnippetViewer, key: SnippetKey): Promise<SnippetRow | undefined>;
  /** Its files in their order. */
  files(id: number): Promise<SnippetFile[]>;
  /** Makes a snippet, with its event in a project; returns its id. */
  create(projectId: number | undefined, authorId: number, fields: SnippetFields): Promise<number>;
  /** Makes a snippet that was written elsewhere, without an event; false when its author has it already. */
  import(place: SnippetPlace, fields: SnippetFields, origin: SnippetOrigin): Promise<boolean>;
  /**
   * Locks a snippet that a viewer may see, decides, and saves the decision, with its event in a project, in one transaction. A
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

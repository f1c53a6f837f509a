import type { SqlExecutor, Tx } from '@switchyard/database';
import type { CrossReference } from '@switchyard/texts';
import type { ReferenceNote, ReferenceSource, ReferenceTarget, SourceHome } from '../domain/cross-reference';

/** Texts that refer to objects, and the system notes on these. */
export interface ReferenceStore {
  /** Title and description of an issue; undefined for a deleted one. */
  textOfIssue(tx: SqlExecutor, id: number): Promise<string | undefined>;
  /** Body of a comment; undefined for a deleted one, and for an internal one, which gets no note elsewhere. */
  textOfNote(tx: SqlExecutor, id: number): Promise<string | undefined>;
  /** Title and description of an epic; undefined for a deleted one. */
  textOfEpic(tx: SqlExecutor, id: number): Promise<string | undefined>;
  /** The project of a source, or the group of an epic; undefined for a deleted one. */
  home(tx: SqlExecutor, source: ReferenceSource): Promise<SourceHome | undefined>;
  /** Id of the group with a full path; undefined when there is none. */
  groupByPath(tx: SqlExecutor, path: string): Promise<number | undefined>;
  /** Id of the project with a full path; undefined when there is none. */
  projectByPath(tx: SqlExecutor, path: string): Promise<number | undefined>;
  /** The object that a reference names in a project, or an epic in a group; undefined when there is none. */
  target(
    tx: SqlExecutor,
    placeId: number,
    reference: Pick<CrossReference, 'kind' | 'iid'>,
  ): Promise<ReferenceTarget | undefined>;
  /** Whether a user may read an object. */
  mayRead(tx: SqlExecutor, target: ReferenceTarget, userId: number): Promise<boolean>;
  /** Ids of the issues that were moved and whose place an issue took. */
  movedInto(tx: SqlExecutor, issueId: number): Promise<number[]>;
  /**
   * Locks a target and writes a system note on it, unless a note with one of its causes is there. Nothing happens on a
   * deleted target.
   */
  write(tx: Tx, target: ReferenceTarget, note: ReferenceNote): Promise<void>;
}

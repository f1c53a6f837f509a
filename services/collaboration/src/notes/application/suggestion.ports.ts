import type { Tx } from '@switchyard/database';
import type { Noteable, Reader } from '../../noteables';
import type { DiscussionState, NoteDecision } from '../domain/note-change';
import type { NotePosition } from '../domain/note-position';
import type { NewSuggestion, SuggestionRow } from '../domain/suggestion';

/** Lines around the line of a note. */
export interface LinesAround {
  readonly position: NotePosition;
  readonly linesAbove: number;
  readonly linesBelow: number;
}

/** Lines that suggestions change, as the owner of the repositories knows them. */
export interface SuggestedChanges {
  /** The lines, in the given order; undefined where there are none. At most 2,000 at once. */
  read(
    projectId: number,
    places: readonly LinesAround[],
  ): Promise<(Pick<NewSuggestion, 'linesAbove' | 'linesBelow' | 'fromContent'> | undefined)[]>;
  /**
   * Makes one commit of suggestions, in the name of the reader; returns its sha. Fails with `not_found`, `forbidden`,
   * `bad_request`.
   * @param message empty: that of the project
   */
  apply(reader: Reader, noteable: Noteable, suggestions: readonly SuggestionRow[], message: string): Promise<string>;
}

/** Suggestions that a commit has applied. */
export interface AppliedSuggestions {
  readonly ids: readonly number[];
  readonly commitSha: string;
  readonly actorId: number;
}

/** Suggestions as they are kept. */
export interface SuggestionStore {
  /** Those of some ids that are there, in the order of the ids. */
  find(ids: readonly number[]): Promise<SuggestionRow[]>;
  /**
   * Marks suggestions as applied, and saves what `resolve` decides about the thread of each; what is marked already stays as
   * it is. In one transaction, that of the caller where there is one. Fails with `not_found` when the merge request is gone.
   */
  settle(
    noteable: Noteable,
    applied: AppliedSuggestions,
    resolve: (discussion: DiscussionState | undefined, now: Date) => NoteDecision,
    within?: Tx,
  ): Promise<void>;
}

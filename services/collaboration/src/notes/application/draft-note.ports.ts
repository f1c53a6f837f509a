import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Noteable, NoteableKey } from '../../noteables';
import type { DraftNote, DraftNoteEdit, DraftPublishing, DraftsBeside, NewDraftNote } from '../domain/draft-note';

/** Drafts by their author. Each change locks the noteable. */
export interface DraftNoteStore {
  /** One page of an author's drafts, oldest first: one statement, and a count with offset paging. */
  page(key: NoteableKey, authorId: number, request: PageRequest): Promise<{ rows: DraftNote[]; page: PageInfo }>;
  /** An author's drafts, or the one with an id, oldest first. */
  all(key: NoteableKey, authorId: number, id?: number): Promise<DraftNote[]>;
  /**
   * Writes a draft.
   * @param check refuses it by what its author's others take
   * @throws AppError not_found when the noteable was deleted in the meantime; what `check` throws
   */
  create(key: NoteableKey, draft: NewDraftNote, check: (others: DraftsBeside) => void): Promise<DraftNote>;
  /**
   * Changes a draft; undefined where the author has none with that id.
   * @param decide gets the draft, and what the author's others take
   */
  update(
    key: NoteableKey,
    authorId: number,
    id: number,
    decide: (draft: DraftNote, others: DraftsBeside) => DraftNoteEdit,
  ): Promise<DraftNote | undefined>;
  /** Sets ids aside for the notes of drafts that are there still, each once; by draft. */
  reserveNoteIds(authorId: number, ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Deletes a draft; false where the author has none with that id. */
  remove(key: NoteableKey, authorId: number, id: number): Promise<boolean>;
  /**
   * Publishes those of an author's drafts that are there still, oldest first, and deletes them, in one transaction with
   * the notes and their events.
   * @param by publishes each; its refusals are collected, and then nothing is published
   * @returns how many drafts there were
   * @throws AppError invalid with every refusal; what `check` throws
   */
  publish(noteable: Noteable, authorId: number, ids: readonly number[], by: DraftPublishing): Promise<number>;
}

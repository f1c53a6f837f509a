import { type AppError, invalid, notFound } from '@switchyard/errors';
import type { DiscussionState, NoteDecision } from './note-change';
import type { NotePosition } from './note-position';

/** A comment of a review, which its author alone sees until it is published. */
export interface DraftNote {
  readonly id: number;
  readonly authorId: number;
  readonly body: string;
  /** The thread that it replies to; undefined: it starts one. */
  readonly discussionId: string | undefined;
  readonly resolveDiscussion: boolean;
  readonly position: NotePosition | undefined;
  /** Of its position: digest of the path and two line numbers; undefined without a line. */
  readonly lineCode: string | undefined;
  readonly commitId: string | undefined;
  /** Grows with every change. */
  readonly version: number;
}

/** A draft to be written. */
export type NewDraftNote = Omit<DraftNote, 'id' | 'version'>;

/** What a change makes of a draft. */
export type DraftNoteEdit = Pick<DraftNote, 'body' | 'position' | 'lineCode'>;

/** Notes as drafts become them: within one transaction, in which the noteable is locked. */
export interface DraftPublication {
  /** What a discussion consists of now; undefined where there is none. */
  discussion(id: string): Promise<DiscussionState | undefined>;
  /** Saves a decision with its counters and its event. */
  save(decision: NoteDecision): Promise<void>;
}

/** How drafts are published. */
export interface DraftPublishing {
  /** Refuses all of them for one, before any is published. */
  check(draft: DraftNote): void;
  publish(draft: DraftNote, publication: DraftPublication): Promise<void>;
}

/** What other drafts of an author on a merge request take. */
export interface DraftsBeside {
  readonly drafts: number;
  /** Of their texts. */
  readonly bytes: number;
}

/** Drafts of one user on one merge request: they are published together, in one transaction. */
export const maxDrafts = 100;

/** Bytes of their texts: they are read together. */
export const maxDraftBytes = 16 << 20;

/** The refusal of what a draft asks for. */
export const refusedDraft = (reason: string): AppError => invalid({ base: [reason] });

/** A thread that is not there, or not for the author's eyes. */
export const noThread = 'Thread to reply to cannot be found';

/** The refusal of a draft that is none of the caller's. */
export const noDraft = (): AppError => notFound('Draft Note');

/**
 * Requires room for a draft beside the others of its author.
 * @throws AppError invalid
 */
export function checkRoom(others: DraftsBeside, body: string): void {
  if (others.drafts >= maxDrafts) throw refusedDraft(`Too many draft notes (maximum is ${maxDrafts})`);
  if (others.bytes + Buffer.byteLength(body) > maxDraftBytes)
    throw refusedDraft(`Draft notes are too long together (maximum is ${maxDraftBytes} bytes)`);
}

const commitPattern = /^[0-9a-f]{40}$/;

/**
 * The commit a draft is about; undefined for none.
 * @throws AppError invalid for what names no commit
 */
export function commitOf(commitId: string): string | undefined {
  if (commitId !== '' && !commitPattern.test(commitId)) throw invalid({ commit_id: ['is invalid'] });
  return commitId === '' ? undefined : commitId;
}

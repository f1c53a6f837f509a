import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { mentionsIn, newMentions } from '@switchyard/texts';
import { type CounterChange, type Noteable, noteableRules, requireUnmodified } from '../../noteables';
import { checkMayEdit, checkThreadSize, type Note, type NoteType, requireSeen, type Writer } from './note';
import type { MentionedUsers } from './note-fact';
import type { NoteRow } from './note-row';
import type { NewSuggestion } from './suggestion';

/** What a discussion consists of, as far as its rules depend on it. */
export interface DiscussionState {
  readonly id: string;
  readonly system: boolean;
  readonly internal: boolean;
  /** Type of its first note. */
  readonly type: NoteType;
  readonly position: unknown;
  /** Notes that can be resolved and are not. */
  readonly unresolvedIds: readonly number[];
  /** Notes that are resolved. */
  readonly resolvedIds: readonly number[];
  /** Of its notes together, as `bytesOf` counts them. */
  readonly bytes: number;
}

/** Notes as a change finds them: their noteable is locked until the change is saved. */
export interface LockedNotes {
  /** The selected note; undefined when it is not there. */
  readonly note: NoteRow | undefined;
  /** The selected discussion; undefined when it is not there. */
  readonly discussion: DiscussionState | undefined;
}

/** A note to be written. */
export interface NewNote {
  /** The id that was set aside for it; undefined: the next one. */
  readonly id?: number | undefined;
  /** Forty hexadecimal digits of the discussion that it joins; undefined starts one. */
  readonly discussionId: string | undefined;
  readonly type: NoteType;
  readonly authorId: number;
  readonly body: string;
  readonly internal: boolean;
  /** Position of a diff note. */
  readonly position: unknown;
  /**
   * The user who resolves it by writing it in a resolved thread; undefined where it is unresolved or cannot be
   * resolved.
   */
  readonly resolvedById: number | undefined;
  /** What its text suggests; undefined: nothing. */
  readonly suggestions?: readonly NewSuggestion[] | undefined;
  readonly at: Date;
}

/** One step of a change; it becomes one event. */
export type NoteStep =
  | {
      readonly kind: 'write';
      readonly note: NewNote;
      readonly mentions: MentionedUsers;
      /** The comment that it replies to becomes the first note of a thread (G-4.7-10). */
      readonly startsThread: boolean;
    }
  | {
      readonly kind: 'edit';
      readonly note: NoteRow;
      readonly body: string;
      readonly mentions: MentionedUsers;
      /** What the text suggests now; undefined where a note there suggests nothing. */
      readonly suggestions?: readonly NewSuggestion[] | undefined;
      readonly at: Date;
    }
  | { readonly kind: 'delete'; readonly note: NoteRow }
  | {
      readonly kind: 'resolve';
      readonly discussionId: string;
      readonly noteIds: readonly number[];
      /** Undefined: they become unresolved. */
      readonly resolvedById: number | undefined;
      readonly at: Date;
      /** Whether the whole thread is resolved afterwards. */
      readonly threadResolved: boolean;
    };

/** The result of a decision about notes; undefined changes nothing. */
export type NoteDecision =
  | {
      readonly step: NoteStep;
      readonly counters: CounterChange;
      /** When it happened, where that was before it is written; default then. */
      readonly occurredAt?: Date;
    }
  | undefined;

/** Gives a note that is to be written the id that was set aside for it. */
export const withNoteId = (decision: NoteDecision, id: number | undefined): NoteDecision =>
  decision?.step.kind === 'write'
    ? { ...decision, step: { ...decision.step, note: { ...decision.step.note, id } } }
    : decision;

/** How a note that is added (1) or deleted (-1) changes the counters. */
const counted = ({ internal }: Pick<Note, 'internal'>, by: 1 | -1): CounterChange => ({
  userNotesCount: by,
  internalNotesCount: internal ? by : 0,
});

/** How the number of unresolved threads changes when a thread goes from `before` to `after` unresolved notes. */
const unresolvedChange = (noteable: Noteable, before: number, after: number): number =>
  noteableRules[noteable.kind].countsThreads ? Number(after > 0) - Number(before > 0) : 0;

function mentionsOf(body: string, before?: string): MentionedUsers {
  const found = mentionsIn(body);
  const { usernames, directlyAddressed } = before === undefined ? found : newMentions(mentionsIn(before), found);
  return { usernames: [...usernames], directlyAddressedUsernames: [...directlyAddressed] };
}

/** Starts a discussion: with a comment outside a thread, or with the first note of a thread. */
export function decideNewDiscussion(
  noteable: Noteable,
  note: Pick<NewNote, 'type' | 'authorId' | 'body' | 'internal' | 'position' | 'suggestions' | 'at'>,
): NoteDecision {
  return {
    step: {
      kind: 'write',
      note: { ...note, discussionId: undefined, resolvedById: undefined },
      mentions: mentionsOf(note.body),
      startsThread: false,
    },
    counters: {
      ...counted(note, 1),
      unresolvedCount: note.type === undefined ? 0 : unresolvedChange(noteable, 0, 1),
    },
  };
}

/**
 * Replies to a discussion; a comment becomes a thread by it (G-4.7-10). A reply to a resolved thread is resolved too.
 * @throws AppError not_found when the discussion was deleted in the meantime; bad_request when the thread would be too
 * long
 */
export function decideReply(
  { discussion }: LockedNotes,
  noteable: Noteable,
  { authorId, body, suggestions, at }: Pick<NewNote, 'authorId' | 'body' | 'suggestions' | 'at'>,
): NoteDecision {
  if (discussion === undefined) throw notFound('Discussion');
  checkThreadSize(discussion.bytes, body);
  const { id, type, internal, position } = discussion;
  const unresolved = discussion.unresolvedIds.length;
  const resolved = noteableRules[noteable.kind].resolvable && type !== undefined && unresolved === 0;
  return {
    step: {
      kind: 'write',
      note: {
        discussionId: id,
        type: type ?? 'DiscussionNote',
        authorId,
        body,
        internal,
        position,
        resolvedById: resolved ? authorId : undefined,
        suggestions,
        at,
      },
      mentions: mentionsOf(body),
      startsThread: type === undefined,
    },
    counters: {
      ...counted({ internal }, 1),
      unresolvedCount: resolved ? 0 : unresolvedChange(noteable, unresolved, unresolved + 1),
    },
  };
}

/**
 * Changes the body of a note; the same body changes nothing.
 * @throws AppError not_found when it was deleted in the meantime
 */
export function decideEdit(
  { note }: LockedNotes,
  { body, suggestions, at }: Pick<NewNote, 'body' | 'suggestions' | 'at'>,
): NoteDecision {
  if (note === undefined) throw notFound();
  if (note.body === body) return undefined;
  return { step: { kind: 'edit', note, body, mentions: mentionsOf(body, note.body), suggestions, at }, counters: {} };
}

/** Which note is deleted, by whom, and on what condition. */
export interface NoteDeletion {
  readonly writer: Writer;
  /** The discussion that it must belong to; undefined: any. */
  readonly discussionId: string | undefined;
  /** Undefined: no condition. */
  readonly unmodifiedSince: Date | undefined;
}

/**
 * Deletes a note.
 * @throws AppError not_found, forbidden; precondition_failed when it changed after `unmodifiedSince`
 */
export function decideDeletion(
  { note: found, discussion }: LockedNotes,
  noteable: Noteable,
  { writer, discussionId, unmodifiedSince }: NoteDeletion,
): NoteDecision {
  const inPlace = discussionId === undefined || found?.discussionId === discussionId;
  const note = requireSeen(writer, inPlace ? found : undefined);
  checkMayEdit(writer, note, noteable.kind);
  requireUnmodified(note, unmodifiedSince);
  const unresolved = discussion?.unresolvedIds ?? [];
  const left = unresolved.filter((id) => id !== note.id);
  return {
    step: { kind: 'delete', note },
    counters: { ...counted(note, -1), unresolvedCount: unresolvedChange(noteable, unresolved.length, left.length) },
  };
}

/** What is resolved, or becomes unresolved. */
export interface Resolution {
  /** Undefined: every note of the discussion. */
  readonly noteId: number | undefined;
  readonly resolved: boolean;
  readonly actorId: number;
  readonly at: Date;
}

/**
 * Resolves notes of a thread, or makes them unresolved; what has that state changes nothing.
 * @throws AppError not_found when the discussion was deleted in the meantime; forbidden when it cannot be resolved
 */
export function decideResolution(
  { discussion }: LockedNotes,
  noteable: Noteable,
  { noteId, resolved, actorId, at }: Resolution,
): NoteDecision {
  if (discussion === undefined) throw notFound('Discussion');
  if (discussion.type === undefined || discussion.system) throw forbidden();
  const { unresolvedIds, resolvedIds } = discussion;
  const candidates = resolved ? unresolvedIds : resolvedIds;
  const noteIds = noteId === undefined ? candidates : candidates.filter((id) => id === noteId);
  if (noteIds.length === 0) return undefined;
  const before = unresolvedIds.length;
  const after = resolved ? before - noteIds.length : before + noteIds.length;
  return {
    step: {
      kind: 'resolve',
      discussionId: discussion.id,
      noteIds,
      resolvedById: resolved ? actorId : undefined,
      at,
      threadResolved: after === 0,
    },
    counters: { unresolvedCount: unresolvedChange(noteable, before, after) },
  };
}

/**
 * Requires that an edit keeps whether a note is internal.
 * @throws AppError bad_request
 */
export function requireSameConfidentiality(note: Pick<Note, 'internal'>, confidential: boolean | undefined): void {
  if (confidential !== undefined && confidential !== note.internal)
    throw badRequest('Note {:confidential=>["can\'t be changed"]}');
}

import type { Note } from './note';

/** A note as events name it. */
export interface NoteSubject {
  readonly id: number;
  readonly discussionId: string;
  /** `DiscussionNote` or `DiffNote`; empty for a comment outside a thread. */
  readonly type: string;
  readonly authorId: number;
  readonly internal: boolean;
}

/** Users whom a text mentions; those that it begins with are addressed directly. */
export interface MentionedUsers {
  readonly usernames: string[];
  readonly directlyAddressedUsernames: string[];
}

/** What can change on a noteable, as events report it. */
export type NoteFact =
  | {
      readonly $case: 'created' | 'updated';
      readonly value: { readonly note: NoteSubject; readonly mentions: MentionedUsers };
    }
  | { readonly $case: 'deleted'; readonly value: { readonly note: NoteSubject } }
  | {
      readonly $case: 'discussionChanged';
      readonly value: { readonly discussionId: string; readonly resolved: boolean };
    }
  /** Drafts were published as that many notes. */
  | { readonly $case: 'reviewed'; readonly value: { readonly notes: number } }
  | {
      readonly $case: 'reacted';
      /** `noteId` 0: a reaction to the noteable itself. */
      readonly value: {
        readonly noteId: number;
        readonly name: string;
        readonly given: boolean;
        readonly userId: number;
      };
    };

/** A note as events name it. */
export const noteSubject = (
  note: Pick<Note, 'id' | 'discussionId' | 'type' | 'authorId' | 'internal'>,
): NoteSubject => ({
  id: note.id,
  discussionId: note.discussionId,
  type: note.type ?? '',
  authorId: note.authorId,
  internal: note.internal,
});

import type { NoteableKey } from '../../noteables';
import type { AuthoredNote, GivenAward } from '../domain/authored-note';
import { decideAwardRemoval } from '../domain/award-change';
import { decideDeletion } from '../domain/note-change';
import type { AwardStore, NoteStore } from './note.ports';

/** Finds notes and reactions by their author; those on what is deleted are left out, which are purged with it. */
export interface AuthoredNotes {
  /** Comments; system notes record what happened and stay. */
  notes(userId: number, after: number, limit: number): Promise<AuthoredNote[]>;
  awards(userId: number, after: number, limit: number): Promise<GivenAward[]>;
}

/** The deletion is done by no user, with every right. */
const writer = { userId: 0, admin: true, level: 0 } as const;

/** A noteable as far as counters and events of deletions need it; its owner is not asked. */
const bare = ({ kind, projectId, targetId, sha }: NoteableKey) => ({
  ...{ kind, projectId, targetId, sha },
  iid: undefined,
  authorId: 0,
  assigneeIds: [],
  title: '',
  webUrl: '',
  state: '',
  confidential: false,
  locked: false,
});

/** Notes and reactions of a user who was deleted with what they wrote; counters and to-dos follow. */
export function authoredNotes(authored: AuthoredNotes, { notes, awards }: { notes: NoteStore; awards: AwardStore }) {
  const condition = { writer, discussionId: undefined, unmodifiedSince: undefined };
  return [
    {
      name: 'notes',
      of: (userId: number) => ({
        next: (after: number, limit: number) => authored.notes(userId, after, limit),
        work: ({ id, ...key }: AuthoredNote) => {
          const noteable = bare(key);
          const selection = { note: { id }, discussion: 'of the note' } as const;
          return notes.change(noteable, 0, selection, (locked) => decideDeletion(locked, noteable, condition));
        },
      }),
    },
    {
      name: 'reactions',
      of: (userId: number) => ({
        next: (after: number, limit: number) => authored.awards(userId, after, limit),
        work: ({ id, awardable, ...key }: GivenAward) =>
          awards.change(bare(key), 0, { awardable, id }, (award) => decideAwardRemoval(award, writer, undefined)),
      }),
    },
  ];
}

import type { Noteable } from '../../noteables';
import { type DiscussionState, decideDeletion, decideReply, decideResolution, type LockedNotes } from './note-change';
import type { NoteRow } from './note-row';

const at = new Date('2026-01-02T03:04:05Z');
const noteable = { kind: 'MergeRequest' } as Noteable;
const locked = (given: Partial<DiscussionState>, note?: Partial<NoteRow>): LockedNotes => ({
  note: note as NoteRow | undefined,
  discussion: {
    id: 'a'.repeat(40),
    system: false,
    internal: false,
    type: 'DiscussionNote',
    position: undefined,
    unresolvedIds: [],
    resolvedIds: [],
    bytes: 0,
    ...given,
  },
});
const reply = { authorId: 3, body: 'Yes @ada', at };
const resolution = { noteId: undefined, resolved: true, actorId: 3, at };

describe('a reply', () => {
  it('makes a thread of a comment, which counts as unresolved', () => {
    expect(decideReply(locked({ type: undefined }), noteable, reply)).toMatchObject({
      step: { startsThread: true, note: { type: 'DiscussionNote', resolvedById: undefined } },
      counters: { userNotesCount: 1, unresolvedCount: 1 },
    });
  });

  it('leaves a resolved thread resolved', () => {
    expect(decideReply(locked({ resolvedIds: [1] }), noteable, reply)).toMatchObject({
      step: { startsThread: false, note: { resolvedById: 3 } },
      counters: { unresolvedCount: 0 },
    });
  });
});

describe('a resolution', () => {
  it('counts the thread once, and changes nothing the second time', () => {
    expect(decideResolution(locked({ unresolvedIds: [1, 2] }), noteable, resolution)).toMatchObject({
      step: { noteIds: [1, 2], resolvedById: 3, threadResolved: true },
      counters: { unresolvedCount: -1 },
    });
    expect(decideResolution(locked({ resolvedIds: [1, 2] }), noteable, resolution)).toBeUndefined();
  });

  it('of one note leaves the thread unresolved while another note is', () => {
    expect(decideResolution(locked({ unresolvedIds: [1, 2] }), noteable, { ...resolution, noteId: 2 })).toMatchObject({
      step: { noteIds: [2], threadResolved: false },
      counters: { unresolvedCount: 0 },
    });
  });
});

it('the deletion of the last unresolved note of a thread counts as its resolution', () => {
  const note = { id: 1, authorId: 3, internal: true, system: false };
  const deletion = {
    writer: { userId: 3, admin: false, level: 30 },
    discussionId: undefined,
    unmodifiedSince: undefined,
  };
  expect(decideDeletion(locked({ unresolvedIds: [1], resolvedIds: [2] }, note), noteable, deletion)).toMatchObject({
    step: { kind: 'delete', note },
    counters: { userNotesCount: -1, internalNotesCount: -1, unresolvedCount: -1 },
  });
});

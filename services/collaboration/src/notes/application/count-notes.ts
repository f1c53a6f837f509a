import type { Database } from '@switchyard/database';
import { type NoteableKind, noteableRules, type noteableStore } from '../../noteables';

/** What is counted on an object, by the names that travel. */
interface Counted {
  readonly version: number;
  readonly userNotesCount: number;
  readonly internalNotesCount: number;
  readonly unresolvedDiscussionsCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
}

const nothing: Counted = {
  version: 0,
  userNotesCount: 0,
  internalNotesCount: 0,
  unresolvedDiscussionsCount: 0,
  upvotes: 0,
  downvotes: 0,
};

/**
 * What is counted on an object now, for its owner (D8); zeros where there was never a note, and for a kind without
 * notes.
 */
export const countNotes =
  ({ db, noteables }: { db: Database; noteables: typeof noteableStore }) =>
  async ({ kind, projectId, targetId }: { kind: string; projectId: number; targetId: number }): Promise<Counted> => {
    if (!Object.hasOwn(noteableRules, kind)) return nothing;
    const key = { kind: kind as NoteableKind, projectId, targetId, sha: '' };
    const found = await noteables.counters(db, key);
    if (found === undefined) return nothing;
    const { unresolvedCount, ...rest } = found;
    return { ...rest, unresolvedDiscussionsCount: unresolvedCount };
  };

import { isShowableTime } from '@switchyard/texts';
import type { NoteableKind } from '../../noteables';
import { isBody, type NoteType } from './note';
import type { NotePosition } from './note-position';
import type { NewSuggestion } from './suggestion';

/** Kinds of noteables whose notes come in. */
export type ImportedNoteable = Extract<NoteableKind, 'Issue' | 'MergeRequest' | 'Commit' | 'Snippet'>;

/** Where a note stands in the diff of its merge request, as a forge says it (see the proto). */
export interface ForgePlace {
  readonly commitSha: string;
  readonly path: string;
  readonly line: number;
  readonly oldSide: boolean;
  readonly hunk: string;
}

/** A suggestion as an archive of a project has it. */
export interface ImportedSuggestion extends NewSuggestion {
  /** The commit that applied it; null: it was not applied. */
  readonly commitSha: string | null;
}

/** A note as it was in another system. */
export interface ImportedNote {
  readonly key: string;
  readonly noteable: ImportedNoteable;
  /** Number of an issue or merge request; 0 for others. */
  readonly noteableIid: number;
  /** Sha of a commit, or what names a snippet where it came from. */
  readonly noteableName?: string;
  /** What it is in its discussion; where it is not said, it follows from the rest. */
  readonly type?: NoteType | null;
  /** Empty for a comment of its own. */
  readonly thread: string;
  readonly startsThread: boolean;
  readonly authorId: number;
  readonly body: string;
  readonly system: boolean;
  readonly action: string | undefined;
  readonly internal: boolean;
  readonly resolvedById: number | undefined;
  readonly resolvedAt: Date | undefined;
  readonly place: ForgePlace | undefined;
  readonly position: NotePosition | undefined;
  readonly originalPosition: NotePosition | undefined;
  /** What it suggests, in the order of its text; undefined for nothing. */
  readonly suggestions?: readonly ImportedSuggestion[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Characters that name a note or a thread. */
const maxKey = 100;

/** Whether a note can be one here. */
export const isImportable = (note: ImportedNote): boolean =>
  note.key !== '' &&
  note.key.length <= maxKey &&
  note.thread.length <= maxKey &&
  note.authorId > 0 &&
  isBody(note.body) &&
  [note.createdAt, note.updatedAt].every(isShowableTime) &&
  (note.action === undefined || /^[a-z_]{1,50}$/.test(note.action));

/** What a note is in its discussion. */
export function typeOf({ type, system, position, thread, startsThread }: ImportedNote): NoteType {
  if (type !== undefined) return type ?? undefined;
  if (system) return undefined;
  if (position !== undefined) return 'DiffNote';
  return thread === '' && !startsThread ? undefined : 'DiscussionNote';
}

/** The position of a place that was found. */
export const positionAt = (
  place: Pick<NotePosition, 'baseSha' | 'startSha' | 'headSha' | 'oldPath' | 'newPath' | 'oldLine' | 'newLine'>,
): NotePosition => ({
  ...place,
  positionType: place.oldLine === undefined && place.newLine === undefined ? 'file' : 'text',
});

import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type Noteable, noteableRules, seesInternal } from '../../noteables';

/** Characters a body may have (api.md section 8). */
export const maxBodyLength = 1_000_000;

/** Which notes a list shows (G-4.6-1). */
export type NoteActivityFilter = 'all_notes' | 'only_comments' | 'only_activity';

/** How a note stands in its discussion; undefined: a comment of its own. */
export type NoteType = 'DiscussionNote' | 'DiffNote' | undefined;

/** A note as it is stored. */
export interface Note {
  readonly id: number;
  readonly noteableId: number;
  readonly projectId: number;
  /** Forty lower-case hexadecimal digits (G-2-19). */
  readonly discussionId: string;
  readonly startsDiscussion: boolean;
  readonly type: NoteType;
  readonly authorId: number;
  readonly body: string;
  readonly system: boolean;
  readonly internal: boolean;
  readonly resolvedAt: Date | undefined;
  readonly resolvedById: number | undefined;
  readonly importedFrom: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Who writes, and what they are in the project. */
export interface Writer {
  readonly userId: number;
  readonly admin: boolean;
  /** Access level in the project, 0 to 50. */
  readonly level: number;
}

/** Characters as a reader counts them: a pair of surrogates is one. */
function lengthOf(text: string): number {
  if (text.length <= maxBodyLength) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}

/** Refuses what cannot be the body of a note (G-4.6-3). */
export function checkBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}');
  if (lengthOf(body) > maxBodyLength)
    throw badRequest(`Note {:note=>["is too long (maximum is ${maxBodyLength} characters)"]}`);
}

/** Bytes a note counts for beside its text: about as many as the rest of it is printed with. */
export const bytesBesideText = 1_000;

/** Bytes that notes count for together. */
export const bytesOf = (notes: readonly Pick<Note, 'body'>[]): number =>
  notes.reduce((sum, { body }) => sum + bytesBesideText + Buffer.byteLength(body), 0);

/** Bytes a thread may have: it is shown as a whole, and the JSON of a text may be six times as long. */
const maxThreadBytes = 16 << 20;

/** Refuses what would make a thread of `bytes` too long to be shown. Fails with `bad_request`. */
export function checkRoom(bytes: number, text: string): void {
  if (bytes + bytesOf([{ body: text }]) > maxThreadBytes)
    throw badRequest(`Note {:note=>["makes the discussion too long (maximum is ${maxThreadBytes} bytes)"]}`);
}

/** Whether somebody may react to an object and its notes: to a locked one members of the project alone. */
export const mayReact = ({ admin, level }: Pick<Writer, 'admin' | 'level'>, { locked }: Noteable): boolean =>
  !locked || admin || level >= levels.guest;

/** Refuses whoever may not comment: on a locked object all but members of the project; internal notes below Reporter. */
export function checkMayComment(writer: Writer, noteable: Noteable, internal: boolean): void {
  if (!mayReact(writer, noteable)) throw forbidden();
  if (internal && (!noteableRules[noteable.kind].internal || !seesInternal(writer))) throw forbidden();
}

/** Refuses whoever may not edit or delete a note: the author and Maintainers may, nobody may a system note (G-4.6-6). */
export function checkMayEdit(writer: Writer, note: Note): void {
  if (note.system) throw forbidden();
  if (note.authorId !== writer.userId && !writer.admin && writer.level < levels.maintainer) throw forbidden();
}

/**
 * The note that was found, where the reader may see it. Fails with `404 Not found` for none. Readers who may not see internal notes get
 * `404 Note Not Found` for both (G-4.6-2, G-4.6-9): ids are numbered through, so a difference would let them count such notes.
 */
export function requireSeen<N extends Pick<Note, 'internal'>>(
  reader: Pick<Writer, 'level' | 'admin'>,
  note: N | undefined,
): N {
  if (note !== undefined && (!note.internal || seesInternal(reader))) return note;
  throw seesInternal(reader) ? notFound() : notFound('Note');
}

/**
 * The moment a note is given: the one asked for, where the writer is an owner or administrator (api.md 4.6); the wish of others is
 * ignored (G-4.6-7). Fails with `bad_request` for a moment before 1970 or after the year 9999, which not every client can read.
 */
export function momentOf(writer: Writer, wanted: Date | undefined, now: Date): Date {
  if (wanted === undefined || !(writer.admin || writer.level >= levels.owner)) return now;
  if (wanted.getTime() <= 0 || wanted.getUTCFullYear() > 9999)
    throw badRequest('Note {:created_at=>["must be after 1970-01-01"]}');
  return wanted;
}

/** Refuses to resolve (G-4.7-8): what cannot be resolved, and whoever is neither the noteable's author nor at least a Developer. */
export function checkMayResolve(writer: Writer, noteable: Noteable): void {
  if (!noteableRules[noteable.kind].resolvable) throw forbidden();
  if (writer.userId !== noteable.authorId && !writer.admin && writer.level < levels.developer) throw forbidden();
}

/** A note to be written. */
export interface NewNote {
  readonly noteableId: number;
  readonly projectId: number;
  /** Forty hexadecimal digits of the discussion it joins; undefined starts one. */
  readonly discussionId: string | undefined;
  readonly type: NoteType;
  readonly authorId: number;
  readonly body: string;
  readonly internal: boolean;
  /** A diff note's place. */
  readonly position: unknown;
  /** Who resolved it by writing it in a thread that is resolved; undefined where it waits, or cannot be resolved. */
  readonly resolvedById: number | undefined;
  readonly at: Date;
}

/** What a discussion is made of, as far as its rules depend on it. */
export interface DiscussionState {
  readonly notes: number;
  readonly system: boolean;
  readonly internal: boolean;
  /** Type of its first note. */
  readonly type: NoteType;
  readonly position: unknown;
  /** Notes that can be resolved and are not. */
  readonly unresolved: number;
  /** Of its notes together, as `checkRoom` counts them. */
  readonly bytes: number;
}

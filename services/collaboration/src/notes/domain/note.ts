import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { timeProblems } from '@switchyard/texts';
import { type Noteable, type NoteableKind, noteableRules, seesInternal } from '../../noteables';

/** Most characters of a body (api.md section 8). */
export const maxBodyLength = 1_000_000;

/** Which notes a list shows (G-4.6-1). */
export type NoteActivityFilter = 'all_notes' | 'only_comments' | 'only_activity';

/** What a note is in its discussion; undefined: a comment outside a thread. */
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

/** The user who writes, and their access to the project or group. */
export interface Writer {
  readonly userId: number;
  readonly admin: boolean;
  /** Access level in the project or group, 0 to 50. */
  readonly level: number;
}

/** Characters as users count them: a pair of surrogates is one. */
function lengthOf(text: string): number {
  if (text.length <= maxBodyLength) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}

/** Whether a note may have a body. */
export const isBody = (body: string): boolean => body.trim() !== '' && lengthOf(body) <= maxBodyLength;

/**
 * Requires a body that a note may have (G-4.6-3).
 * @throws AppError bad_request
 */
export function checkBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}');
  if (lengthOf(body) > maxBodyLength)
    throw badRequest(`Note {:note=>["is too long (maximum is ${maxBodyLength} characters)"]}`);
}

/** Bytes that a note counts in addition to its text: about the size of its other fields in JSON. */
export const bytesBesideText = 1_000;

/** Bytes that notes count together. */
export const bytesOf = (notes: readonly Pick<Note, 'body'>[]): number =>
  notes.reduce((sum, { body }) => sum + bytesBesideText + Buffer.byteLength(body), 0);

/** Most bytes of a thread: it is shown as a whole, and the JSON of a text may be six times as long. */
const maxThreadBytes = 16 << 20;

/**
 * Refuses a text that would make a thread of `bytes` too long to be shown.
 * @throws AppError bad_request
 */
export function checkThreadSize(bytes: number, text: string): void {
  if (bytes + bytesOf([{ body: text }]) > maxThreadBytes)
    throw badRequest(`Note {:note=>["makes the discussion too long (maximum is ${maxThreadBytes} bytes)"]}`);
}

/** Whether a user may react to an object and its notes; when it is locked, only members of the project may. */
export const mayReact = ({ admin, level }: Pick<Writer, 'admin' | 'level'>, { locked }: Noteable): boolean =>
  !locked || admin || level >= levels.guest;

/**
 * Requires that the writer may comment. On a locked object only members of the project may; internal notes are for
 * Reporters and above.
 * @throws AppError forbidden
 */
export function checkMayComment(writer: Writer, noteable: Noteable, internal: boolean): void {
  if (!mayReact(writer, noteable)) throw forbidden();
  if (internal && (!noteableRules[noteable.kind].internal || !seesInternal(writer))) throw forbidden();
}

/**
 * Requires that the writer may edit or delete a note: its author and those from its kind's level on may. No one may
 * edit a system note (G-4.6-6).
 * @throws AppError forbidden
 */
export function checkMayEdit(writer: Writer, note: Note, kind: NoteableKind): void {
  if (note.system) throw forbidden();
  if (note.authorId !== writer.userId && !writer.admin && writer.level < noteableRules[kind].editorLevel)
    throw forbidden();
}

/**
 * Requires a note that the reader may see. A reader who may not see internal notes gets `404 Note Not Found` for an
 * internal note and for none (G-4.6-2, G-4.6-9): ids are consecutive, so a difference would let them count internal
 * notes. Other readers get `404 Not found`.
 * @throws AppError not_found
 */
export function requireSeen<N extends Pick<Note, 'internal'>>(
  reader: Pick<Writer, 'level' | 'admin'>,
  note: N | undefined,
): N {
  if (note !== undefined && (!note.internal || seesInternal(reader))) return note;
  throw seesInternal(reader) ? notFound() : notFound('Note');
}

/**
 * When a note was written: the requested timestamp, where the writer is an owner or administrator (api.md 4.6).
 * Requests of others are ignored (G-4.6-7).
 * @throws AppError bad_request for a timestamp before 1970 or after the year 9999, which not every client can read
 */
export function timestampOf(writer: Writer, wanted: Date | undefined, now: Date): Date {
  if (wanted === undefined || !(writer.admin || writer.level >= levels.owner)) return now;
  const problems = timeProblems(wanted);
  if (problems.length > 0) throw badRequest(`Note {:created_at=>${JSON.stringify(problems)}}`);
  return wanted;
}

/**
 * Requires that the writer may resolve threads of a noteable (G-4.7-8): its author and Developers may, where its kind
 * has such threads.
 * @throws AppError forbidden
 */
export function checkMayResolve(writer: Writer, noteable: Noteable): void {
  if (!noteableRules[noteable.kind].resolvable) throw forbidden();
  if (writer.userId !== noteable.authorId && !writer.admin && writer.level < levels.developer) throw forbidden();
}

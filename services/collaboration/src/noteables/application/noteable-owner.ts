import type { Tx } from '@switchyard/database';
import type { CallContext } from '@switchyard/rpc';
import type { CommandedEdit } from '@switchyard/texts';
import type { Noteable, NoteableKind, NoteableRef } from '../domain/noteable';
import type { NoteableCounters } from '../domain/noteable-counters';

/** The viewer, and the request within which a noteable is read. */
export type Reader = Pick<CallContext, 'actor' | 'requestId' | 'access'>;

/** Finds a noteable that the reader may read. Fails with `not_found` (`404 <Kind> Not Found`) when there is none. */
export type NoteableResolver<Kind extends NoteableKind> = (
  ref: Extract<NoteableRef, { kind: Kind }>,
  reader: Reader,
) => Promise<Noteable>;

/** Where a command comes from. */
export interface CommandOrigin {
  /** The note that is going to be written with it. */
  readonly noteId?: number | undefined;
  /** Names the command, where the same one may be run again: what adds to the object is then added once. */
  readonly cause?: string | undefined;
}

/**
 * Changes an object of one kind in the name of the author, by the rules of its owner. Fails as the owner's endpoint
 * would, and also where that passes over what the writer may not set or the object cannot become: what has not been
 * done must not be said to be.
 */
export type NoteableEditor = (
  reader: Reader,
  noteable: Noteable,
  edit: CommandedEdit,
  origin?: CommandOrigin,
) => Promise<void>;

/**
 * Keeps a kind's counters on a row of this service, in the transaction that moves them; other owners follow the events.
 */
export type KeepCounters = (
  tx: Tx,
  noteable: Noteable,
  counters: NoteableCounters,
  by: { readonly actorId: number; readonly at: Date; readonly internal: boolean },
) => Promise<void>;

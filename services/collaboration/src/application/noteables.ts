import { notFound } from '@switchyard/errors';
import type { CallContext } from '@switchyard/rpc';
import { type Noteable, type NoteableKind, type NoteableRef, noteableRules } from '../domain/noteable';

/** For whom and within which request a noteable is asked for. */
export type Reader = Pick<CallContext, 'actor' | 'requestId' | 'access'>;

/** Finds a noteable that the reader may read. Fails with `not_found` (`404 <Kind> Not Found`) when there is none. */
export type NoteableResolver<Kind extends NoteableKind> = (
  ref: Extract<NoteableRef, { kind: Kind }>,
  reader: Reader,
) => Promise<Noteable>;

/** How each kind is found; kinds without a resolver cannot be. */
export type NoteableResolvers = { readonly [Kind in NoteableKind]?: NoteableResolver<Kind> };

/** Finds noteables of every kind. */
export type Noteables = (ref: NoteableRef, reader: Reader) => Promise<Noteable>;

/** One finder for all kinds. A reference to another project than the one the gateway resolved finds nothing. */
export const findNoteable =
  (resolvers: NoteableResolvers): Noteables =>
  async (ref, reader) => {
    const resolve = resolvers[ref.kind] as NoteableResolver<NoteableKind> | undefined;
    if (resolve === undefined || reader.access?.id !== ref.projectId) throw notFound(noteableRules[ref.kind].thing);
    return resolve(ref as never, reader);
  };

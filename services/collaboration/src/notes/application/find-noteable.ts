import { notFound } from '@switchyard/errors';
import {
  type Noteable,
  type NoteableKind,
  type NoteableRef,
  type NoteableResolver,
  noteableRules,
  type Reader,
} from '../../noteables';

/** The resolver of each kind; a kind without one is never found. */
export type NoteableResolvers = { readonly [Kind in NoteableKind]?: NoteableResolver<Kind> };

/** Finds noteables of every kind. */
export type Noteables = (ref: NoteableRef, reader: Reader) => Promise<Noteable>;

/** The project or group of a reference. */
const placeOf = (ref: NoteableRef): number => (ref.kind === 'Epic' ? ref.groupId : ref.projectId);

/**
 * One finder for all kinds. A reference to another project or group than the one the gateway resolved finds nothing.
 */
export const findNoteable =
  (resolvers: NoteableResolvers): Noteables =>
  async (ref, reader) => {
    const resolve = resolvers[ref.kind] as NoteableResolver<NoteableKind> | undefined;
    if (resolve === undefined || reader.access?.id !== placeOf(ref)) throw notFound(noteableRules[ref.kind].thing);
    return resolve(ref as never, reader);
  };

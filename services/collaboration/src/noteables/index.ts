export type {
  CommandOrigin,
  KeepCounters,
  NoteableEditor,
  NoteableResolver,
  Reader,
} from './application/noteable-owner';
export {
  type Noteable,
  type NoteableKey,
  type NoteableKind,
  type NoteableRef,
  noteableRules,
  seesInternal,
} from './domain/noteable';
export type { CounterChange, NoteableCounters } from './domain/noteable-counters';
export { requireUnmodified } from './domain/unmodified';
export { noteableId, noteableStore } from './storage/noteable.store';

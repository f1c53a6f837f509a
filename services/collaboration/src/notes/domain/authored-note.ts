import type { NoteableKey } from '../../noteables';
import type { Awardable } from './award-emoji';

/** A note of a user, and where its counters are. */
export interface AuthoredNote extends NoteableKey {
  readonly id: number;
}

/** A reaction of a user, and where its counters are. */
export interface GivenAward extends NoteableKey {
  readonly id: number;
  readonly awardable: Awardable;
}

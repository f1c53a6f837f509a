import type { UserRow } from '@switchyard/directory';
import type { NoteableKind } from '../../noteables';

/** What a reaction is given to. */
export interface Awardable {
  readonly type: NoteableKind | 'Note';
  readonly id: number;
}

/** A reaction with what it is printed with. */
export interface AwardRow {
  readonly id: number;
  readonly name: string;
  readonly userId: number;
  readonly user: UserRow | undefined;
  readonly awardable: Awardable;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

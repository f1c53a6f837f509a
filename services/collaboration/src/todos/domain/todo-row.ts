import type { ProjectRow, UserRow } from '@switchyard/directory';
import type { GroupRow, TargetType } from '../../targets';

/** A to-do with what it is printed with. */
export interface TodoRow {
  id: number;
  action: string;
  targetType: TargetType;
  targetId: number;
  noteId: number | undefined;
  body: string | undefined;
  state: string;
  createdAt: Date;
  updatedAt: Date;
  author: UserRow | undefined;
  /** Undefined when it belongs to a group. */
  project: ProjectRow | undefined;
  /** Undefined when it belongs to a project. */
  group: GroupRow | undefined;
}

import { raw } from '@switchyard/database/sql';
import type { Subject, SubjectType } from '../domain/notification-event';

/** What an event happened to, as its row has it. */
export interface SubjectRow {
  readonly subject_type: SubjectType;
  readonly subject_id: number;
  readonly subject_iid: number;
  readonly project_id: number;
  /** 0 for what lies in a project. */
  readonly group_id: number;
}

/** Columns of `SubjectRow`. */
export const subjectColumns = raw('subject_type, subject_id, subject_iid, project_id, group_id');

/** What an event happened to. */
export const subjectOf = (row: SubjectRow): Subject => ({
  type: row.subject_type,
  id: row.subject_id,
  iid: row.subject_iid,
  projectId: row.project_id,
  ...(row.group_id === 0 ? {} : { groupId: row.group_id }),
});

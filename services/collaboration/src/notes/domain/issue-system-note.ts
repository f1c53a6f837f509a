import {
  commonFieldNotes,
  emphasized,
  type FieldChange,
  type FieldNotes,
  fieldSystemNotes,
  people,
  type SystemNote,
  systemNote,
} from './system-note';
import { timeNotes } from './time-note';

/** What can change on an issue, as far as it gets system notes. */
export type IssueNoteFact =
  | {
      readonly kind: 'updated';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
      /** Public names. */
      readonly changedFields: readonly string[];
      readonly changes: readonly FieldChange[];
    }
  | {
      readonly kind: 'moved';
      readonly direction: 'to' | 'from';
      /** The issue on the other side; its reference is a full one. */
      readonly other: { readonly id: number; readonly projectId: number; readonly reference: string };
    };

const worded = (name: string): string => name.replaceAll('_', ' ');

/** The text of the note on a change, by field. */
const fieldNotes: FieldNotes = {
  ...commonFieldNotes,
  due_date: (change) => (change.new === '' ? 'removed the due date' : `changed the due date to ${change.new}`),
  discussion_locked: (change) => `${change.new === 'true' ? 'locked' : 'unlocked'} the discussion`,
  issue_type: (change) => `changed the type from ${change.old} to ${change.new}`,
  health_status: (change) =>
    change.new === ''
      ? `removed the health status ${emphasized(worded(change.old))}`
      : `changed the health status to ${emphasized(worded(change.new))}`,
  severity: (change) => `changed the severity to ${emphasized(change.new)}`,
  ...Object.fromEntries(
    Object.entries(timeNotes).map(([field, fieldNote]) => [
      field,
      (change: FieldChange) => fieldNote({ old: Number(change.old), new: Number(change.new) }),
    ]),
  ),
};

/**
 * System notes that follow from a change of an issue. Changes of labels, state, milestone and weight get none (api.md
 * section 2, Note). The note of a move is visible to users who can read the issue on the other side: not everyone may
 * know that project.
 */
export function issueSystemNotes(actorId: number, fact: IssueNoteFact): SystemNote[] {
  if (fact.kind === 'moved') {
    const { direction, other } = fact;
    return [
      {
        action: 'moved',
        authorId: actorId,
        parts: [`moved ${direction} ${other.reference}`],
        source: { kind: 'Issue', ...other },
      },
    ];
  }
  const words = { added: 'assigned to', removed: 'unassigned' };
  return [
    ...fieldSystemNotes(actorId, fact, fieldNotes),
    ...systemNote(actorId, 'assignee', people(fact.addedAssigneeIds, fact.removedAssigneeIds, words)),
  ];
}

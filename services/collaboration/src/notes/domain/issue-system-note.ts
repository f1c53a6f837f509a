import { emphasized, type SystemNotePart as Part, people, type SystemNote } from './system-note';
import { timeNotes } from './time-note';

/** What can change on an issue, as far as it gets system notes. */
export type IssueNoteFact =
  | {
      readonly kind: 'updated';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
      /** Public names. */
      readonly changedFields: readonly string[];
      readonly changes: readonly { readonly field: string; readonly old: string; readonly new: string }[];
    }
  | {
      readonly kind: 'moved';
      readonly direction: 'to' | 'from';
      /** The issue on the other side; its reference is a full one. */
      readonly other: { readonly id: number; readonly projectId: number; readonly reference: string };
    };

type Change = Extract<IssueNoteFact, { kind: 'updated' }>['changes'][number];

const worded = (name: string): string => name.replaceAll('_', ' ');

/** The text of the note on a change, by field. */
const fieldNotes: Record<string, (change: Change) => string> = {
  title: (change) => `changed the title from ${emphasized(change.old)} to ${emphasized(change.new)}`,
  due_date: (change) => (change.new === '' ? 'removed the due date' : `changed the due date to ${change.new}`),
  confidential: (change) => (change.new === 'true' ? 'made it confidential' : 'made it visible to everyone'),
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
      (change: Change) => fieldNote({ old: Number(change.old), new: Number(change.new) }),
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
  const notes: SystemNote[] = [];
  const addNote = (action: string, ...parts: Part[]): void => {
    if (parts.length > 0) notes.push({ action, authorId: actorId, parts });
  };
  for (const change of fact.changes) {
    const fieldNote = Object.hasOwn(fieldNotes, change.field) ? fieldNotes[change.field] : undefined;
    if (fieldNote !== undefined) addNote(change.field, fieldNote(change));
  }
  if (fact.changedFields.includes('description')) addNote('description', 'changed the description');
  addNote(
    'assignee',
    ...people(fact.addedAssigneeIds, fact.removedAssigneeIds, { added: 'assigned to', removed: 'unassigned' }),
  );
  return notes;
}

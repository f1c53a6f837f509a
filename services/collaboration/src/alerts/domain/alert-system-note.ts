import { asCode } from '@switchyard/texts';
import { emphasized, people, type SystemNote } from '../../notes';
import type { AlertFact } from './alert';

/** Statuses as notes call them. */
const names: Readonly<Record<string, string>> = {
  triggered: 'Triggered',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
  ignored: 'Ignored',
};

/** What became of the incident of an alert. */
export type IncidentOutcome = { readonly kind: 'opened'; readonly iid: number } | { readonly kind: 'closed' };

/**
 * System notes on an alert that follow from what happened to it (G-4.12-11, G-4.12-12).
 * @param authorId who stands for it: the one who did it, else the alert bot
 */
export function alertSystemNotes(
  authorId: number,
  status: string,
  fact: AlertFact,
  incident: IncidentOutcome | undefined,
): SystemNote[] {
  const notes: SystemNote[] = [];
  const addNote = (action: string, ...parts: SystemNote['parts']): void => {
    if (parts.length > 0) notes.push({ action, authorId, parts });
  };
  switch (fact.kind) {
    case 'raised': {
      const tool = fact.details.monitoringTool;
      addNote('raised', tool === '' ? 'raised this alert' : `raised this alert as reported by ${asCode(tool)}`);
      break;
    }
    case 'statusChanged': {
      const because = {
        payload: ' since its end was reported',
        user: '',
        incident: ' since its incident was closed',
      }[fact.cause];
      addNote('status', `changed the status to ${emphasized(names[status] ?? status)}${because}`);
      break;
    }
    case 'assigned':
      addNote(
        'assignee',
        ...people(fact.addedAssigneeIds, fact.removedAssigneeIds, { added: 'assigned to', removed: 'unassigned' }),
      );
      break;
    case 'incidentWanted':
      break;
  }
  if (incident?.kind === 'opened') addNote('incident', `opened incident #${incident.iid}`);
  if (incident?.kind === 'closed') addNote('incident', 'closed the incident of this alert');
  return notes;
}

/** The system note on an incident that was closed because the end of its alert was reported. */
export const incidentClosedNote = (authorId: number): SystemNote => ({
  action: 'alert_ended',
  authorId,
  parts: ['closed this incident since the end of its alert was reported'],
});

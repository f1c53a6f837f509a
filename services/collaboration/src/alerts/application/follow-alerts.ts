import type { Tx } from '@switchyard/database';
import { unavailable } from '@switchyard/errors';
import { countTasks, mentionsIn } from '@switchyard/texts';
import { type changeIssue, editIssue, type incidents } from '../../issues';
import type { mailStore } from '../../mail';
import type { NoteableKey } from '../../noteables';
import type { SystemNoteCause, systemNotes } from '../../notes';
import type { Alert, AlertDetails, AlertFact, FollowedAlert } from '../domain/alert';
import { alertMail, alertMailLevel } from '../domain/alert-mail';
import { alertSystemNotes, type IncidentOutcome, incidentClosedNote } from '../domain/alert-system-note';
import { incidentDescription, incidentSeverity, incidentTitle } from '../domain/incident';
import type { AlertDirectory, FollowedAlerts } from './alert.ports';

/** Something that happened to an alert. */
export interface AlertEventInput {
  /** The alert after it. */
  readonly alert: Alert;
  /** 0 when a payload or a closed incident caused it. */
  readonly actorId: number;
  readonly fact: AlertFact;
  readonly cause: SystemNoteCause;
}

/** What following alerts works with. */
export interface AlertFollowing {
  readonly directory: AlertDirectory;
  readonly alerts: FollowedAlerts;
  readonly incidents: typeof incidents;
  readonly changeIssue: typeof changeIssue;
  readonly notes: Pick<typeof systemNotes, 'write'>;
  readonly mails: Pick<typeof mailStore, 'queue'>;
  readonly externalUrl: string;
}

/** Address of an alert. */
const alertUrl = (path: string, iid: number, externalUrl: string): string =>
  `${externalUrl}/${path}/-/alert_management/${iid}/details`;

/** The key of an alert under which its notes are kept. */
const alertKey = ({ id, projectId }: Pick<Alert, 'id' | 'projectId'>): NoteableKey => ({
  kind: 'AlertManagement::Alert',
  projectId,
  targetId: id,
  sha: '',
});

/**
 * Opens and closes the incidents of alerts, and writes the system notes of both, within the transaction that takes note
 * of the event. An alert has one incident at a time: an event that comes again opens none, nor does one that comes
 * after the alert's end. Nothing new comes into a project without issues or an archived one; what is there is closed
 * all the same, wherever it was moved. Mail is asked for here and sent elsewhere, so that no mail server holds events
 * up.
 */
export const followAlerts =
  (edges: AlertFollowing) =>
  async (tx: Tx, { alert, actorId, fact, cause }: AlertEventInput): Promise<void> => {
    const { directory, alerts, notes } = edges;
    const project = await directory.project(tx, alert.projectId);
    if (project === undefined) return;
    const botId = await directory.alertBotId(tx);
    if (botId === undefined) throw unavailable('the directory has no alert bot yet');
    const author = (await directory.acts(tx, actorId)) ? actorId : botId;
    const known = await alerts.follow(tx, alert);
    // Only an alert that is still open is worth a mail (G-4.12-11).
    if (fact.kind === 'raised' && fact.sendEmail && alert.status === 'triggered' && !known.ended) {
      const place = { path: project.path, url: alertUrl(project.path, alert.iid, edges.externalUrl) };
      const recipients = await directory.members(tx, alert.projectId, alertMailLevel);
      await edges.mails.queue(tx, alertMail(alert, fact.details, place), recipients);
    }
    const incident =
      fact.kind === 'statusChanged'
        ? fact.closeIncident && (await closeIncident(tx, edges, alert, botId, cause))
        : project.takesIssues && (await openIncident(tx, edges, { alert, fact, known, author }));
    await notes.write(tx, alertKey(alert), alertSystemNotes(author, alert.status, fact, incident || undefined), cause);
  };

/** What the incident says, where the event asks for one. */
function wantedIncident(fact: AlertFact, known: FollowedAlert): AlertDetails | undefined {
  if (fact.kind === 'incidentWanted') return fact.details;
  // Who asks for the incident of an alert that has ended gets it; the alert itself wants none any more.
  return fact.kind === 'raised' && fact.openIncident && !known.ended ? fact.details : undefined;
}

async function openIncident(
  tx: Tx,
  { alerts, incidents }: AlertFollowing,
  { alert, fact, known, author }: { alert: Alert; fact: AlertFact; known: FollowedAlert; author: number },
): Promise<IncidentOutcome | undefined> {
  const details = wantedIncident(fact, known);
  if (details === undefined || known.incidentVersion >= alert.version) return undefined;
  if ((await incidents.ofAlert(tx, alert.id)) !== undefined) return undefined;
  const description = incidentDescription(alert, details);
  const tasks = countTasks(description);
  const issue = await incidents.open(tx, {
    alertId: alert.id,
    projectId: alert.projectId,
    authorId: author,
    title: incidentTitle(alert),
    description,
    issueType: 'incident',
    confidential: false,
    severity: incidentSeverity(alert),
    milestoneId: undefined,
    dueDate: undefined,
    weight: undefined,
    taskCount: tasks.count,
    completedTaskCount: tasks.completed,
    assigneeIds: [],
    labelIds: [],
    // The title comes from a payload, so it mentions no one.
    mentions: mentionsIn(description),
  });
  await alerts.openedIncident(tx, alert);
  return { kind: 'opened', iid: issue.iid };
}

async function closeIncident(
  tx: Tx,
  { incidents, changeIssue, notes }: Pick<AlertFollowing, 'incidents' | 'changeIssue' | 'notes'>,
  alert: Alert,
  botId: number,
  cause: SystemNoteCause,
): Promise<IncidentOutcome | undefined> {
  const incident = await incidents.ofAlert(tx, alert.id);
  if (incident === undefined) return undefined;
  let moved = false;
  let closes = false;
  await changeIssue(tx, incident.id, botId, (locked) => {
    moved = locked.issue.alertId !== alert.id;
    const change = moved ? undefined : editIssue(locked, { stateEvent: 'close' }, botId, cause.occurredAt);
    closes = change !== undefined;
    return change;
  });
  // It was moved before it could be locked: another issue is the incident now.
  if (moved) return closeIncident(tx, { incidents, changeIssue, notes }, alert, botId, cause);
  if (!closes) return undefined;
  const key: NoteableKey = { kind: 'Issue', projectId: incident.projectId, targetId: incident.id, sha: '' };
  await notes.write(tx, key, [incidentClosedNote(botId)], cause);
  return { kind: 'closed' };
}

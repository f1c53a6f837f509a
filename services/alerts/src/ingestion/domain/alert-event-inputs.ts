import type { AlertEventInput, AlertSubject } from '../../alerts';
import type { DecidedAlert } from './alert-batch';

/** When a raised alert started: as its payload says, else when the payload arrived. */
export const startOf = ({ by, payload }: NonNullable<DecidedAlert['raised']>): Date =>
  by.startsAt ?? payload.receivedAt;

/** Key of an alert that has no id yet. */
export const numberKey = (projectId: number, iid: number): string => `${projectId}:${iid}`;

/**
 * The events of an alert in a batch: it was raised, it ended, or both.
 * @param ids ids of the alerts that the batch raised, by `numberKey`
 */
export function alertEventInputs(alert: DecidedAlert, ids: ReadonlyMap<string, number>, now: Date): AlertEventInput[] {
  const { stored, raised, resolved, projectId, iid, title } = alert;
  const id = stored?.id ?? ids.get(numberKey(projectId, iid));
  const severity = stored?.severity ?? raised?.by.severity;
  if (id === undefined || severity === undefined) throw new Error('an alert has not been written');
  const version = stored?.version ?? 1;
  const before = stored?.status ?? 'triggered';
  const subject: AlertSubject = {
    id,
    iid,
    projectId,
    title,
    severity,
    status: before,
    version,
    issueIid: stored?.issueIid,
  };
  const common = { actorId: 0, occurredAt: now };
  return [
    ...(raised === undefined
      ? []
      : [
          {
            ...common,
            alert: subject,
            fact: {
              kind: 'raised' as const,
              openIncident: raised.payload.policy.openIncident,
              // No mail about an alert that has ended already (G-4.12-11).
              sendEmail: raised.payload.policy.sendEmail && resolved === undefined,
              details: { ...raised.by, startedAt: startOf(raised) },
            },
          },
        ]),
    ...(resolved === undefined
      ? []
      : [
          {
            ...common,
            alert: { ...subject, status: 'resolved' as const, version: version + 1 },
            fact: {
              kind: 'statusChanged' as const,
              previous: before,
              cause: 'payload' as const,
              closeIncident: resolved.payload.policy.closeIncident,
            },
          },
        ]),
  ];
}

import {
  type AnySubscription,
  accessRequestEvents,
  alertEvents,
  deploymentEvents,
  type EventDefinition,
  epicEvents,
  groupEvents,
  issueEvents,
  membershipEvents,
  mergeRequestEvents,
  milestoneEvents,
  noteEvents,
  pipelineEvents,
  projectEvents,
  releaseEvents,
  repositoryPushed,
  sshKeyEvents,
  subscription,
  userEvents,
} from '@switchyard/events';
import type { PendingChanges } from '../application/change.ports';
import type { Owner } from '../domain/pending-change';

/**
 * Every event that can lead to a hook waits for its owner to render it, as it came. Those of merge-requests wait in order
 * within their project, whatever their keys: a process that is away is so for whole projects (ADR 81).
 */
export function pendingSubscriptions(pending: PendingChanges): AnySubscription[] {
  const waiting = <Payload extends object>(
    owner: Owner,
    event: EventDefinition<Payload>,
    projectOf: (payload: Payload) => number | undefined = () => undefined,
  ): AnySubscription =>
    subscription({
      event,
      // Imported history leads to no hook (D6).
      concerns: (payload) => !('imported' in payload && payload.imported),
      handle: (payload, tx, { id, type, body }) =>
        pending.add(tx, owner, { eventId: id, type, body, projectId: projectOf(payload) ?? 0 }),
    });
  return [
    waiting('groups-admin', membershipEvents),
    waiting('groups-admin', accessRequestEvents),
    waiting('groups-admin', projectEvents),
    waiting('groups-admin', groupEvents),
    waiting('groups-admin', milestoneEvents),
    waiting('groups-admin', userEvents),
    waiting('groups-admin', sshKeyEvents),
    waiting('merge-requests', repositoryPushed, ({ projectId }) => projectId),
    waiting('merge-requests', mergeRequestEvents, ({ mergeRequest }) => mergeRequest?.projectId),
    waiting('merge-requests', pipelineEvents, ({ projectId }) => projectId),
    waiting('merge-requests', deploymentEvents, ({ deployment }) => deployment?.projectId),
    waiting('merge-requests', releaseEvents, ({ release }) => release?.projectId),
    waiting('collaboration', issueEvents),
    waiting('collaboration', epicEvents),
    waiting('collaboration', noteEvents),
    waiting('alerts', alertEvents),
  ];
}

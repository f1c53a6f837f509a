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

/** Every event that can lead to a hook waits for its owner to render it, as it came. */
export function pendingSubscriptions(pending: PendingChanges): AnySubscription[] {
  const waiting = <Payload>(owner: Owner, event: EventDefinition<Payload>): AnySubscription =>
    subscription({
      event,
      handle: (_payload, tx, { id, type, body }) => pending.add(tx, owner, { eventId: id, type, body }),
    });
  return [
    waiting('groups-admin', membershipEvents),
    waiting('groups-admin', accessRequestEvents),
    waiting('groups-admin', projectEvents),
    waiting('groups-admin', groupEvents),
    waiting('groups-admin', milestoneEvents),
    waiting('groups-admin', userEvents),
    waiting('groups-admin', sshKeyEvents),
    waiting('merge-requests', repositoryPushed),
    waiting('merge-requests', mergeRequestEvents),
    waiting('merge-requests', pipelineEvents),
    waiting('merge-requests', deploymentEvents),
    waiting('merge-requests', releaseEvents),
    waiting('collaboration', issueEvents),
    waiting('collaboration', epicEvents),
    waiting('collaboration', noteEvents),
    waiting('alerts', alertEvents),
  ];
}

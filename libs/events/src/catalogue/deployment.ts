import { DeploymentEvent } from '@switchyard/protos/merge_requests/events/v1/deployment_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Deployments, in order per environment (see the proto for the ids of events). */
export const deploymentEvents = defineEvent({
  stream: 'merge-requests.deployment',
  version: 1,
  type: 'deployment.changed',
  message: DeploymentEvent,
  key: (event) => String(event.deployment?.environmentId ?? 0),
});

/** Id of an event of `deploymentEvents`. */
export const deploymentEventId = factEventId<DeploymentEvent>('deployment');

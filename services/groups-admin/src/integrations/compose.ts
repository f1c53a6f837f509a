import type { Area } from '@switchyard/service';
import type { ChangeFollower } from '../changes';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import type { QueueDeliveries } from './application/delivery.ports';
import { followChanges } from './application/follow-changes';
import { manageIntegrations } from './application/manage-integrations';
import { integrationTarget } from './application/prepare-delivery';
import { integrationStore } from './storage/integration.store';
import { integrationDeliveryStore } from './storage/integration-delivery.store';
import { integrationHandler } from './transport/integration.handler';

/** Integrations, and what they make of changes. */
interface IntegrationArea extends Area {
  /** Decides what integrations send of changes; queues it by `queue`. */
  follower(queue: QueueDeliveries): ChangeFollower;
  /** Makes the requests of deliveries whose target is an integration. */
  readonly target: ReturnType<typeof integrationTarget>;
}

/** Integrations of groups, projects and the instance. */
export function composeIntegrations({ config, db, observe }: Edges): IntegrationArea {
  const ring = ringOf(config);
  const integrations = manageIntegrations({
    integrations: integrationStore(db, ring),
    isDevelopment: config.SWITCHYARD_DEVELOPMENT_INTEGRATIONS,
    addressProblem: () => undefined,
  });
  const store = integrationDeliveryStore(db, ring);
  return {
    services: [integrationHandler(observe('integrations', integrations))],
    follower: (queue) => followChanges({ store, queue }),
    target: integrationTarget(store),
  };
}

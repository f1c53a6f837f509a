import type { Area } from '@switchyard/service';
import type { ChangeFollower } from '../changes';
import { type DeliveryArea, queueDeliveries } from '../deliveries';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import { followChanges } from './application/follow-changes';
import { manageIntegrations } from './application/manage-integrations';
import { integrationTarget } from './application/prepare-delivery';
import { integrationStore } from './storage/integration.store';
import { integrationDeliveryStore } from './storage/integration-delivery.store';
import { integrationHandler } from './transport/integration.handler';

/** Integrations, and what they make of changes. */
interface IntegrationArea extends Area {
  /** Queues what integrations send of changes. */
  readonly follower: ChangeFollower;
}

/** Integrations of groups, projects and the instance. */
export function composeIntegrations({ config, db, observe }: Edges, deliveries: DeliveryArea): IntegrationArea {
  const ring = ringOf(config);
  const integrations = manageIntegrations({
    integrations: integrationStore(db, ring),
    isDevelopment: config.SWITCHYARD_DEVELOPMENT_INTEGRATIONS,
    addressProblem: deliveries.addressProblem,
  });
  const store = integrationDeliveryStore(db, ring);
  deliveries.register('integration', integrationTarget(store));
  return {
    services: [integrationHandler(observe('integrations', integrations))],
    follower: followChanges({ store, queue: queueDeliveries }),
  };
}

import { headerProblem } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { ChangeFollower } from '../changes';
import { type DeliveryArea, deliveryOfAttempt, listAttempts, queueDeliveries } from '../deliveries';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import { followChanges, webhookTarget } from './application/deliver-webhooks';
import { manageWebhooks } from './application/manage-webhooks';
import { presentSample } from './presenters/sample.presenter';
import { sampleFacts } from './storage/sample-facts.store';
import { webhookStore } from './storage/webhook.store';
import { candidatesFor, changeHealth, webhookReader } from './storage/webhook-delivery.store';
import { webhookHandler } from './transport/webhook.handler';

/** Webhooks, and what they do with changes. */
export interface WebhookArea extends Area {
  /** Queues what webhooks get of changes. */
  readonly follower: ChangeFollower;
}

/** Webhooks of projects, groups and the instance. */
export function composeWebhooks({ config, db, clock, observe }: Edges, deliveries: DeliveryArea): WebhookArea {
  const ring = ringOf(config);
  const facts = sampleFacts(db);
  const instance = config.SWITCHYARD_EXTERNAL_URL;
  const webhooks = observe(
    'webhooks',
    manageWebhooks({
      webhooks: webhookStore(db, ring),
      rules: { url: deliveries.addressProblem, header: headerProblem },
      sendNow: deliveries.sendNow,
      listEvents: (target, filter, page) => listAttempts(db, target, filter, clock(), page),
      findEvent: (target, id) => deliveryOfAttempt(db, target, id, clock()),
      sample: async (place, { kind, confidential }, userId) =>
        presentSample(kind, confidential, await facts(place, userId), instance, clock()),
      clock,
    }),
  );
  const target = webhookTarget(
    { read: webhookReader(db, ring), changeHealth, clock },
    { instance, agent: 'Switchyard/0.1.0' },
  );
  for (const kind of ['project_hook', 'group_hook', 'system_hook'] as const) deliveries.register(kind, target);
  return {
    services: [webhookHandler(webhooks, clock)],
    follower: followChanges({ candidates: candidatesFor, queue: queueDeliveries, clock }),
  };
}

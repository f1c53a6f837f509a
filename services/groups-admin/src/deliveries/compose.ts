import { repeat } from '@switchyard/background';
import { configuredOutbound } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { Change } from '../changes';
import type { Edges } from '../edges';
import type { DeliveryTarget } from './application/delivery.ports';
import { sendDelivery } from './application/send-delivery';
import { settleTargets, workOffDeliveries } from './application/work-off-deliveries';
import type { DueDelivery, Outcome, TargetKind } from './domain/delivery';
import { deliveryStore } from './storage/delivery.store';
import { listDeliveryEntries } from './storage/delivery-entry.list';
import { pruneDeliveries } from './storage/prune-deliveries';
import { deliveryHandler } from './transport/delivery.handler';

/** Milliseconds between two prunings. */
const pruneEveryMs = 60_000;
/** Milliseconds of a request that a user waits for: the call that they make ends after 10 s. */
const waitedForMs = 8_000;

/** A delivery that a user asks for: it has no place in the queue, and is not repeated. */
export type RequestedDelivery = Omit<DueDelivery, 'id' | 'attempts' | 'partsSent' | 'kind' | 'action' | 'isRequested'>;

/** What leaves the house: queued deliveries, and those that a user asks for. */
export interface DeliveryArea extends Area {
  /** Names what makes the requests of one kind of target; before `start`. */
  register(kind: TargetKind, target: DeliveryTarget): void;
  /** What is wrong with an address as it is configured, undefined for nothing: it is no address, or not allowed. */
  addressProblem(url: string): string | undefined;
  /** Sends a delivery at once, and records it. It is not repeated when it fails. */
  sendNow(delivery: RequestedDelivery, change: Change): Promise<Outcome>;
}

/** The deliveries engine. */
export function composeDeliveries({ config, db, clock, observe }: Edges): DeliveryArea {
  const outbound = configuredOutbound(config);
  const targets = new Map<TargetKind, DeliveryTarget>();
  const store = deliveryStore(db);
  const send = sendDelivery({ outbound, targets, clock, retries: config.SWITCHYARD_DELIVERY_RETRIES });
  const { send: sendOnce, list } = observe('deliveries', {
    send: sendDelivery({ outbound, targets, clock, retries: 0, timeoutMs: waitedForMs }),
    list: (filter: Parameters<typeof listDeliveryEntries>[1]) => listDeliveryEntries(db, filter),
  });
  return {
    services: [deliveryHandler(list)],

    register(kind, target) {
      targets.set(kind, target);
    },

    addressProblem: outbound.problemOf,

    async sendNow(requested, change) {
      const { kind, action } = change;
      const delivery = { ...requested, id: 0, attempts: 0, partsSent: 0, kind, action, isRequested: true };
      const outcome = await sendOnce({ delivery, change });
      const now = clock();
      await store.record(outcome, change, now, settleTargets(targets, now));
      return outcome;
    },

    start: () => [
      workOffDeliveries({ store, send, targets, clock }).start(),
      repeat('old deliveries', pruneEveryMs, (stopping) => pruneDeliveries(db, clock(), stopping)),
    ],

    close: () => outbound.close(),
  };
}

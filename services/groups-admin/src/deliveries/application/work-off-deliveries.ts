import { setTimeout as pause } from 'node:timers/promises';
import { type Repeating, repeat } from '@switchyard/background';
import type { Tx } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import type { LeasedOutcome, Outcome } from '../domain/delivery';
import type { DeliveryStore, Targets } from './delivery.ports';
import { deliveryTimeoutMs, type SendDelivery } from './send-delivery';

faultPoints.push('delivery.sent', 'delivery.recorded');

/** Deliveries under way in one process; most of them wait for an answer. */
const mostUnderWay = 256;
/** Deliveries that one transaction records, and leases. */
const batch = 100;
/** Milliseconds after which due repeats are looked for, where no notice comes: while something is under way, and at rest. */
const lookEveryMs = 1_000;
const lookAtRestMs = 15_000;
/** Milliseconds of a lease beyond what a delivery may take: to prepare it, and to record it. */
const leaseMarginMs = 30_000;
/** Milliseconds that deliveries under way have to end when the process stops; others are sent again. */
const endWithinMs = 3_000;
/** Milliseconds for which outcomes are gathered: at a thousand a second it is a transaction for several of them. */
const gatherMs = 4;
/** Receivers that are remembered as slow. */
const mostSlow = 1_000;

/** Writes what follows from outcomes for their targets. */
export const settleTargets =
  (targets: Targets, now: Date) =>
  async (tx: Tx, recorded: readonly Outcome[]): Promise<void> => {
    for (const [kind, target] of targets) {
      const own = recorded.filter(({ delivery }) => delivery.targetKind === kind);
      if (own.length > 0) await target.settled(tx, own, now);
    }
  };

/** Sends what is due, many at a time, and records what came of it. */
export function workOffDeliveries({
  store,
  send,
  targets,
  clock,
}: {
  store: DeliveryStore;
  send: SendDelivery;
  targets: Targets;
  clock: () => Date;
}): { start(): Repeating } {
  /** Receivers without an answer at their last try: they keep one place, so that many of them do not hold all. */
  const slow = new Set<string>();
  const ended: LeasedOutcome[] = [];
  let underWay = 0;
  let wake = (): void => undefined;

  function noteHealth({ delivery: { receiver }, fate, responseStatus }: Outcome): void {
    slow.delete(receiver);
    if (fate === 'sent' || fate === 'skipped' || responseStatus !== undefined) return;
    if (slow.size >= mostSlow) slow.delete([...slow][0] ?? '');
    slow.add(receiver);
  }

  /** Records what ended, and sends what is due. @returns how many deliveries it began to send */
  async function exchange(isStopping: boolean): Promise<number> {
    const outcomes = ended.splice(0, batch);
    const limit = isStopping ? 0 : Math.max(0, Math.min(batch, mostUnderWay - underWay - ended.length));
    if (outcomes.length === 0 && limit === 0) return 0;
    if (outcomes.length > 0) faultPoint('delivery.sent');
    const now = clock();
    const until = new Date(now.getTime() + deliveryTimeoutMs + leaseMarginMs);
    const leased = await store
      .exchange(outcomes, { limit, slow: [...slow], now, until }, settleTargets(targets, now))
      .catch((error) => {
        ended.unshift(...outcomes);
        throw error;
      });
    if (outcomes.length > 0) faultPoint('delivery.recorded');
    for (const one of leased) {
      underWay += 1;
      void send(one)
        .then((outcome) => {
          noteHealth(outcome);
          ended.push({ ...outcome, lease: one.lease });
        })
        // Its lease ends by itself, and it is tried again.
        .catch((error) => logger.error({ err: error, delivery: one.delivery.id }, 'a delivery was not sent'))
        .finally(() => {
          underWay -= 1;
          wake();
        });
    }
    return leased.length;
  }

  const woken = (milliseconds: number): Promise<void> =>
    new Promise((settle) => {
      const timer = setTimeout(settle, milliseconds);
      wake = () => {
        clearTimeout(timer);
        settle();
      };
    });

  async function run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const next = woken(lookEveryMs);
      const leased = await exchange(false);
      if (leased === 0 && underWay === 0 && ended.length === 0) return;
      if (ended.length === 0) await next;
      // What ends at about the same time is recorded together.
      if (underWay > 0) await pause(gatherMs);
    }
    const end = performance.now() + endWithinMs;
    while (underWay > 0 && performance.now() < end) await Promise.race([woken(endWithinMs), pause(endWithinMs)]);
    while (ended.length > 0) await exchange(true);
  }

  return {
    start() {
      const repeating = repeat('deliveries', lookAtRestMs, run);
      const unlisten = store.onDeliveries(() => {
        wake();
        repeating.soon();
      });
      return {
        soon: () => repeating.soon(),
        async close() {
          unlisten();
          const closed = repeating.close();
          wake();
          await closed;
        },
      };
    },
  };
}

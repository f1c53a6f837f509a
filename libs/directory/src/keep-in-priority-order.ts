import { repeat } from '@switchyard/background';
import type { PriorityOrderStore } from './priority-order';

/** Milliseconds between two checks of the directory, which is in memory. */
const interval = 1_000;

/** Milliseconds between two searches for rows that another process left to be checked again. */
const unsettledInterval = 60_000;

/** Milestones and labels of one round. */
const sources = 100;

/** Rows one statement moves; keeps its locks short. */
const batch = 1_000;

/**
 * Keeps rows in the order of their milestones' dates and their labels' ranks when those change: within some seconds, a
 * thousand rows a statement. A change of a row's milestone or labels updates its order itself.
 */
export async function putInPriorityOrder(orders: PriorityOrderStore, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const stale = await orders.stale(sources);
    for (const source of stale) {
      let after: number | undefined = 0;
      while (after !== undefined && stopping?.aborted !== true) after = await orders.place(source, after, batch);
      if (stopping?.aborted === true) return;
      await orders.placed(source);
    }
    if (stale.length < sources) return;
  }
}

/** `putInPriorityOrder` when the directory has changed, and again until all rows are settled. */
export function keepInPriorityOrder(
  orders: PriorityOrderStore,
  directory: { sequence(): number },
): { close(): Promise<void> } {
  let seen: number | undefined;
  let settledAt = 0;
  return repeat('the order by priority', interval, async (stopping) => {
    const sequence = directory.sequence();
    if (sequence === seen && Date.now() - settledAt < unsettledInterval) return;
    if (sequence !== seen || (await orders.unsettled())) await putInPriorityOrder(orders, stopping);
    seen = sequence;
    settledAt = (await orders.unsettled()) ? 0 : Date.now();
  });
}

import type { Logger } from '@switchyard/telemetry';
import type { IssueOrderStore } from '../storage/issue-order.store';

/** Milliseconds between two looks at the directory. */
const interval = 1_000;

/** Milestones and labels of one round. */
const sources = 100;

/** Issues one statement moves; keeps its locks short. */
const batch = 1_000;

/**
 * Keeps issues in the order of their milestones' dates and their labels' ranks when those change: within some seconds, a thousand issues
 * a statement. Whoever gives an issue another milestone or label puts it in its place by themselves.
 */
export async function orderIssues(orders: IssueOrderStore, stopped: () => boolean = () => false): Promise<void> {
  for (;;) {
    const stale = await orders.stale(sources);
    for (const source of stale) {
      let after: number | undefined = 0;
      while (after !== undefined && !stopped()) after = await orders.place(source, after, batch);
      if (stopped()) return;
      await orders.placed(source);
    }
    if (stale.length < sources) return;
  }
}

/** `orderIssues` whenever the directory has changed. */
export function keepIssuesInOrder({
  orders,
  directory,
  log,
}: {
  orders: IssueOrderStore;
  directory: { sequence(): number };
  log: Logger;
}): { close(): Promise<void> } {
  let stopped = false;
  let seen: number | undefined;
  const look = async (): Promise<void> => {
    if (stopped) return;
    try {
      const sequence = directory.sequence();
      if (sequence === seen && !(await orders.unsettled())) return;
      await orderIssues(orders, () => stopped);
      seen = sequence;
    } catch (error) {
      log.warn({ err: error }, 'issues could not be put in order');
    }
  };
  let running = look();
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting) return;
    waiting = true;
    running = running.then(look).finally(() => {
      waiting = false;
    });
  }, interval);
  timer.unref();
  return {
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@switchyard/telemetry';
import type { AlertRemains } from '../storage/alert-remains.store';

/** Days a receipt can be read. */
const receiptDays = 30;

/** Days for which a message that comes late is recognised by the end that was told after it. */
const endDays = 7;

const everyMs = 3_600_000;

/** Rows of one statement: what deletes more holds up those who write. */
const atOnce = 5_000;

/** Deletes what is kept for a while only, at the start and every hour. */
export function pruneAlertRemains(remains: AlertRemains, log: Logger): { close(): Promise<void> } {
  const stopping = new AbortController();

  async function prune(one: (days: number, limit: number) => Promise<number>, days: number): Promise<void> {
    for (let deleted = atOnce; deleted === atOnce && !stopping.signal.aborted; ) deleted = await one(days, atOnce);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await prune(remains.pruneReceipts, receiptDays);
        await prune(remains.pruneEnds, endDays);
      } catch (error) {
        log.warn({ err: error }, 'receipts and ends of alerts were not pruned');
      }
      await pause(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

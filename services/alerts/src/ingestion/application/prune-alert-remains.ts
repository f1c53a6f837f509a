import { repeat } from '@switchyard/background';

/** What of the ingestion is kept for a while only. */
export interface AlertRemains {
  /** Deletes receipts older than `days`, at most `limit`; returns how many. */
  pruneReceipts(days: number, limit: number): Promise<number>;
  /** Deletes ends that arrived more than `days` ago, at most `limit`; returns how many. */
  pruneEnds(days: number, limit: number): Promise<number>;
}

/** Days a receipt can be read. */
const receiptDays = 30;

/** Days for which a message that comes late is recognised by the end that was told after it. */
const endDays = 7;

const everyMs = 3_600_000;

/** Rows of one statement: what deletes more holds up those who write. */
const atOnce = 5_000;

/** Deletes what is kept for a while only, at the start and every hour. */
export const pruneAlertRemains = (remains: AlertRemains) =>
  repeat('receipts and ends of alerts', everyMs, async (stopping) => {
    const prune = async (one: (days: number, limit: number) => Promise<number>, days: number): Promise<void> => {
      for (let deleted = atOnce; deleted === atOnce && !stopping.aborted; ) deleted = await one(days, atOnce);
    };
    await prune(remains.pruneReceipts, receiptDays);
    await prune(remains.pruneEnds, endDays);
  });

import { repeat } from '@switchyard/background';

/** Rows of the ingestion that are kept for a limited time. */
export interface AlertRetention {
  /** Deletes receipts older than `days`, at most `limit`; returns how many. */
  pruneReceipts(days: number, limit: number): Promise<number>;
  /** Deletes ends that arrived more than `days` ago, at most `limit`; returns how many. */
  pruneEnds(days: number, limit: number): Promise<number>;
}

/** Days a receipt can be read. */
const receiptDays = 30;

/** Days for which a late message is recognised by a later reported end. */
const endDays = 7;

const everyMs = 3_600_000;

/** Rows of one statement: a larger deletion delays writers. */
const batch = 5_000;

/** Deletes old receipts and ends, at the start and every hour. */
export const pruneReceivedAlerts = (retention: AlertRetention) =>
  repeat('receipts and ends of alerts', everyMs, async (stopping) => {
    const prune = async (one: (days: number, limit: number) => Promise<number>, days: number): Promise<void> => {
      for (let deleted = batch; deleted === batch && !stopping.aborted; ) deleted = await one(days, batch);
    };
    await prune(retention.pruneReceipts, receiptDays);
    await prune(retention.pruneEnds, endDays);
  });

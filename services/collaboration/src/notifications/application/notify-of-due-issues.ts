import { repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import type { NotificationEventStore } from './notification.ports';

/** Milliseconds between two looks; each day is looked at once. */
const interval = 600_000;

/** Issues that one transaction takes at the most. */
const batch = 1_000;

/** Keeps, once a day, the events of issues that are due tomorrow (UTC). */
export const notifyOfDueIssues = (db: Database, events: NotificationEventStore, clock: () => Date) =>
  repeat('issues that are due', interval, async (stopping) => {
    const tomorrow = new Date(clock().getTime() + 86_400_000).toISOString().slice(0, 10);
    while (!stopping.aborted && (await events.keepDueIssues(db, tomorrow, batch)) === batch);
  });

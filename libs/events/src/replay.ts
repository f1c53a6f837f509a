import type { Database } from '@switchyard/database';
import type { EventBus } from './bus';
import type { AnySubscription } from './consumer';
import { decodeBody } from './event';

/** The result of a replay. */
export interface ReplayResult {
  /** Different events handled. */
  readonly events: number;
  /** Time of the oldest of them; undefined when there was none. */
  readonly oldest: Date | undefined;
}

/**
 * Passes all events that the bus still has to the handlers of the subscriptions again, topic by topic, each event once
 * and without the inbox: for rebuilding rows that are made from events. Topics have no order among each other; handlers
 * write to scratch tables.
 * @param group name of this replay; a group that was used before continues at its offset
 */
export async function replay({
  bus,
  db,
  group,
  subscriptions,
}: {
  bus: EventBus;
  db: Database;
  group: string;
  subscriptions: readonly AnySubscription[];
}): Promise<ReplayResult> {
  const seen = new Set<string>();
  let oldest: Date | undefined;
  for (const topic of new Set(subscriptions.map(({ event }) => event.topic))) {
    await bus.drain({
      group,
      topic,
      async handler({ key, body, headers }) {
        const { id, type, time } = headers;
        const one = subscriptions.find(({ event }) => event.topic === topic && event.type === type);
        if (one === undefined || id === undefined || type === undefined || seen.has(id)) return;
        seen.add(id);
        const at = new Date(time ?? 0);
        const payload = decodeBody(one.event, body);
        if (one.concerns?.(payload) !== false) {
          await one.before?.(payload);
          await db.transaction((tx) => one.handle(payload, tx, { id, type, topic, key, time: at, body, attempt: 1 }));
        }
        if (oldest === undefined || at < oldest) oldest = at;
      },
    });
  }
  return { events: seen.size, oldest };
}

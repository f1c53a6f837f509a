import type { Database } from '@switchyard/database';
import type { EventBus } from './bus';
import type { AnySubscription } from './consumer';
import { decodeBody } from './event';

/** What a replay found. */
export interface Replayed {
  /** Different events handled. */
  readonly events: number;
  /** Moment of the oldest of them; undefined when there was none. */
  readonly oldest: Date | undefined;
}

/**
 * Gives everything the bus still holds of the subscriptions' events to their handlers once more, topic by topic, each event once and
 * without the inbox: for rebuilding what is made of events. There is no order among topics; handlers write to tables of their own.
 * @param group name of this replay; one that was used before continues where it stood
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
}): Promise<Replayed> {
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
        await one.before?.(payload);
        await db.transaction((tx) => one.handle(payload, tx, { id, type, topic, key, time: at, attempt: 1 }));
        if (oldest === undefined || at < oldest) oldest = at;
      },
    });
  }
  return { events: seen.size, oldest };
}

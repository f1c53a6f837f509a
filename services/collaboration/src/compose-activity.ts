import type { Database } from '@switchyard/database';
import { usersByIds, usersByUsernames } from '@switchyard/directory';
import { type EventBus, startConsumer } from '@switchyard/events';
import type { ServiceImplementation } from '@switchyard/rpc';
import { logger, observe } from '@switchyard/telemetry';
import { tidyActivityEvents } from './application/tidy-activity-events';
import { activityEventList } from './storage/activity-event.list';
import { activityEventStore } from './storage/activity-event.store';
import { activitySubscriptions } from './transport/activity.subscription';
import { eventHandler } from './transport/event.handler';

/** Consumer group of the feed: apart from that of to-dos, so that neither waits for the other. */
const activityGroup = 'collaboration.activity';

/** The activity feed (api.md 4.8): what it serves, and its background work once started. */
export function composeActivity({ db, bus, externalUrl }: { db: Database; bus: EventBus; externalUrl: string }): {
  readonly services: readonly ServiceImplementation[];
  start(): Promise<{ close(): Promise<void> }[]>;
} {
  const list = activityEventList(db);
  const events = activityEventStore(db);
  const useCases = observe('collaboration', { applyActivity: events.apply });
  const authorNamed = async (user: string): Promise<{ id: number } | undefined> => {
    const id = /^[1-9]\d{0,15}$/.test(user) ? Number(user) : undefined;
    const found =
      id === undefined
        ? (await usersByUsernames(db, [user])).get(user.toLowerCase())
        : (await usersByIds(db, [id])).get(id);
    return id === undefined || found?.id === id ? found : undefined;
  };
  return {
    services: [eventHandler(list, authorNamed, externalUrl)],
    start: async () => [
      await startConsumer({
        bus,
        db,
        group: activityGroup,
        subscriptions: activitySubscriptions(useCases.applyActivity),
      }),
      tidyActivityEvents({ events, log: logger }),
    ],
  };
}

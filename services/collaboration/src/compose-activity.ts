import type { Database } from '@switchyard/database';
import { type EventBus, startConsumer } from '@switchyard/events';
import type { ServiceImplementation } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { keepActivityEventsTidy } from './application/tidy-activity-events';
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
  return {
    services: [eventHandler(list, externalUrl)],
    start: async () => [
      await startConsumer({
        bus,
        db,
        group: activityGroup,
        subscriptions: activitySubscriptions(useCases.applyActivity),
      }),
      keepActivityEventsTidy(events),
    ],
  };
}

import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { keepActivityEventsTidy } from './application/tidy-activity-events';
import { activityEventList } from './storage/activity-event.list';
import { activityEventStore } from './storage/activity-event.store';
import { activitySubscriptions } from './transport/activity.subscription';
import { eventHandler } from './transport/event.handler';

/** Consumer group of the feed: apart from that of to-dos, so that neither waits for the other. */
const activityGroup = 'collaboration.activity';

/** Builds the activity feed (api.md 4.8). */
export function composeActivity({ config, db, observe }: Pick<Edges, 'config' | 'db' | 'observe'>): Area {
  const events = activityEventStore(db);
  const useCases = observe('collaboration', { applyActivity: events.apply });
  return {
    services: [eventHandler(activityEventList(db), config.SWITCHYARD_EXTERNAL_URL)],
    consumers: [{ group: activityGroup, subscriptions: activitySubscriptions(useCases.applyActivity) }],
    start: () => [keepActivityEventsTidy(events)],
  };
}

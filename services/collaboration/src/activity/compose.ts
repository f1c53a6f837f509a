import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { startPruningActivity } from './application/prune-activity';
import { activityList } from './storage/activity.list';
import { activityStore } from './storage/activity.store';
import { activityHandler } from './transport/activity.handler';
import { activitySubscriptions } from './transport/activity.subscription';

/** Consumer group of the feed: apart from that of to-dos, so that neither waits for the other. */
const activityGroup = 'collaboration.activity';

/** Builds the activity feed (api.md 4.8). */
export function composeActivity({ config, db, observe }: Pick<Edges, 'config' | 'db' | 'observe'>): Area {
  const events = activityStore(db);
  const useCases = observe('collaboration', { applyActivity: events.apply });
  return {
    services: [activityHandler(activityList(db), config.SWITCHYARD_EXTERNAL_URL)],
    consumers: [{ group: activityGroup, subscriptions: activitySubscriptions(useCases.applyActivity) }],
    start: () => [startPruningActivity(events)],
  };
}

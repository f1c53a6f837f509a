import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@switchyard/database';
import { type EventBus, replay } from '@switchyard/events';
import { certainFrom, nothingRebuilt, type Rebuilt } from '../rebuilds';
import type { ActivityChange } from './domain/activity';
import { activityStore } from './storage/activity.store';
import { activityRebuildStore } from './storage/activity-rebuild.store';
import { activitySubscriptions } from './transport/activity.subscription';

/**
 * Makes the activity feed from the events that the bus still holds and brings the feed in use to the same, while the
 * service runs; what is older stays. Events keep their ids.
 * @param certain from when on what is not among the events is removed; default an hour after the oldest of them
 */
export async function rebuildActivity({
  db,
  bus,
  certain,
}: {
  db: Database;
  bus: EventBus;
  certain?: Date;
}): Promise<Rebuilt> {
  const rebuilt = activityRebuildStore(db);
  const upTo = await rebuilt.prepare();
  const events = activityStore(db, rebuilt.table);
  // Topics come one after another: a title or a deletion counts for what other topics add as well, so these come last.
  const late = new Map<string, ActivityChange>();
  const apply = async (tx: Tx, { retitle, forget, forgetNote, add }: ActivityChange): Promise<void> => {
    if (retitle !== undefined) late.set(`title ${retitle.type} ${retitle.id}`, { retitle });
    if (forget !== undefined) late.set(`forget ${forget.type} ${forget.id}`, { forget });
    if (forgetNote !== undefined) late.set(`note ${forgetNote.noteId}`, { forgetNote });
    if (add !== undefined) await events.apply(tx, { add });
  };
  const { events: count, oldest } = await replay({
    bus,
    db,
    group: `collaboration.rebuild.${randomUUID()}`,
    subscriptions: activitySubscriptions(apply),
  });
  for (const change of late.values()) await db.transaction((tx) => events.apply(tx, change));
  if (oldest === undefined) return nothingRebuilt;
  return { events: count, ...(await rebuilt.reconcile(certain ?? certainFrom(oldest), upTo)) };
}

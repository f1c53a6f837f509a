import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@switchyard/database';
import {
  alertEvents,
  type EventBus,
  membershipEvents,
  mergeRequestEvents,
  replay,
  subscription,
} from '@switchyard/events';
import { followMergeRequests } from './application/follow-merge-requests';
import { followNotes } from './application/follow-notes';
import type { ActivityChange } from './domain/activity';
import { activityEventStore } from './storage/activity-event.store';
import { noteableStore } from './storage/noteable.store';
import { type Reconciled, rebuildStore } from './storage/rebuild.store';
import { todoEffects } from './storage/todo.store';
import { activitySubscriptions } from './transport/activity.subscription';
import { alertTodoFollower } from './transport/alert-todo.follower';
import { todoFollower } from './transport/merge-request-todo.follower';
import { todoSubscriptions } from './transport/todo.subscription';

/** What a rebuild found and changed. */
export type Rebuilt = Reconciled & { readonly events: number };

/**
 * The bus drops records topic by topic: right behind its oldest record one topic may have been cut and another not. What happened within
 * this many milliseconds of it is added and changed, but not removed.
 */
const unsure = 3_600_000;

const nothing: Rebuilt = { events: 0, added: 0, changed: 0, removed: 0 };

const certainFrom = (oldest: Date): Date => new Date(oldest.getTime() + unsure);

/**
 * Makes the activity feed from the events that the bus still holds and brings the feed in use to the same, while the service runs; what is
 * older stays. Events keep their ids.
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
  const { activity } = rebuildStore(db);
  const upTo = await activity.prepare();
  const events = activityEventStore(db, activity.table);
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
  if (oldest === undefined) return nothing;
  return { events: count, ...(await activity.reconcile(certain ?? certainFrom(oldest), upTo)) };
}

/**
 * The same for to-dos. What a user did by hand is no event: a to-do they made or marked as done stays so. Made are to-dos alone whose users
 * could read their targets for certain when they were asked, as members that they were then, and can now.
 * @param certain from when on to-dos are made, and those not among the events removed; default an hour after the oldest of them
 */
export async function rebuildTodos({
  db,
  bus,
  certain,
}: {
  db: Database;
  bus: EventBus;
  certain?: Date;
}): Promise<Rebuilt> {
  const { todos } = rebuildStore(db);
  const upTo = await todos.prepare();
  const effects = todoEffects(todos.tables);
  // First of all, since the other topics are read by what memberships were then.
  await replay({
    bus,
    db,
    group: `collaboration.rebuild.${randomUUID()}`,
    subscriptions: [
      subscription({
        event: membershipEvents,
        async handle({ fact, membershipId, occurredAt }, tx, { time }) {
          if (fact?.$case !== 'added' && fact?.$case !== 'changed') return;
          const before = fact.$case === 'added' ? 0 : fact.value.oldAccessLevel;
          await todos.membershipChanged(tx, membershipId, occurredAt ?? time, before);
        },
      }),
    ],
  });
  const follow = followMergeRequests({ todos: effects });
  const followed = todoFollower(follow);
  const followedAlerts = alertTodoFollower(follow);
  // The replica of the running service is read: whoever an event names has long arrived there.
  const directory = { sequence: () => Number.POSITIVE_INFINITY, ensure: async () => undefined };
  const { events, oldest } = await replay({
    bus,
    db,
    group: `collaboration.rebuild.${randomUUID()}`,
    subscriptions: [
      subscription({ event: mergeRequestEvents, handle: (event, tx, meta) => followed(tx, event, meta) }),
      subscription({ event: alertEvents, handle: (event, tx, { time }) => followedAlerts(tx, event, time) }),
      ...todoSubscriptions({
        ...effects,
        followIssues: follow,
        followNotes: followNotes({ todos: effects }),
        commitRow: noteableStore.id,
        directory,
      }),
    ],
  });
  if (oldest === undefined) return nothing;
  return { events, ...(await todos.reconcile(certain ?? certainFrom(oldest), upTo)) };
}

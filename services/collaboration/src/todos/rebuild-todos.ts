import { randomUUID } from 'node:crypto';
import type { Database } from '@switchyard/database';
import {
  alertEvents,
  type EventBus,
  membershipEvents,
  mergeRequestEvents,
  replay,
  subscription,
} from '@switchyard/events';
import { noteableStore } from '../noteables';
import { certainFrom, nothingRebuilt, type Rebuilt } from '../rebuilds';
import { followNotes } from './application/follow-notes';
import { followTargets } from './application/follow-targets';
import { todoEffects } from './storage/todo.store';
import { todoRebuildStore } from './storage/todo-rebuild.store';
import { alertTodoFollower } from './transport/alert-todo.follower';
import { mergeRequestTodoFollower } from './transport/merge-request-todo.follower';
import { todoSubscriptions } from './transport/todo.subscription';

/**
 * Makes the to-dos from the events that the bus still holds and brings those in use to the same, while the service
 * runs. What a user did by hand is no event: a to-do they made or marked as done stays so. Made are to-dos alone whose
 * users could read their targets for certain when they were asked, as members that they were then, and can now.
 * @param certain from when on to-dos are made, and those not among the events removed; default an hour after the oldest
 * of them
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
  const todos = todoRebuildStore(db);
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
  const follow = followTargets({ todos: effects });
  const followed = mergeRequestTodoFollower(follow);
  const followedAlerts = alertTodoFollower(follow);
  // The replica of the running service is read: it has the users of past events already.
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
        followEpics: follow,
        followMergeRequests: follow,
        followNotes: followNotes({ todos: effects }),
        commitRow: noteableStore.id,
        directory,
      }),
    ],
  });
  if (oldest === undefined) return nothingRebuilt;
  return { events, ...(await todos.reconcile(certain ?? certainFrom(oldest), upTo)) };
}

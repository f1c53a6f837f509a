import { randomUUID } from 'node:crypto';
import { repeat } from '@switchyard/background';
import { HookBodyServiceService as AlertBodies } from '@switchyard/protos/alerts/v1/hook_body';
import { HookBodyServiceService as CollaborationBodies } from '@switchyard/protos/collaboration/v1/hook_body';
import { HookBodyServiceService as MergeRequestBodies } from '@switchyard/protos/merge_requests/v1/hook_body';
import type { Area, Closable } from '@switchyard/service';
import { counter, gauge } from '@switchyard/telemetry';
import { targetRights } from '../directory';
import type { Edges } from '../edges';
import { composeHookBodies } from '../hook-bodies';
import type { PendingChanges, ReadRights, RenderHookBodies } from './application/change.ports';
import type { ChangeFollower } from './application/change-follower';
import { pruneChanges } from './application/prune-changes';
import { readChanges } from './application/read-changes';
import { renderChanges } from './application/render-changes';
import { watchChanges } from './application/watch-changes';
import { workOffChanges } from './application/work-off-changes';
import { changeList } from './storage/change.list';
import { changeStore } from './storage/change.store';
import { pendingChangeStore } from './storage/pending-change.store';
import { changeHandler } from './transport/change.handler';
import { renderedBy } from './transport/hook-body.client';
import { pendingSubscriptions } from './transport/pending.subscription';

/** Milliseconds between two prunings. */
const pruneEveryMs = 600_000;

const countPassedOver = counter({
  name: 'switchyard_changes_passed_over_total',
  help: 'Events that could not be rendered as hook bodies and were passed over',
});

/** Measures the events that wait, by the owner that has to render them. */
function measureWaiting(pending: PendingChanges): Closable {
  const labels = ['owner'] as const;
  const backlog = pending.backlog;
  const unread = [
    gauge({ name: 'switchyard_changes_waiting', help: 'Events that wait for their hook bodies', labels }, async () =>
      (await backlog()).map(({ owner, count }) => ({ labels: { owner }, value: count })),
    ),
    gauge({ name: 'switchyard_changes_waiting_seconds', help: 'Age of the oldest of them', labels }, async () =>
      (await backlog()).map(({ owner, age }) => ({ labels: { owner }, value: age })),
    ),
  ];
  return {
    async close() {
      for (const end of unread) end();
    },
  };
}

/**
 * What leaves the house: events become hook bodies, rendered by their owners, with one place each in a feed.
 * @param followers decide, in the transaction in which changes get their places, what follows from them
 */
export function composeChanges(given: Edges, { followers }: { readonly followers: readonly ChangeFollower[] }): Area {
  const { db, peer, observe } = given;
  const pending = pendingChangeStore(db);
  const changes = changeStore(db);
  const list = changeList(db);
  const rightsIn = targetRights(db);
  const rights: ReadRights = async (reader, targets) => ({ ...reader, ...(await rightsIn(reader, targets)) });
  const feeds = observe('changes', { readChanges: readChanges({ list, rights }) });
  const watched = watchChanges({ read: feeds.readChanges, head: list.head, onChange: changes.onChange });
  const edges = { db, pending, changes, followers, countPassedOver };
  const rounds = (render: RenderHookBodies, owner: Parameters<typeof renderChanges>[0]) =>
    renderChanges(owner, render, edges);
  return {
    services: [changeHandler(feeds.readChanges, watched)],
    consumers: [{ group: 'groups-admin.changes', subscriptions: pendingSubscriptions(pending) }],
    start: () => [
      measureWaiting(pending),
      workOffChanges({
        pending,
        onPending: pending.onPending,
        holder: randomUUID(),
        rounds: {
          'groups-admin': rounds(composeHookBodies(given), 'groups-admin'),
          'merge-requests': rounds(renderedBy(peer('merge-requests').client(MergeRequestBodies)), 'merge-requests'),
          collaboration: rounds(renderedBy(peer('collaboration').client(CollaborationBodies)), 'collaboration'),
          alerts: rounds(renderedBy(peer('alerts').client(AlertBodies)), 'alerts'),
        },
      }),
      repeat('old changes are pruned', pruneEveryMs, pruneChanges(changes)),
    ],
    drain: () => watched.drain(),
  };
}

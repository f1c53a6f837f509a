import { cursorOf } from '../domain/change-body';
import type { FeedPage, PrintedChange } from '../domain/feed';

/** A change as the feed prints it; its body is JSON already. */
export function presentChange({ body, ...change }: PrintedChange): string {
  const head = JSON.stringify({
    position: change.position,
    cursor: cursorOf(change.position),
    kind: change.kind,
    action: change.action,
    object: change.objectKey,
    project_id: change.projectId === 0 ? null : change.projectId,
    group_id: change.groupId === 0 ? null : change.groupId,
    actor_id: change.actorId === 0 ? null : change.actorId,
    occurred_at: change.occurredAt,
    event_id: change.eventId,
  });
  return `${head.slice(0, -1)},"body":${body}}`;
}

/** A page of the feed. */
export const presentChanges = ({ changes, cursor, more }: FeedPage): Buffer =>
  Buffer.from(`{"changes":[${changes.map(presentChange).join()}],"cursor":"${cursorOf(cursor)}","more":${more}}`);

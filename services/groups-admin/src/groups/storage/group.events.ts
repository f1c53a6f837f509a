import { appendAllToOutbox, groupEvents } from '@switchyard/events';
import type { DirectoryTx } from '../../directory';

/** Something that happened to a group. */
export type GroupEvent = Parameters<typeof groupEvents.key>[0];
/** What hooks say of a group. */
export type GroupState = NonNullable<GroupEvent['group']>;
type GroupFact = NonNullable<GroupEvent['fact']>;

/** Publishes what happened to groups, with the sequence of the transaction. */
export function publishGroups(
  tx: DirectoryTx,
  groups: readonly { readonly id: number; readonly group: GroupState; readonly fact: GroupFact }[],
  actorId: number,
): void {
  if (groups.length === 0) return;
  const occurredAt = new Date();
  tx.withSequence((directorySequence) =>
    appendAllToOutbox(
      tx,
      groupEvents,
      groups.map(({ id, group, fact }) => ({
        payload: { groupId: id, actorId, occurredAt, directorySequence, group, fact },
        id: isOnce(fact) ? `group_${fact.$case}:${id}` : `group_${fact.$case}:${id}:${directorySequence}`,
      })),
    ),
  );
}

const isOnce = ({ $case }: GroupFact): boolean => $case === 'created' || $case === 'deleted';

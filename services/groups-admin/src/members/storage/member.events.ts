import type { SqlExecutor } from '@switchyard/database';
import { appendAllToOutbox, appendToOutbox, membershipEvents } from '@switchyard/events';
import type { MemberRemovalReason } from '../domain/member-change';
import type { Membership } from '../domain/member-row';

type MembershipEvent = Parameters<typeof membershipEvents.key>[0];
type Removed = Extract<NonNullable<MembershipEvent['fact']>, { $case: 'removed' }>['value'];

const reasons: Record<MemberRemovalReason, Removed['reason']> = {
  removed: 'REASON_REMOVED',
  left: 'REASON_LEFT',
  expired: 'REASON_EXPIRED',
  parent_deleted: 'REASON_PARENT_DELETED',
} as Record<MemberRemovalReason, Removed['reason']>;

const subjectOf = (membership: Membership, actorId: number): Omit<MembershipEvent, 'fact'> => ({
  membershipId: membership.id,
  userId: membership.user_id,
  groupId: membership.namespace_id ?? 0,
  projectId: membership.project_id ?? 0,
  actorId,
  occurredAt: new Date(),
});

/** Publishes that users became members. */
export const publishMemberAdded = (
  tx: SqlExecutor,
  memberships: readonly Membership[],
  actorId: number,
): Promise<void> =>
  appendAllToOutbox(
    tx,
    membershipEvents,
    memberships.map((membership) => ({
      id: `member_added:${membership.id}:${membership.version}`,
      payload: {
        ...subjectOf(membership, actorId),
        fact: { $case: 'added', value: { accessLevel: membership.access_level } },
      },
    })),
  );

/** Publishes that a member has another level than before; `membership` is the row before the change. */
export const publishMemberChanged = async (
  tx: SqlExecutor,
  membership: Membership,
  level: number,
  actorId: number,
): Promise<void> => {
  if (membership.access_level === level) return;
  const value = { accessLevel: level, oldAccessLevel: membership.access_level };
  await appendToOutbox(
    tx,
    membershipEvents,
    { ...subjectOf(membership, actorId), fact: { $case: 'changed', value } },
    { id: `member_changed:${membership.id}:${membership.version + 1}` },
  );
};

/**
 * Publishes that users are no longer members.
 * @param ended.sequence directory sequence of the removal: readers wait for it before they check who may still read
 * what
 */
export const publishMemberRemoved = (
  tx: SqlExecutor,
  memberships: readonly Membership[],
  ended: { readonly actorId: number; readonly reason: MemberRemovalReason; readonly sequence: number },
): Promise<void> =>
  appendAllToOutbox(
    tx,
    membershipEvents,
    memberships.map((membership) => ({
      id: `member_removed:${membership.id}`,
      payload: {
        ...subjectOf(membership, ended.actorId),
        fact: { $case: 'removed', value: { reason: reasons[ended.reason], directorySequence: ended.sequence } },
      },
    })),
  );

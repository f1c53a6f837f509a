import type { SqlExecutor } from '@switchyard/database';
import { appendAllToOutbox, appendToOutbox, shareEvents } from '@switchyard/events';
import type { ShareRemovalReason } from '../domain/share-change';
import type { Share } from '../domain/share-row';

type ShareEvent = Parameters<typeof shareEvents.key>[0];
type Removed = Extract<NonNullable<ShareEvent['fact']>, { $case: 'removed' }>['value'];

const reasons: Record<ShareRemovalReason, Removed['reason']> = {
  removed: 'REASON_REMOVED',
  expired: 'REASON_EXPIRED',
  parent_deleted: 'REASON_PARENT_DELETED',
} as Record<ShareRemovalReason, Removed['reason']>;

const subjectOf = (share: Share, actorId: number): Omit<ShareEvent, 'fact'> => ({
  shareId: share.id,
  namespaceId: share.namespace_id ?? 0,
  projectId: share.project_id ?? 0,
  groupId: share.group_id,
  actorId,
  occurredAt: new Date(),
});

/** Publishes that something is shared with a group. */
export const publishShareCreated = (tx: SqlExecutor, share: Share, actorId: number): Promise<void> =>
  appendToOutbox(
    tx,
    shareEvents,
    {
      ...subjectOf(share, actorId),
      fact: {
        $case: 'created',
        value: { accessLevel: share.access_level, expiresAt: share.expires_at ?? undefined },
      },
    },
    { id: `share_created:${share.id}` },
  );

/**
 * Publishes that shares have ended.
 * @param ended.sequence directory sequence of the removal: readers wait for it before they check who may still read
 * what
 */
export const publishShareRemoved = (
  tx: SqlExecutor,
  shares: readonly Share[],
  ended: { readonly actorId: number; readonly reason: ShareRemovalReason; readonly sequence: number },
): Promise<void> =>
  appendAllToOutbox(
    tx,
    shareEvents,
    shares.map((share) => ({
      id: `share_removed:${share.id}`,
      payload: {
        ...subjectOf(share, ended.actorId),
        fact: { $case: 'removed', value: { reason: reasons[ended.reason], directorySequence: ended.sequence } },
      },
    })),
  );

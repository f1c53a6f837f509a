import { requireUnmodified, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { type DirectoryTx, type DirectoryWriter, type Viewer, visibleGroups } from '../../directory';
import { lockSource } from '../../members';
import { type Parent, parentColumn } from '../../parents';
import type {
  ShareChangeRequest,
  ShareDecision,
  ShareFacts,
  ShareRemovalReason,
  ShareRole,
} from '../domain/share-change';
import type { Share } from '../domain/share-row';
import { publishShareCreated, publishShareRemoved } from './share.events';
import { shareColumns } from './share.sql';

const isSet = (alias: Sql, setting: string): Sql => sql`coalesce((${alias}.settings ->> ${setting})::boolean, false)`;

const targetFacts = (tx: Tx, { kind, id }: Parent) =>
  tx.one<Pick<ShareFacts, 'ancestry' | 'isLocked' | 'keepsToHierarchy'>>(sql`
    select n.ancestry, bool_or(${isSet(sql`a`, 'share_with_group_lock')}) as "isLocked",
      bool_or(a.id = n.ancestry[1] and ${isSet(sql`a`, 'prevent_sharing_groups_outside_hierarchy')}) as "keepsToHierarchy"
    from namespaces n join namespaces a on a.id = any(n.ancestry)
    where n.id = ${kind === 'group' ? sql`${id}::bigint` : sql`(select namespace_id from projects where id = ${id})`}
    group by n.id`);

/** Groups above an invited group that the viewer sees, itself included; locked against its purge. */
async function lockInvited(tx: Tx, groupId: number, viewer: Viewer): Promise<number[] | undefined> {
  const row = await tx.one<{ ancestry: number[] }>(sql`
    select n.ancestry from namespaces n where n.id = ${groupId} and n.kind = 'group' and ${visibleGroups(viewer)}
    for key share of n`);
  return row?.ancestry;
}

async function factsOf(tx: Tx, { source, groupId, viewer }: ShareChangeRequest): Promise<ShareFacts | undefined> {
  const target = await targetFacts(tx, source);
  if (target === undefined) return undefined;
  const share = await tx.one<Share>(sql`
    select ${shareColumns} from group_shares s where s.${parentColumn(source)} = ${source.id} and s.group_id = ${groupId}`);
  return { ...target, share, invitedAncestry: await lockInvited(tx, groupId, viewer) };
}

async function insertShare(
  tx: DirectoryTx,
  { source, groupId, viewer }: ShareChangeRequest,
  { level, expiresAt }: ShareRole,
): Promise<Share> {
  const [row] = await tx.write<Share>(
    'share',
    sql`insert into group_shares as s (${parentColumn(source)}, group_id, access_level, expires_at, created_by_id)
    values (${source.id}, ${groupId}, ${level}, ${expiresAt ?? null}::date::timestamp at time zone 'UTC', ${viewer.userId})
    returning ${shareColumns}`,
  );
  if (row === undefined) throw new Error('a share was not inserted');
  return row;
}

/** Deletes shares, with an event for each that carries the sequence of its deletion. */
async function end(
  tx: DirectoryTx,
  ended: readonly Share[],
  by: { readonly actorId: number; readonly reason: ShareRemovalReason },
): Promise<void> {
  await tx.erase(
    'share',
    ended.map(({ id }) => id),
  );
  tx.withSequence((sequence) => publishShareRemoved(tx, ended, { ...by, sequence }));
}

async function save(tx: DirectoryTx, request: ShareChangeRequest, decision: ShareDecision): Promise<Share> {
  const { userId } = request.viewer;
  if (decision.kind === 'removed') {
    await requireUnmodified(tx, 'group_shares', decision.share.id, request.unmodifiedSince);
    await end(tx, [decision.share], { actorId: userId, reason: 'removed' });
    return decision.share;
  }
  if (decision.replaced !== undefined) await end(tx, [decision.replaced], { actorId: 0, reason: 'expired' });
  const share = await insertShare(tx, request, decision.role);
  await publishShareCreated(tx, share, userId);
  return share;
}

/** Shares in the database; each change is one transaction with its events and directory changes. */
export const shareStore = ({ transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  change: (request: ShareChangeRequest, decide: (facts: ShareFacts) => ShareDecision): Promise<Share | undefined> =>
    transaction(async (tx) => {
      if (!(await lockSource(tx, request.source))) return undefined;
      const facts = await factsOf(tx, request);
      return facts && save(tx, request, decide(facts));
    }),

  expire: (limit: number): Promise<number> =>
    transaction(async (tx) => {
      const expired = await tx.query<Share>(sql`
        select ${shareColumns} from group_shares s where s.expires_at <= now()
        order by s.expires_at, s.id limit ${limit} for update skip locked`);
      if (expired.length > 0) await end(tx, expired, { actorId: 0, reason: 'expired' });
      return expired.length;
    }),
});

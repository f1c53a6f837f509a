import {
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { joinProject, visibleProjects } from '@switchyard/directory';
import { conflict, notFound } from '@switchyard/errors';
import { enqueueJobs, type JobRequest } from '../../jobs';
import { onMergeTrain } from '../domain/auto-merge';
import { type MergeRequestBlock, maxChain, requireNoCycle } from '../domain/merge-request-block';

const id: OrderColumn = { name: 'id', expression: sql`b.id`, type: 'bigint' };
const select = sql`b.id, b.blocking_id as "blockingId", b.blocked_id as "blockedId"`;

/** Projects that are not deleted. */
const alive = visibleProjects({ userId: 0, admin: true, external: false });

/**
 * How many merge requests `mr` waits for: those that are not merged, closed ones included, but for those of deleted
 * projects. A column of `mergeRequestSelect`, hence no `exists`.
 */
export const openBlocks: Sql = sql`(select count(*)::int from merge_request_blocks b
  join merge_requests bm on bm.id = b.blocking_id ${joinProject(sql`bm.project_id`)}
  where b.blocked_id = mr.id and bm.state <> 'merged' and ${alive})`;

/** Jobs of the merge requests that wait for one and merge by themselves: they look whether they may now. */
export async function jobsOfWaiting(tx: Tx, blockingId: number): Promise<JobRequest[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select mr.id from merge_request_blocks b join merge_requests mr on mr.id = b.blocked_id
    where b.blocking_id = ${blockingId} and mr.state = 'opened' and mr.auto_merge_strategy <> ${onMergeTrain} order by mr.id`);
  return rows.map((row) => ({ kind: 'auto_merge', mergeRequestId: row.id }));
}

/** The table of blocks. */
export const mergeRequestBlockStore = (db: Database) => ({
  /** A page of what blocks a merge request, or of what it blocks. */
  list: (
    of: { readonly blockedId: number } | { readonly blockingId: number },
    request: PageRequest,
  ): Promise<{ rows: MergeRequestBlock[]; page: PageInfo }> =>
    listPage<MergeRequestBlock>({
      db,
      name: 'list_merge_request_blocks',
      select,
      from: sql`merge_request_blocks b`,
      where: ['blockedId' in of ? sql`b.blocked_id = ${of.blockedId}` : sql`b.blocking_id = ${of.blockingId}`],
      orders: { id: [id] },
      request,
      count: true,
    }),

  find: (blockedId: number, blockId: number): Promise<MergeRequestBlock | undefined> =>
    db.one(sql`select ${select} from merge_request_blocks b where b.id = ${blockId} and b.blocked_id = ${blockedId}`),

  /** @throws AppError conflict when there is one; what `requireNoCycle` throws; not_found when one is gone */
  add: (block: Omit<MergeRequestBlock, 'id'>): Promise<MergeRequestBlock> =>
    db.transaction(async (tx) => {
      const { blockingId, blockedId } = block;
      // A landing looks at the blocks under this lock: it sees this one, or has begun before it.
      await tx.query(sql`select 1 from merge_requests where id = ${blockedId} for no key update`);
      // Two blocks that are made at once could close a cycle together, of whatever projects: one after another.
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('merge_request_blocks', 0))`);
      const chain = await tx.query<{ id: number }>(sql`
        with recursive chain (id) as (
          select blocking_id from merge_request_blocks where blocked_id = ${blockingId}
          union select b.blocking_id from chain join merge_request_blocks b on b.blocked_id = chain.id)
        select id from chain limit ${maxChain + 1}`);
      const known = await tx.one<{ blocks: number; exists: boolean }>(sql`
        select count(*)::int as blocks, coalesce(bool_or(blocking_id = ${blockingId}), false) as exists
        from merge_request_blocks where blocked_id = ${blockedId}`);
      if (known?.exists) throw conflict('Block already exists');
      requireNoCycle(block, { waitsFor: new Set(chain.map((one) => one.id)), blocks: known?.blocks ?? 0 });
      const row = await tx.one<{ id: number }>(sql`
        insert into merge_request_blocks (blocking_id, blocked_id)
        select blocking.id, blocked.id from merge_requests blocking, merge_requests blocked
        where blocking.id = ${blockingId} and blocked.id = ${blockedId} returning id`);
      if (row === undefined) throw notFound();
      return { ...block, id: row.id };
    }),

  /** @throws AppError not_found; precondition_failed when it was made after `unmodifiedSince` */
  remove: ({ id: blockId, blockingId }: MergeRequestBlock, unmodifiedSince: Date | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      await requireUnmodified(tx, 'merge_request_blocks', blockId, unmodifiedSince);
      const waiting = await jobsOfWaiting(tx, blockingId);
      const gone = await tx.query(sql`delete from merge_request_blocks where id = ${blockId} returning id`);
      if (gone.length === 0) throw notFound();
      await enqueueJobs(tx, waiting);
    }),
});

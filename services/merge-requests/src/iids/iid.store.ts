import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Has merge requests or deployments of a project numbered above a number from now on; they may be already. */
export async function reserveIids(
  db: SqlExecutor,
  projectId: number,
  scope: 'deployments' | 'merge_requests',
  highest: number,
): Promise<void> {
  await db.query(sql`
    insert into iid_counters (project_id, scope, last_iid) values (${projectId}, ${scope}, ${highest})
    on conflict (project_id, scope) do update set last_iid = excluded.last_iid
    where iid_counters.last_iid < excluded.last_iid`);
}

/**
 * The next number of a project's merge requests, pipelines or deployments: the counter's row is locked until the
 * commit, so numbers have no gaps.
 */
export async function nextIid(
  tx: Tx,
  projectId: number,
  scope: 'deployments' | 'merge_requests' | 'pipelines',
): Promise<number> {
  const row = await tx.one<{ iid: number }>(sql`
    insert into iid_counters (project_id, scope, last_iid) values (${projectId}, ${scope}, 1)
    on conflict (project_id, scope) do update set last_iid = iid_counters.last_iid + 1 returning last_iid as iid`);
  return row!.iid;
}

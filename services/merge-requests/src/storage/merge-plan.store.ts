import { type Database, sql, type Tx } from '@switchyard/database';
import type { MergePlan, MergeRequestChange } from '../domain/merge-request-change';

const planColumns = sql`merge_request_id as "mergeRequestId", project_id as "projectId", target_branch as "targetBranch",
  old_sha as "oldSha", new_sha as "newSha", source_sha as "sourceSha", merge_commit_sha as "mergeCommitSha",
  squash_commit_sha as "squashCommitSha", actor_id as "actorId", remove_source_branch as "removeSourceBranch", created_at as "createdAt",
  tree_sha as "treeSha", car_id as "carId", skips_train as "skipsTrain"`;

type Optional = 'mergeCommitSha' | 'squashCommitSha' | 'treeSha' | 'carId';
type PlanRow = Omit<MergePlan, Optional> & { [F in Optional]: NonNullable<MergePlan[F]> | null };
const toPlan = (row: PlanRow): MergePlan => ({
  ...row,
  mergeCommitSha: row.mergeCommitSha ?? undefined,
  squashCommitSha: row.squashCommitSha ?? undefined,
  treeSha: row.treeSha ?? undefined,
  carId: row.carId ?? undefined,
});

/** Saves the plan of a merge under way, or forgets it, in the transaction of the change it belongs to. */
export async function savePlan(tx: Tx, id: number, plan: NonNullable<MergeRequestChange['plan']>): Promise<void> {
  if (plan === 'done') {
    await tx.query(sql`delete from merge_request_merges where merge_request_id = ${id}`);
    return;
  }
  await tx.query(sql`
    insert into merge_request_merges (merge_request_id, push_id, project_id, target_branch, old_sha, new_sha, source_sha,
      merge_commit_sha, squash_commit_sha, actor_id, remove_source_branch, tree_sha, car_id, skips_train)
    values (${id}, gen_random_uuid(), ${plan.projectId}, ${plan.targetBranch}, ${plan.oldSha}, ${plan.newSha}, ${plan.sourceSha},
      ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null}, ${plan.actorId}, ${plan.removeSourceBranch},
      ${plan.treeSha ?? null}, ${plan.carId ?? null}, ${plan.skipsTrain})
    on conflict (merge_request_id) do update set old_sha = excluded.old_sha, new_sha = excluded.new_sha,
      source_sha = excluded.source_sha, merge_commit_sha = excluded.merge_commit_sha,
      squash_commit_sha = excluded.squash_commit_sha, actor_id = excluded.actor_id,
      remove_source_branch = excluded.remove_source_branch, tree_sha = excluded.tree_sha, car_id = excluded.car_id,
      skips_train = excluded.skips_train, created_at = now()`);
}

/** Merges under way. */
export const mergePlanStore = (db: Database) => ({
  /** The plan of a merge under way; undefined when there is none. */
  async plan(id: number): Promise<MergePlan | undefined> {
    const row = await db.one<PlanRow>(
      sql`select ${planColumns} from merge_request_merges where merge_request_id = ${id}`,
    );
    return row === undefined ? undefined : toPlan(row);
  },

  /** Merges that were begun and, for `seconds`, not ended. */
  async abandonedMerges(seconds: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select mr.id from merge_requests mr left join merge_request_merges m on m.merge_request_id = mr.id
      where (mr.state = 'locked' or m.merge_request_id is not null)
        and coalesce(m.created_at, mr.updated_at) < now() - make_interval(secs => ${seconds}::double precision)
      order by mr.id limit 100`);
    return rows.map(({ id }) => id);
  },
});

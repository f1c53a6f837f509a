import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { MergePlan, MergeRequestChange } from '../domain/merge-request-change';

const planColumns = sql`merge_request_id as "mergeRequestId", project_id as "projectId", target_branch as "targetBranch",
  old_sha as "oldSha", new_sha as "newSha", source_sha as "sourceSha", merge_commit_sha as "mergeCommitSha",
  squash_commit_sha as "squashCommitSha", actor_id as "actorId", remove_source_branch as "removeSourceBranch", created_at as "createdAt",
  tree_sha as "treeSha", car_id as "carId", skips_train as "skipsTrain", method, squash`;

type Optional = 'mergeCommitSha' | 'squashCommitSha' | 'treeSha' | 'carId' | 'method' | 'squash';
type PlanRow = Omit<MergePlan, Optional> & { [F in Optional]: NonNullable<MergePlan[F]> | null };
const toPlan = (row: PlanRow): MergePlan => ({
  ...row,
  mergeCommitSha: row.mergeCommitSha ?? undefined,
  squashCommitSha: row.squashCommitSha ?? undefined,
  treeSha: row.treeSha ?? undefined,
  carId: row.carId ?? undefined,
  method: row.method ?? undefined,
  squash: row.squash ?? undefined,
});

/**
 * Saves the plan of a merge under way, or forgets it, in the transaction of the change it belongs to. With the plan of
 * a car goes what the reports of its pipeline now, because they are why it lands.
 */
export async function savePlan(tx: Tx, id: number, plan: NonNullable<MergeRequestChange['plan']>): Promise<void> {
  await tx.query(sql`delete from merge_request_merges where merge_request_id = ${id}`);
  if (plan === 'done') return;
  await tx.query(sql`
    insert into merge_request_merges (merge_request_id, push_id, project_id, target_branch, old_sha, new_sha, source_sha,
      merge_commit_sha, squash_commit_sha, actor_id, remove_source_branch, tree_sha, car_id, skips_train, method,
      squash, pipeline_id, pipeline_status, tested_at, statuses, required_statuses)
    select ${id}, gen_random_uuid(), ${plan.projectId}, ${plan.targetBranch}, ${plan.oldSha}, ${plan.newSha}, ${plan.sourceSha},
      ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null}, ${plan.actorId}, ${plan.removeSourceBranch},
      ${plan.treeSha ?? null}, ${plan.carId ?? null}::bigint, ${plan.skipsTrain}, ${plan.method ?? null}::text,
      ${plan.squash ?? null}::boolean, pl.id, pl.status, pl.finished_at,
      coalesce((select jsonb_agg(jsonb_build_object('id', cs.id, 'name', cs.name, 'status', cs.status,
          'allow_failure', cs.allow_failure, 'finished_at', cs.finished_at) order by cs.id)
        from commit_statuses cs where cs.pipeline_id = pl.id and not cs.retried), '[]'),
      coalesce((select p.merge_train_required_statuses from directory.projects p
        where p.id = ${plan.projectId} and ${plan.carId !== undefined}), '{}')
    from (select ${plan.carId ?? null}::bigint as car_id) as given
    left join merge_train_cars c on c.id = given.car_id left join pipelines pl on pl.id = c.pipeline_id`);
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

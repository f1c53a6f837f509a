import type { Database, Tx } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { LandedMove, MergePlan, MergeRequestChange, PlannedMerge } from '../domain/merge-request-change';

const planColumns = sql`m.merge_request_id as "mergeRequestId", m.project_id as "projectId", m.target_branch as "targetBranch",
  m.old_sha as "oldSha", m.new_sha as "newSha", coalesce(m.moves_from, m.old_sha) as "movesFrom",
  coalesce(m.moves_to, m.new_sha) as "movesTo", m.source_sha as "sourceSha", m.merge_commit_sha as "mergeCommitSha",
  m.squash_commit_sha as "squashCommitSha", m.actor_id as "actorId", m.remove_source_branch as "removeSourceBranch",
  m.created_at as "createdAt", m.tree_sha as "treeSha", m.car_id as "carId", m.skips_train as "skipsTrain", m.method, m.squash`;

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
  if (plan === 'done') {
    await tx.query(sql`delete from merge_request_merges where merge_request_id = ${id}`);
    return;
  }
  await tx.query(sql`
    insert into merge_request_merges (merge_request_id, push_id, ${planned})
    select ${id}, gen_random_uuid(), now(), ${plan.projectId}, ${plan.targetBranch}, ${plan.oldSha}, ${plan.newSha},
      ${plan.movesFrom}, ${plan.movesTo}, ${plan.sourceSha}, ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null},
      ${plan.actorId}, ${plan.removeSourceBranch}, ${plan.treeSha ?? null}, ${plan.carId ?? null}::bigint, ${plan.skipsTrain},
      ${plan.method ?? null}::text, ${plan.squash ?? null}::boolean, pl.id, pl.status, pl.finished_at,
      coalesce((select jsonb_agg(jsonb_build_object('id', cs.id, 'name', cs.name, 'status', cs.status,
          'allow_failure', cs.allow_failure, 'finished_at', cs.finished_at) order by cs.id)
        from commit_statuses cs where cs.pipeline_id = pl.id and not cs.retried), '[]'),
      coalesce((select p.merge_train_required_statuses from directory.projects p
        where p.id = ${plan.projectId} and ${plan.carId !== undefined}), '{}')
    from (select ${plan.carId ?? null}::bigint as car_id) as given
    left join merge_train_cars c on c.id = given.car_id left join pipelines pl on pl.id = c.pipeline_id
    on conflict (merge_request_id) do update set (push_id, ${planned}) = row (excluded.push_id, ${excluded})`);
}

const plannedColumns =
  `created_at project_id target_branch old_sha new_sha moves_from moves_to source_sha merge_commit_sha
  squash_commit_sha actor_id remove_source_branch tree_sha car_id skips_train method squash pipeline_id pipeline_status
  tested_at statuses required_statuses`.split(/\s+/);
const planned = raw(plannedColumns.join(', '));
const excluded = raw(plannedColumns.map((column) => `excluded.${column}`).join(', '));

/** A stored plan. */
type Stored = PlanRow & { iid: number; locked: boolean };

const toPlanned = ({ iid, locked, ...row }: Stored): PlannedMerge => ({ plan: toPlan(row), iid, locked });

/** Merges under way. */
export const mergePlanStore = (db: Database) => ({
  /** The plan of a merge under way and those that land by the same move; empty when there is none. */
  async plansWith(id: number): Promise<PlannedMerge[]> {
    const rows = await db.query<Stored>(sql`
      select ${planColumns}, mr.iid, mr.state = 'locked' as locked
      from merge_request_merges given join merge_request_merges m on m.merge_request_id = given.merge_request_id
        or (given.car_id is not null and m.car_id is not null and m.project_id = given.project_id
          and m.target_branch = given.target_branch and m.moves_to = given.moves_to)
      join merge_requests mr on mr.id = m.merge_request_id
      where given.merge_request_id = ${id}`);
    return rows.map(toPlanned);
  },

  /** Plans of what landed when a branch was moved to a commit for a merge request; those that are there still. */
  async plansOfMove(move: LandedMove): Promise<PlannedMerge[]> {
    const rows = await db.query<Stored>(sql`
      select ${planColumns}, mr.iid, mr.state = 'locked' as locked
      from merge_request_merges m join merge_requests mr on mr.id = m.merge_request_id
      where (m.merge_request_id = ${move.mergeRequestId} and coalesce(m.moves_to, m.new_sha) = ${move.newSha})
        or (m.project_id = ${move.projectId} and m.moves_to = ${move.newSha} and m.target_branch = ${move.targetBranch}
          and m.car_id is not null)`);
    return rows.map(toPlanned);
  },

  /** Whether the move by which a plan lands is requested and not decided. */
  async isRequested(
    tx: Tx,
    {
      projectId,
      targetBranch,
      movesFrom,
      movesTo,
    }: Pick<MergePlan, 'projectId' | 'targetBranch' | 'movesFrom' | 'movesTo'>,
  ): Promise<boolean> {
    const rows = await tx.query(sql`
      select 1 from ref_change_intents where project_id = ${projectId} and ref = ${`refs/heads/${targetBranch}`}
        and old_sha = ${movesFrom} and new_sha = ${movesTo} and state = 'open' limit 1`);
    return rows.length > 0;
  },

  /** Merges that were begun and, for `seconds`, not ended: one of those that land by the same move. */
  async abandonedMerges(seconds: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select min(mr.id) as id from merge_requests mr left join merge_request_merges m on m.merge_request_id = mr.id
      where (mr.state = 'locked' or m.merge_request_id is not null)
        and coalesce(m.created_at, mr.updated_at) < now() - make_interval(secs => ${seconds}::double precision)
      group by case when mr.state = 'locked' and m.car_id is not null then row (m.project_id, m.target_branch, m.moves_to)::text
        else mr.id::text end
      order by id limit 100`);
    return rows.map(({ id }) => id);
  },
});

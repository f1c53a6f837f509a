import type { Database } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { ofStorages } from '../../jobs';
import type {
  BatchMember,
  BatchMove,
  BranchMove,
  KeptPipeline,
  LandingReceipt,
  ReceiptStatus,
} from '../domain/landing-receipt';

interface StatusEntry {
  id?: number;
  name?: string;
  status?: string;
  allow_failure?: boolean;
  finished_at?: string | null;
}

type Row = {
  [K in keyof LandingReceipt]: undefined extends LandingReceipt[K] ? LandingReceipt[K] | null : LandingReceipt[K];
};

/** A row of `landingReceiptColumns`. */
export type LandingReceiptRow = Omit<Row, 'statuses'> & { statuses: StatusEntry[] };

const toStatus = (entry: StatusEntry): ReceiptStatus => ({
  id: Number(entry.id ?? 0),
  name: String(entry.name ?? ''),
  status: String(entry.status ?? ''),
  allowFailure: entry.allow_failure === true,
  finishedAt: entry.finished_at ? new Date(entry.finished_at) : undefined,
});

/** A row of `landingReceiptColumns` as the service has it. */
export const toLandingReceipt = (row: LandingReceiptRow): LandingReceipt => ({
  ...row,
  testedSha: row.testedSha ?? undefined,
  testedTree: row.testedTree ?? undefined,
  pipelineId: row.pipelineId ?? undefined,
  pipelineStatus: row.pipelineStatus ?? undefined,
  statuses: row.statuses.map(toStatus),
  mergeCommitSha: row.mergeCommitSha ?? undefined,
  squashCommitSha: row.squashCommitSha ?? undefined,
  builtAt: row.builtAt ?? undefined,
  testedAt: row.testedAt ?? undefined,
});

/** Columns of a receipt on the alias `r`. */
export const landingReceiptColumns = sql`r.id, r.project_id as "projectId", r.merge_request_iid as "mergeRequestIid", r.target_branch as "targetBranch",
  r.method, r.squash, r.head_sha as "headSha", r.base_sha as "baseSha", r.tested_sha as "testedSha", r.tested_tree as "testedTree",
  r.pipeline_id as "pipelineId", r.pipeline_status as "pipelineStatus", r.statuses, r.required_statuses as "requiredStatuses",
  r.batch_iids as "batchIids", r.reruns, r.landed_sha as "landedSha", r.landed_tree as "landedTree", r.merge_commit_sha as "mergeCommitSha",
  r.squash_commit_sha as "squashCommitSha", r.built_at as "builtAt", r.tested_at as "testedAt", r.landed_at as "landedAt", r.imported`;

// The repository of a deleted project goes with it, and nothing is left to compare with.
// What another installation says of its landings is not this one's to verify.
const ofLivingProjects = sql`not r.imported and exists (select from directory.projects p where p.id = r.project_id and p.deleted_at is null and not p.deleting)`;

/**
 * Receipts behind the newest one that was verified, among which unverified ones are searched: ids are handed out before
 * commits, and a landing that was slow to commit lies behind faster ones. Reading all receipts would grow with the
 * history.
 */
const lookbackReceipts = 10_000;
/** Moves of a branch that are read at the most. */
const movesRead = 1_000;
/** Seconds by which the clocks of the service and of its database may differ. */
const clockSkew = 3_600;

/**
 * Receipts of landings and their verdicts.
 * @param storages those whose landings are verified; undefined: all
 */
export const landingReceiptStore = (db: Database, storages?: readonly string[]) => {
  const read = async (where: Sql, limit: number): Promise<LandingReceipt[]> => {
    const rows = await db.query<LandingReceiptRow>(sql`
      select ${landingReceiptColumns} from landing_receipts r where ${where} and ${ofLivingProjects}
        ${ofStorages(sql`r.project_id`, storages)} order by r.id limit ${limit}`);
    return rows.map(toLandingReceipt);
  };
  const unverified = sql`not exists (select from landing_verifications v where v.receipt_id = r.id)`;

  return {
    /** Receipts that no one has verified yet and that come after receipt `after` (0: from the start), by id. */
    unverified: (after: number, limit: number): Promise<LandingReceipt[]> =>
      read(
        sql`r.id > greatest(${after}::bigint, (select coalesce(max(receipt_id), 0) from landing_verifications) - ${lookbackReceipts}::bigint)
          and ${unverified}`,
        limit,
      ),

    /** Receipts that were found to differ, after receipt `after`, by id. */
    differing: (after: number, limit: number): Promise<LandingReceipt[]> =>
      read(
        sql`r.id in (select v.receipt_id from landing_verifications v
          where v.differences <> '{}' and v.receipt_id > ${after} order by v.receipt_id limit ${limit})`,
        limit,
      ),

    /** Every receipt after receipt `after`, by id. */
    all: (after: number, limit: number): Promise<LandingReceipt[]> => read(sql`r.id > ${after}`, limit),

    /** Notes what the verifier found; the newest look counts. */
    async record(receiptId: number, differences: readonly string[]): Promise<void> {
      await db.query(sql`
        insert into landing_verifications (receipt_id, differences)
        select id, ${[...differences]}::text[] from landing_receipts where id = ${receiptId}
        on conflict (receipt_id) do update set differences = excluded.differences, verified_at = now()`);
    },

    /**
     * Entries of trains that have landed, or skipped the train, without a receipt: there are none. At most `limit`, by
     * id.
     */
    withoutReceipt: (limit: number): Promise<{ carId: number; projectId: number; mergeRequestIid: number }[]> =>
      db.query(sql`
        select c.id as "carId", c.project_id as "projectId", mr.iid as "mergeRequestIid"
        from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id
        where c.status in ('merged', 'skip_merged') and not exists (select from landing_receipts r where r.car_id = c.id)
        order by c.id limit ${limit}`),

    /** How many landings differ from their receipts. */
    async countDiffering(): Promise<number> {
      const row = await db.one<{ count: number }>(
        sql`select count(*)::int as count from landing_verifications where differences <> '{}'`,
      );
      return row?.count ?? 0;
    },

    /**
     * What is still kept of the pipeline and of the reports that a receipt names; undefined when the pipeline was
     * deleted.
     */
    async pipelineOf({ pipelineId, statuses }: LandingReceipt): Promise<KeptPipeline | undefined> {
      if (pipelineId === undefined) return undefined;
      return db.one<KeptPipeline>(sql`
        select pl.project_id as "projectId", pl.sha, coalesce((
          select json_agg(json_build_object('id', cs.id, 'name', cs.name, 'status', cs.status)) from commit_statuses cs
          where cs.pipeline_id = pl.id and cs.id = any(${statuses.map(({ id }) => id)}::bigint[])), '[]') as statuses
        from pipelines pl where pl.id = ${pipelineId}`);
    },

    /** What the receipts of a batch say of it: those written with this one, by its own transaction. */
    membersOf: ({ projectId, targetBranch, landedAt, batchIids }: LandingReceipt): Promise<BatchMember[]> =>
      db.query<BatchMember & Record<string, unknown>>(sql`
        select merge_request_iid as "mergeRequestIid", method, base_sha as "baseSha", tested_sha as "testedSha", tested_tree as "testedTree",
          pipeline_id as "pipelineId", landed_sha as "landedSha", landed_tree as "landedTree", batch_iids as "batchIids"
        from landing_receipts
        where not imported and project_id = ${projectId} and target_branch = ${targetBranch} and landed_at = ${landedAt}
          and merge_request_iid = any(${[...batchIids]}::bigint[]) order by id limit ${batchIids.length}`),

    /**
     * Moves of a branch around a landing that led away from the base of its batch, or to one of `commits`; as long as
     * they are remembered (7 days).
     */
    batchMoves: (
      { projectId, targetBranch, landedAt }: LandingReceipt,
      base: string,
      commits: readonly string[],
    ): Promise<BatchMove[]> =>
      db.query<BatchMove & Record<string, unknown>>(sql`
        select old_sha as before, new_sha as after, source = 'merge' as lands from ref_change_intents
        where project_id = ${projectId} and ref = ${`refs/heads/${targetBranch}`} and state = 'done'
          and settled_at between ${landedAt}::timestamptz - make_interval(secs => ${clockSkew}::int)
            and ${landedAt}::timestamptz + make_interval(secs => ${clockSkew}::int)
          and (old_sha = ${base} or new_sha = any(${[...commits]}::text[]))
        order by id limit ${movesRead}`),

    /**
     * Moves of the target branch since a landing, oldest first, as long as they are remembered (7 days). They are
     * counted from the landing's own move, where that is remembered: the time of the landing is by another clock than
     * theirs.
     */
    movesSince: ({ projectId, targetBranch, landedSha, landedAt }: LandingReceipt): Promise<BranchMove[]> =>
      db.query<BranchMove>(sql`
        with own as (
          select max(id) as id from ref_change_intents
          where project_id = ${projectId} and ref = ${`refs/heads/${targetBranch}`} and state = 'done' and new_sha = ${landedSha}
            and settled_at >= ${landedAt}::timestamptz - make_interval(secs => ${clockSkew}::int))
        select old_sha as before, new_sha as after from ref_change_intents i, own
        where project_id = ${projectId} and ref = ${`refs/heads/${targetBranch}`} and state = 'done'
          and settled_at >= ${landedAt}::timestamptz - make_interval(secs => ${clockSkew}::int)
          and case when own.id is null then settled_at >= ${landedAt} else i.id > own.id end
        order by i.id limit ${movesRead}`),
  };
};

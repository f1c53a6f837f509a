import type { Database, SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { ClaimedJob, JobRequest, Lane } from '../domain/job';
import { ofStorages } from './of-storages';

/** What the work is about: the same key is the same work. */
function keyOf(request: JobRequest): string {
  switch (request.kind) {
    case 'mergeability':
    case 'repository_size':
    case 'copy_repository':
    case 'remove_former_copy':
    case 'pack_repository':
    case 'follow_sources':
      return String(request.projectId);
    case 'delete_authored':
      return String(request.userId);
    case 'merge_train':
      return String(request.trainId);
    case 'recheck':
      return `${request.projectId}:${request.targetBranch}`;
    case 'merge_request_facts':
      return request.key;
    case 'push_options':
      return `${request.projectId}:${request.changeId}`;
    case 'train_ref':
      return `${request.projectId}:${request.iid}`;
    default:
      return String(request.mergeRequestId);
  }
}

/** The project of a job by its kind and key, as {@link keyOf} writes it. */
const projectOf = sql`case
  when kind in ('mergeability', 'repository_size', 'copy_repository', 'remove_former_copy', 'pack_repository', 'follow_sources')
    then key::bigint
  when kind in ('recheck', 'train_ref', 'merge_request_facts', 'push_options') then split_part(key, ':', 1)::bigint
  when kind = 'delete_authored' then null
  when kind = 'merge_train' then (select t.project_id from merge_trains t where t.id = key::bigint)
  else (select mr.project_id from merge_requests mr where mr.id = key::bigint) end`;

/** Its notices wake the workers of all processes. */
const channel = 'switchyard_jobs';

/**
 * Queues jobs in the caller's transaction; the same work requested twice is queued once and done after the later
 * request.
 */
export async function enqueueJobs(
  tx: SqlExecutor & { notify?(channel: string): void },
  requests: readonly JobRequest[],
  delaySeconds = 0,
): Promise<void> {
  const distinct = new Map(requests.map((request) => [`${request.kind} ${keyOf(request)}`, request]));
  if (distinct.size === 0) return;
  // In one order, so that two transactions never wait for each other's rows.
  const sorted = [...distinct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, request]) => request);
  await tx.query(
    named(
      'enqueue_jobs',
      sql`
    insert into jobs (kind, key, payload, run_at, project_id)
    select kind, key, payload::jsonb, now() + make_interval(secs => ${delaySeconds}::double precision), ${projectOf}
    from unnest(${sorted.map(({ kind }) => kind)}::text[], ${sorted.map(keyOf)}::text[],
      ${sorted.map((request) => JSON.stringify(request))}::text[]) as given (kind, key, payload)
    on conflict (kind, key) do update set generation = jobs.generation + 1, attempts = 0,
      payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at)`,
    ),
  );
  tx.notify?.(channel);
}

/**
 * The queue of durable work.
 * @param leaseSeconds what a claimed job is left to its process before another one takes it over, unless it renews the
 * lease
 * @param storages those whose jobs this process works on; undefined: all
 */
export const jobStore = (db: Database, leaseSeconds: number, storages?: readonly string[]) => ({
  /** Asks for jobs in a transaction of their own, due after `delaySeconds`. */
  async enqueue(requests: readonly JobRequest[], delaySeconds = 0): Promise<void> {
    if (requests.length > 0) await db.transaction((tx) => enqueueJobs(tx, requests, delaySeconds));
  },

  /**
   * Takes due jobs for this process, at most `limit`: those of the projects first that have the fewest in hand, and of
   * these the one that is due longest. Until the lease ends no other process works on them, however often they are
   * requested.
   * @param among of these kinds alone, and of projects alone that have fewer than `ofProject` jobs of these kinds in
   * hand
   */
  async claim(limit: number, among?: Pick<Lane, 'kinds' | 'ofProject'>): Promise<ClaimedJob[]> {
    const kinds = among && [...among.kinds];
    const rows = await db.query<{ id: number; payload: JobRequest; generation: number; attempts: number }>(
      named(
        'claim_jobs',
        sql`
        with held as materialized (
          select project_id, count(*) as jobs from jobs
          where leased_until > now() and project_id is not null ${kinds ? sql`and kind = any(${kinds}::text[])` : sql``}
          group by project_id),
        due as materialized (
          select j.id from jobs j left join held on held.project_id = j.project_id
          where j.run_at <= now() and (j.leased_until is null or j.leased_until <= now())
            ${among ? sql`and j.kind = any(${kinds}::text[]) and coalesce(held.jobs, 0) < ${among.ofProject}::int` : sql``}
            ${ofStorages(sql`j.project_id`, storages)}
          order by held.jobs nulls first, j.run_at, j.id limit ${limit} for update of j skip locked)
        update jobs set leased_until = now() + make_interval(secs => ${leaseSeconds}::double precision), attempts = attempts + 1
        from due where jobs.id = due.id
        returning jobs.id, payload, generation, attempts`,
      ),
    );
    return rows.map(({ payload, ...row }) => ({ ...row, request: payload })).sort((a, b) => a.id - b.id);
  },

  /** Calls `wake` when jobs have been committed, by any process; returns what ends that. */
  onJobs: (wake: () => void): (() => void) => db.notices.listen(channel, wake),

  /** Milliseconds until the next job of this process is due, 0 or less when one is; undefined without jobs. */
  async dueIn(): Promise<number | undefined> {
    const row = await db.one<{ milliseconds: number | null }>(
      named(
        'next_job',
        sql`
        select (extract(epoch from min(greatest(run_at, leased_until)) - now()) * 1000)::float8 as milliseconds from jobs j
        where true ${ofStorages(sql`j.project_id`, storages)}`,
      ),
    );
    return row?.milliseconds ?? undefined;
  },

  /** Keeps the leases of jobs in hand. */
  async renew(ids: readonly number[]): Promise<void> {
    await db.query(sql`
      update jobs set leased_until = now() + make_interval(secs => ${leaseSeconds}::double precision) where id = any(${[...ids]}::bigint[])`);
  },

  /** Deletes a job that is done; one that was requested again in the meantime is due at once. */
  async finish({ id, generation }: ClaimedJob): Promise<void> {
    const done = await db.query(
      named('finish_job', sql`delete from jobs where id = ${id} and generation = ${generation} returning id`),
    );
    if (done.length > 0) return;
    // A statement of its own: in the snapshot of the first one, a request that committed under it has not been made
    // yet.
    const rows = await db.query(sql`
      update jobs set run_at = now(), leased_until = null, attempts = 0 where id = ${id} and generation <> ${generation}
      returning id`);
    if (rows.length > 0) db.notices.notify(channel);
  },

  /** Has a job that is not done go on once those have had their turn that are due already. */
  async goOnLater({ id }: ClaimedJob): Promise<void> {
    await db.query(sql`update jobs set run_at = now(), leased_until = null, attempts = 0 where id = ${id}`);
    db.notices.notify(channel);
  },

  /** Has a job that failed run again after `seconds`. */
  async postpone({ id }: ClaimedJob, seconds: number, error: string): Promise<void> {
    await db.query(sql`
      update jobs set run_at = now() + make_interval(secs => ${seconds}::double precision), leased_until = null, last_error = ${error.slice(0, 2_000)}
      where id = ${id}`);
  },
});

import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  type CleanupPolicy,
  type ExpiredPackage,
  noPolicy,
  type RunningPolicy,
  removes,
  removesVersions,
  type ScheduledPolicy,
} from '../domain/cleanup-policy';

interface PolicyRow {
  keep_files: number | null;
  keep_versions: number | null;
  older_than_days: number | null;
  next_run_at: Date;
}

const toPolicy = (row: PolicyRow): CleanupPolicy => ({
  keepFiles: row.keep_files ?? undefined,
  keepVersions: row.keep_versions ?? undefined,
  olderThanDays: row.older_than_days ?? undefined,
});

const toScheduled = (row: PolicyRow): ScheduledPolicy => {
  const policy = toPolicy(row);
  return { ...policy, nextRunAt: removes(policy) ? row.next_run_at : undefined };
};

const columns = sql`keep_files, keep_versions, older_than_days, next_run_at`;

/** Packages `k` of a part of a run. */
const part = ({ projectId, doneUntil }: RunningPolicy, until: number) =>
  sql`k.project_id = ${projectId} and k.id > ${doneUntil} and k.id <= ${until} and k.status <> 'pending_destruction'`;

/** Opens the store. */
export const cleanupPolicyStore = (db: Database) => ({
  async get(projectId: number): Promise<ScheduledPolicy> {
    const row = await db.one<PolicyRow>(sql`
      select ${columns} from package_cleanup_policies where project_id = ${projectId}`);
    return row === undefined ? noPolicy : toScheduled(row);
  },

  change: (projectId: number, change: Partial<CleanupPolicy>): Promise<ScheduledPolicy> =>
    db.transaction(async (tx) => {
      // What is not there cannot be locked.
      await tx.query(sql`
        insert into package_cleanup_policies (project_id, next_run_at) values (${projectId}, now()) on conflict do nothing`);
      const before = await tx.one<PolicyRow>(sql`
        select ${columns} from package_cleanup_policies where project_id = ${projectId} for update`);
      const after = { ...toPolicy(before as PolicyRow), ...change };
      const row = await tx.one<PolicyRow>(sql`
        update package_cleanup_policies set keep_files = ${after.keepFiles ?? null}, keep_versions = ${after.keepVersions ?? null},
          older_than_days = ${after.olderThanDays ?? null}, next_run_at = now(), done_until = 0, updated_at = now()
        where project_id = ${projectId} returning ${columns}`);
      return toScheduled(row as PolicyRow);
    }),

  async lockDue(tx: Tx): Promise<RunningPolicy | undefined> {
    const row = await tx.one<PolicyRow & { project_id: number; done_until: number }>(sql`
      select project_id, done_until, ${columns} from package_cleanup_policies
      where next_run_at <= now() and coalesce(keep_files, keep_versions, older_than_days) is not null
        and not exists (select from directory.projects p where p.id = project_id and p.archived)
      order by next_run_at, project_id limit 1 for update skip locked`);
    return row && { ...toPolicy(row), projectId: row.project_id, doneUntil: row.done_until };
  },

  async nextPart(tx: Tx, { projectId, doneUntil }: RunningPolicy, limit: number): Promise<number | undefined> {
    const row = await tx.one<{ until: number | null }>(sql`
      select max(id) as until from (
        select id from packages where project_id = ${projectId} and id > ${doneUntil} order by id limit ${limit}) as next`);
    return row?.until ?? undefined;
  },

  async withDuplicates(tx: Tx, policy: RunningPolicy, until: number): Promise<ExpiredPackage[]> {
    if (policy.keepFiles === undefined) return [];
    return tx.query<ExpiredPackage>(sql`
      select k.id, k.format, k.name from packages k where ${part(policy, until)} and exists (
        select from package_files f where f.package_id = k.id group by f.file_name having count(*) > ${policy.keepFiles})
      order by k.id for update`);
  },

  async deleteFiles(tx: Tx, { keepFiles }: RunningPolicy, packageIds: readonly number[]): Promise<number> {
    if (keepFiles === undefined || packageIds.length === 0) return 0;
    const rows = await tx.query(sql`
      delete from package_files where id in (
        select id from (
          select f.id, row_number() over (partition by f.package_id, f.file_name order by f.id desc) as place
          from package_files f where f.package_id = any(${[...packageIds]}::bigint[])) as placed
        where place > ${keepFiles}) returning 1`);
    return rows.length;
  },

  async expired(tx: Tx, policy: RunningPolicy, until: number): Promise<ExpiredPackage[]> {
    if (!removesVersions(policy)) return [];
    const { keepVersions, olderThanDays } = policy;
    return tx.query<ExpiredPackage>(sql`
      select k.id, k.format, k.name from packages k where ${part(policy, until)}
        and (k.version is not null or not exists (
          select 1 from packages other where other.project_id = k.project_id and other.name = k.name
            and other.format = k.format and other.version is not null and other.status <> 'pending_destruction'))
        and (${keepVersions ?? null}::int is null or ${keepVersions ?? 0}::int <= (
          select count(*) from (
            select 1 from packages newer where newer.project_id = k.project_id and newer.name = k.name and newer.id > k.id
              and newer.format = k.format and newer.version is not null and newer.status <> 'pending_destruction' limit ${keepVersions ?? 0}) as found))
        and (${olderThanDays ?? null}::int is null
          or coalesce(k.last_downloaded_at, k.created_at) < now() - make_interval(days => ${olderThanDays ?? 0}::int))
      order by k.id for update`);
  },

  async proceed(tx: Tx, projectId: number, until: number | undefined): Promise<void> {
    await tx.query(
      until === undefined
        ? sql`update package_cleanup_policies set done_until = 0, next_run_at = now() + interval '1 day'
            where project_id = ${projectId}`
        : sql`update package_cleanup_policies set done_until = ${until} where project_id = ${projectId}`,
    );
  },
});

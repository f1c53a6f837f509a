import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendToOutbox, repositoryMeasured } from '@switchyard/events';
import { enqueueJobs } from '../../jobs';
import type { MeasuredRepository, RepositoryMeasurement } from '../domain/repository-measurement';

/** Repositories that one run requests to be measured at the most; those left over are next. */
const batch = 50;

/** Measurements of repositories; `ref-change.store.ts` sets when one is due. */
export const repositorySizeStore = (db: Database) => ({
  /** Requests a measurement of each due repository, once however many replicas search; the next is due in a day. */
  enqueueDue: (): Promise<void> =>
    db.transaction(async (tx) => {
      const due = await tx.query<{ projectId: number }>(sql`
        with due as materialized (
          select project_id as id from repositories where measure_at <= now()
          order by measure_at, project_id limit ${batch} for no key update skip locked)
        update repositories set measure_at = now() + interval '1 day'
        from due where project_id = due.id returning project_id as "projectId"`);
      await enqueueJobs(
        tx,
        due.map(({ projectId }) => ({ kind: 'repository_size', projectId }) as const),
      );
    }),

  async find(projectId: number): Promise<MeasuredRepository | undefined> {
    const row = await db.one<Omit<MeasuredRepository, 'countedSha'> & { countedSha: string | null }>(sql`
      select default_branch as "defaultBranch", commit_count as "commitCount", counted_sha as "countedSha"
      from repositories where project_id = ${projectId}`);
    return row && { ...row, countedSha: row.countedSha ?? undefined };
  },

  /**
   * Saves a measurement with its event. Versions follow the clock, so that they also grow where a backup was restored.
   */
  save: (projectId: number, { size, wikiSize, commitCount, countedSha }: RepositoryMeasurement): Promise<void> =>
    db.transaction(async (tx) => {
      const saved = await tx.one<{ version: number }>(sql`
        update repositories set size = ${size}, commit_count = ${commitCount}, counted_sha = ${countedSha ?? null}::text,
          measure_version = greatest(measure_version + 1, (extract(epoch from now()) * 1000)::bigint)
        where project_id = ${projectId} returning measure_version as version`);
      if (saved === undefined) return;
      const { version } = saved;
      await appendToOutbox(
        tx,
        repositoryMeasured,
        { projectId, size, wikiSize, commitCount, version, occurredAt: new Date() },
        { id: `repository.measured:${projectId}:${version}` },
      );
    }),
});

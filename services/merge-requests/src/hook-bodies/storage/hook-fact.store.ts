import { type Database, given } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { labelsByIds, projectsByIds, usersByIds, type Viewer } from '@switchyard/directory';
import type { MergeRequestView } from '../../merge-requests';
import type { HookJob } from '../domain/hook-event';

/** Jobs of one pipeline that a body names at the most. */
const namedJobs = 100;

/** A service that renders for others reads everything: who may have a body is decided where it is delivered. */
const everything: Viewer = { userId: 0, admin: true, external: false };

/** Reads merge requests by id, in one statement. */
type ReadViews = (ids: readonly number[], viewer: Viewer) => Promise<MergeRequestView[]>;

/** What hook bodies name, from the database. */
export const hookFactStore = (db: Database, readViews: ReadViews) => ({
  users: (ids: Iterable<number>) => usersByIds(db, ids),
  projects: (ids: Iterable<number>) => projectsByIds(db, ids),
  labels: (ids: Iterable<number>) => labelsByIds(db, ids),

  /** Projects of merge requests by their ids; one that is gone is missing. */
  async projectsOf(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.query<{ id: number; projectId: number }>(sql`
      select id, project_id as "projectId" from merge_requests where id = any(${[...ids]}::bigint[])`);
    return new Map(rows.map(({ id, projectId }) => [id, projectId]));
  },

  async mergeRequests(
    ids: readonly number[],
  ): Promise<Map<number, { view: MergeRequestView; firstContribution: boolean; reviews: Map<number, string> }>> {
    if (ids.length === 0) return new Map();
    const [views, rows] = await Promise.all([
      readViews(ids, everything),
      db.query<{ id: number; first: boolean; reviews: Record<string, string> | null }>(
        named(
          'hook_merge_requests',
          sql`select mr.id,
            (select count(*) = 0 from (select from merge_requests other where other.project_id = mr.project_id
              and other.author_id = mr.author_id and other.state = 'merged' and other.id <> mr.id limit 1) as merged) as first,
            (select json_object_agg(r.user_id, r.state) from merge_request_reviewers r where r.merge_request_id = mr.id) as reviews
          from merge_requests mr where mr.id = any(${[...ids]}::bigint[])`,
        ),
      ),
    ]);
    const more = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      views.map((view) => {
        const row = more.get(view.mergeRequest.id);
        const reviews = Object.entries(row?.reviews ?? {}).map(([id, state]) => [Number(id), state] as const);
        return [view.mergeRequest.id, { view, firstContribution: row?.first ?? false, reviews: new Map(reviews) }];
      }),
    );
  },

  async jobs(pipelineIds: readonly number[]): Promise<Map<number, HookJob[]>> {
    if (pipelineIds.length === 0) return new Map();
    const rows = await db.query(
      named(
        'hook_jobs',
        sql`select cs.* from unnest(${[...pipelineIds]}::bigint[]) as wanted (id) cross join lateral (
            select id, pipeline_id, name, status, allow_failure, user_id, created_at, started_at, finished_at
            from commit_statuses where pipeline_id = wanted.id and not retried order by id desc limit ${namedJobs}) cs
          order by cs.pipeline_id, cs.id`,
      ),
    );
    const jobs = new Map<number, HookJob[]>();
    for (const row of rows) {
      const pipelineId = row.pipeline_id as number;
      const job: HookJob = {
        id: row.id as number,
        name: row.name as string,
        status: row.status as string,
        allowFailure: row.allow_failure as boolean,
        userId: row.user_id as number,
        createdAt: row.created_at as Date,
        startedAt: given(row.started_at as Date | null),
        finishedAt: given(row.finished_at as Date | null),
      };
      jobs.set(pipelineId, [...(jobs.get(pipelineId) ?? []), job]);
    }
    return jobs;
  },

  async protectedNames(projectIds: readonly number[]): Promise<Map<number, { branches: string[]; tags: string[] }>> {
    if (projectIds.length === 0) return new Map();
    const rows = await db.query<{ id: number; branches: string[]; tags: string[] }>(
      named(
        'hook_protected_names',
        sql`select wanted.id, array(select name from protected_branches where project_id = wanted.id) as branches,
            array(select name from protected_tags where project_id = wanted.id) as tags
          from unnest(${[...projectIds]}::bigint[]) as wanted (id)`,
      ),
    );
    return new Map(rows.map(({ id, branches, tags }) => [id, { branches, tags }]));
  },
});

import type { Database, PageInfo } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Viewer } from '@switchyard/directory';
import { onMergeTrain } from '../domain/auto-merge';
import type { MergeRequest } from '../domain/merge-request';
import type { StoredDiff } from '../domain/merge-request-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import { lean } from './merge-request.columns';
import { listMergeRequests } from './merge-request.list';
import { mergeRequestFrom, mergeRequestSelect, readView, toMergeRequest, toView } from './merge-request.row';

const diffColumns = sql`id, base_sha as "baseSha", head_sha as "headSha", start_sha as "startSha",
  commits_count as "commitsCount", files_count as "filesCount", created_at as "createdAt"`;

/** Merge requests as they are read. */
export const mergeRequestReads = (db: Database) => ({
  /** @param viewer whom it is read for, where it is shown */
  view: (
    key: { id: number } | { projectId: number; iid: number },
    viewer?: Viewer,
  ): Promise<MergeRequestView | undefined> => readView(db, key, viewer),

  list: (query: Parameters<typeof listMergeRequests>[1]): Promise<{ rows: MergeRequestView[]; page: PageInfo }> =>
    listMergeRequests(db, query),

  async viewsByIds(ids: readonly number[], viewer: Viewer): Promise<MergeRequestView[]> {
    const rows = await db.query(
      named(
        'find_merge_requests',
        sql`select ${mergeRequestSelect(viewer)} from ${mergeRequestFrom} where mr.id = any(${[...ids]}::bigint[])`,
      ),
    );
    return rows.map(toView);
  },

  /** Versions of the diff, newest first, from `skip` on. */
  diffs: (id: number, skip: number, limit: number): Promise<StoredDiff[]> =>
    db.query<StoredDiff>(sql`
      select ${diffColumns} from merge_request_diffs where merge_request_id = ${id}
      order by id desc limit ${limit} offset ${skip}`),

  diff: (id: number, diffId: number): Promise<StoredDiff | undefined> =>
    db.one<StoredDiff>(sql`
      select ${diffColumns} from merge_request_diffs where merge_request_id = ${id} and id = ${diffId}`),

  /** True when no merge request of this author was merged into the project before this one. */
  async isFirstContribution(mr: Pick<MergeRequest, 'id' | 'projectId' | 'authorId'>): Promise<boolean> {
    const row = await db.one<{ first: boolean }>(sql`
      select not exists (select 1 from merge_requests where project_id = ${mr.projectId} and author_id = ${mr.authorId}
        and state = 'merged' and id <> ${mr.id}) as first`);
    return row?.first ?? false;
  },

  async firstDeployedToProductionAt(id: number): Promise<Date | undefined> {
    const row = await db.one<{ at: Date | null }>(sql`
      select min(finished_at) as at from deployment_merge_requests where merge_request_id = ${id} and production`);
    return row?.at ?? undefined;
  },

  async hasDeployment(projectId: number, deploymentId: number): Promise<boolean> {
    const rows = await db.query(
      sql`select 1 from deployments where id = ${deploymentId} and project_id = ${projectId}`,
    );
    return rows.length > 0;
  },

  /** Merge requests from a branch that are not merged. */
  async unmergedFrom(sourceProjectId: number, sourceBranch: string): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      select ${lean} from merge_requests where source_project_id = ${sourceProjectId} and source_branch = ${sourceBranch}
        and state <> 'merged' order by id`);
    return rows.map(toMergeRequest);
  },

  /** Merge requests above `after` whose source project is `gone`, or open and no longer in the network of forks. */
  withoutFork: (after: number, limit: number): Promise<{ id: number; gone: boolean }[]> =>
    db.query(
      named(
        'merge_requests_without_fork',
        sql`select mr.id, source.id is null as gone
          from merge_requests mr join directory.projects target on target.id = mr.project_id and target.deleted_at is null
          left join directory.projects source on source.id = mr.source_project_id and source.deleted_at is null
          where mr.source_project_id <> mr.project_id and mr.source_branch_exists and mr.state in ('opened', 'closed')
            and (source.id is null or (mr.state = 'opened' and (source.fork_network_id = target.fork_network_id) is not true))
            and mr.id > ${after}
          order by mr.id limit ${limit}`,
      ),
    ),

  /** Open merge requests from forks into a project, above `after`. */
  async acrossInto(projectId: number, after: number, limit: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select id from merge_requests where project_id = ${projectId} and source_project_id <> project_id
        and state = 'opened' and id > ${after} order by id limit ${limit}`);
    return rows.map(({ id }) => id);
  },

  /** Open merge requests into a branch. */
  async openInto(projectId: number, targetBranch: string): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      select ${lean} from merge_requests where project_id = ${projectId} and target_branch = ${targetBranch}
        and state in ('opened', 'locked') order by id`);
    return rows.map(toMergeRequest);
  },

  /** The branch that a merge request from a branch was merged into, where its head was `sha`. */
  async landedIn(projectId: number, sourceBranch: string, sha: string): Promise<string | undefined> {
    const row = await db.one<{ target: string }>(sql`
      select target_branch as target from merge_requests
      where source_project_id = ${projectId} and source_branch = ${sourceBranch} and project_id = ${projectId}
        and state = 'merged' and source_sha = ${sha} order by merged_at desc, id desc limit 1`);
    return row?.target;
  },

  async authoredBy(authorId: number, limit: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select id from merge_requests where author_id = ${authorId} order by created_at, id limit ${limit}`);
    return rows.map(({ id }) => id);
  },

  /**
   * Open merge requests with auto-merge set: checked from time to time, for what no event reports (a time that has
   * come).
   */
  async withAutoMerge(limit: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select id from merge_requests where auto_merge_strategy is not null and auto_merge_strategy <> ${onMergeTrain} and state = 'opened' order by id limit ${limit}`);
    return rows.map(({ id }) => id);
  },
});

import {
  type ClauseTable,
  clausesOf,
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { CommitStatusFilter, CommitStatusView, PipelineFilter, PipelineView } from '../domain/pipeline';
import { scopeStatuses } from '../domain/pipeline-status';
import { pipelineSelect, statusSelect, toPipelineView, toStatusView } from './pipeline.row';

const id: OrderColumn = { name: 'id', expression: sql`pl.id`, type: 'bigint' };
const orders: Record<string, OrderColumn[]> = {
  id: [id],
  status: [{ name: 'status', expression: sql`pl.status`, type: 'text' }, id],
  ref: [{ name: 'ref', expression: sql`pl.ref`, type: 'text' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`pl.updated_at`, type: 'timestamptz' }, id],
  user_id: [{ name: 'user_id', expression: sql`pl.user_id`, type: 'bigint' }, id],
};

const statusId: OrderColumn = { name: 'id', expression: sql`cs.id`, type: 'bigint' };
const statusOrders: Record<string, OrderColumn[]> = {
  id: [statusId],
  pipeline_id: [{ name: 'pipeline_id', expression: sql`cs.pipeline_id`, type: 'bigint' }, statusId],
};

const clauses: ClauseTable<PipelineFilter> = {
  // `branches` and `tags` give the newest pipeline of each ref.
  scope: (scope) =>
    scope === 'branches' || scope === 'tags'
      ? sql`pl.id in (select max(newest.id) from pipelines newest where newest.project_id = pl.project_id
          and newest.tag = ${scope === 'tags'} and newest.ref not like 'refs/%' group by newest.ref)`
      : sql`pl.status = any(${[...scopeStatuses[scope]]}::text[])`,
  status: (status) => sql`pl.status = ${status}`,
  ref: (ref) => sql`pl.ref = ${ref}`,
  sha: (sha) => sql`pl.sha = ${sha}`,
  username: (username) =>
    sql`pl.user_id = any(array(select u.id from directory.users u where lower(u.username) = ${username.toLowerCase()} and u.deleted_at is null))`,
  source: (source) => sql`pl.source = ${source}`,
  updatedAfter: (date) => sql`pl.updated_at > ${date}`,
  updatedBefore: (date) => sql`pl.updated_at < ${date}`,
  createdAfter: (date) => sql`pl.created_at > ${date}`,
  createdBefore: (date) => sql`pl.created_at < ${date}`,
  name: (name) => sql`pl.name = ${name}`,
  yamlErrors: (errors) => (errors ? sql`pl.yaml_errors is not null` : sql`pl.yaml_errors is null`),
};

/** Lists of pipelines and commit statuses: one statement and one capped count each. */
export const pipelineLists = (db: Database) => ({
  /** Pipelines of a project. */
  list: async (
    projectId: number,
    filter: PipelineFilter,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }> => {
    const { rows, page } = await listPage({
      db,
      name: 'list_pipelines',
      select: pipelineSelect,
      from: sql`pipelines pl`,
      where: [sql`pl.project_id = ${projectId}`, ...clausesOf(clauses, filter, undefined)],
      orders: orders,
      request,
      count: true,
    });
    return { rows: rows.map(toPipelineView), page };
  },

  /** Those pipelines that exist: one statement. */
  byIds: async (pipelineIds: readonly number[]): Promise<PipelineView[]> => {
    if (pipelineIds.length === 0) return [];
    const ids = sql`${[...pipelineIds]}::bigint[]`;
    const rows = await db.query(
      named('pipelines_by_ids', sql`select ${pipelineSelect} from pipelines pl where pl.id = any(${ids})`),
    );
    return rows.map(toPipelineView);
  },

  /** Pipelines of a merge request: its own, and those of its heads on its source branch. */
  ofMergeRequest: async (
    mr: { id: number; sourceProjectId: number; sourceBranch: string },
    withSource: boolean,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }> => {
    const { rows, page } = await listPage({
      db,
      name: 'list_merge_request_pipelines',
      select: pipelineSelect,
      from: sql`pipelines pl`,
      where: [
        sql`pl.merge_request_id = ${mr.id} or (${withSource} and pl.project_id = ${mr.sourceProjectId} and pl.ref = ${mr.sourceBranch} and not pl.tag
          and pl.sha in (select head_sha from merge_request_diffs where merge_request_id = ${mr.id}))`,
      ],
      orders: orders,
      request,
      count: true,
    });
    return { rows: rows.map(toPipelineView), page };
  },

  /** Statuses of a commit; of each name the newest report unless `all`. */
  listStatuses: async (
    filter: CommitStatusFilter,
    request: PageRequest,
  ): Promise<{ rows: CommitStatusView[]; page: PageInfo }> => {
    const { rows, page } = await listPage({
      db,
      name: 'list_commit_statuses',
      select: statusSelect,
      from: sql`commit_statuses cs`,
      where: [
        sql`cs.project_id = ${filter.projectId} and cs.sha = ${filter.sha}`,
        ...(filter.ref === undefined ? [] : [sql`cs.ref = ${filter.ref}`]),
        ...(filter.name === undefined ? [] : [sql`cs.name = ${filter.name}`]),
        ...(filter.pipelineId === undefined ? [] : [sql`cs.pipeline_id = ${filter.pipelineId}`]),
        ...(filter.all ? [] : [sql`not cs.retried`]),
      ],
      orders: statusOrders,
      request,
      count: true,
    });
    return { rows: rows.map(toStatusView), page };
  },
});

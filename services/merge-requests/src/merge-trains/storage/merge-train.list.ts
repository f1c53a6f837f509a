import {
  given,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { joinProject, projectColumns, projectOf, userColumns, userJoin, userOf } from '@switchyard/directory';
import type { MergeRequestState } from '../../merge-requests';
import type { MergeTrainEntry, MergeTrainFilter } from '../domain/merge-train-entry';
import { pipelineColumns, pipelineOf } from './entry-pipeline';
import { withPlaces } from './train-queue';

// Written out, not bound: the partial indexes of the two scopes count on it.
const inScope = {
  active: sql`c.status in ('idle', 'stale', 'fresh')`,
  complete: sql`c.status in ('merging', 'merged', 'skip_merged')`,
};

/** What an entry embeds, apart from the description of its merge request, which may have a megabyte. */
export const entryColumns = sql`c.id, c.train_id, c.status, c.target_branch, c.created_at, c.updated_at, c.merged_at, c.duration,
  mr.id as merge_request_id, mr.iid as merge_request_iid, mr.title, mr.state,
  mr.created_at as merge_request_created_at, mr.updated_at as merge_request_updated_at, ${projectColumns},
  ${pipelineColumns},
  ${userColumns('adder')}`;

const entrySelect = sql`${entryColumns}, mr.description`;

/** Joins behind `entryColumns`, of a car `c` and its merge request `mr`. */
export const entryJoins = sql`${joinProject(sql`c.project_id`)} left join pipelines pl on pl.id = c.pipeline_id ${userJoin('adder', sql`c.user_id`)}`;

const id: OrderColumn = { name: 'id', expression: sql`c.id`, type: 'bigint' };

/** The entry that `entryColumns` put into a row. */
export function toEntry(row: Record<string, unknown>): MergeTrainEntry & { readonly trainId: number } {
  const project = projectOf(row);
  if (project === undefined) throw new Error(`merge train entry ${row.id} has no project`);
  return {
    id: row.id as number,
    trainId: row.train_id as number,
    place: undefined,
    status: row.status as string,
    targetBranch: row.target_branch as string,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    mergedAt: given(row.merged_at),
    duration: given(row.duration),
    project,
    mergeRequest: {
      id: row.merge_request_id as number,
      iid: row.merge_request_iid as number,
      projectId: project.id,
      title: row.title as string,
      description: given(row.description),
      state: row.state as MergeRequestState,
      createdAt: row.merge_request_created_at as Date,
      updatedAt: row.merge_request_updated_at as Date,
    },
    user: userOf(row, 'adder'),
    pipeline: pipelineOf(row, project.id),
  };
}

/**
 * One page of the entries of a project's trains, by id: one statement, one that counts to 10,001, and one for their
 * places.
 */
export async function listMergeTrainEntries(
  db: SqlExecutor,
  projectId: number,
  { targetBranch, scope }: MergeTrainFilter,
  request: PageRequest,
): Promise<{ rows: MergeTrainEntry[]; page: PageInfo }> {
  const { rows, page } = await listPage({
    db,
    name: 'list_merge_train_entries',
    select: entrySelect,
    from: sql`merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id ${entryJoins}`,
    where: [
      sql`c.project_id = ${projectId}`,
      ...(targetBranch === undefined ? [] : [sql`c.target_branch = ${targetBranch}`]),
      ...(scope === undefined ? [] : [inScope[scope]]),
    ],
    orders: { id: [id] },
    request,
    count: true,
    countFrom: sql`merge_train_cars c`,
  });
  return { rows: await withPlaces(db, rows.map(toEntry)), page };
}

/**
 * The newest entry of a merge request (G-4.1-3).
 * @returns undefined without such a merge request, `none` when it has no entry
 */
export async function newestMergeTrainEntry(
  db: SqlExecutor,
  key: { projectId: number; iid: number },
): Promise<MergeTrainEntry | 'none' | undefined> {
  const [row] = await db.query<Record<string, unknown>>(sql`
    select ${entrySelect} from merge_requests mr
    left join lateral (select * from merge_train_cars own where own.merge_request_id = mr.id order by own.id desc limit 1) c on true
    left join directory.projects p on p.id = c.project_id left join directory.namespaces n on n.id = p.namespace_id
    left join pipelines pl on pl.id = c.pipeline_id ${userJoin('adder', sql`c.user_id`)}
    where mr.project_id = ${key.projectId} and mr.iid = ${key.iid}`);
  if (row === undefined) return undefined;
  if (row.id === null) return 'none';
  const [entry] = await withPlaces(db, [toEntry(row)]);
  return entry ?? 'none';
}

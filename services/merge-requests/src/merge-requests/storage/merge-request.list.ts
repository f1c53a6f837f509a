import { listPage, type OrderColumn, type PageInfo, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  inGroup,
  mergeRequestRule,
  type PriorityTables,
  priorityOrders,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import type { MergeRequestFilter } from '../domain/merge-request-filter';
import type { MergeRequestView } from '../domain/merge-request-view';
import { beginningsOf, type MergeRequestScope } from './merge-request.beginnings';
import { whereOf } from './merge-request.filter';
import { mergeRequestFrom, mergeRequestSelect, toView } from './merge-request.row';

const id: OrderColumn = { name: 'id', expression: sql`mr.id`, type: 'bigint' };

const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`mr.created_at`, type: 'timestamptz' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`mr.updated_at`, type: 'timestamptz' }, id],
  title: [{ name: 'title', expression: sql`lower(mr.title)`, type: 'text' }, id],
  merged_at: [{ name: 'merged_at', expression: sql`mr.merged_at`, type: 'timestamptz', nullable: true }, id],
  popularity: [{ name: 'upvotes', expression: sql`mr.upvotes`, type: 'integer' }, id],
  ...priorityOrders('mr', id),
};

/** What the orders by milestone and label are kept with. */
export const mergeRequestOrders: PriorityTables = {
  rows: 'merge_requests',
  labels: 'merge_request_labels',
  labelled: 'merge_request_id',
  sources: 'merge_request_order_sources',
};

/** Filters whose lists begin at few rows or find what they look for soon; of others the values decide which index is best. */
const steadyFilters = new Set<keyof MergeRequestFilter>([
  'state',
  'approved',
  'approvedBy',
  'approver',
  'reaction',
  'deployment',
]);

const isSteady = (filter: MergeRequestFilter): boolean =>
  (Object.keys(filter) as (keyof MergeRequestFilter)[]).every(
    (field) => filter[field] === undefined || steadyFilters.has(field),
  );

/** One page of merge requests an actor may see: one statement, and one that counts to 10,001. */
export async function listMergeRequests(
  db: SqlExecutor,
  query: { scope: MergeRequestScope; filter: MergeRequestFilter; viewer: Viewer; request: PageRequest },
): Promise<{ rows: MergeRequestView[]; page: PageInfo }> {
  const { scope, filter, viewer, request } = query;
  const where = whereOf(filter, viewer.userId);
  // The gateway has resolved what the actor may do with a project it names; everywhere else visibility is part of the
  // statement.
  where.push(sql`p.merge_requests_enabled`);
  if (scope !== 'all' && 'projectId' in scope) where.unshift(sql`mr.project_id = ${scope.projectId}`);
  else {
    where.push(visibleProjects(viewer, mergeRequestRule));
    if (scope !== 'all') where.unshift(inGroup(scope.groupId));
  }
  const { rows, page } = await listPage({
    db,
    name: 'list_merge_requests',
    searches: filter.search !== undefined,
    select: mergeRequestSelect(viewer),
    from: mergeRequestFrom,
    where,
    orders,
    request,
    count: true,
    steady: isSteady(filter),
    begin: beginningsOf(filter, scope, viewer.userId, id.expression),
  });
  return { rows: rows.map(toView), page };
}

import {
  type Database,
  emptyLast,
  listPage,
  type OrderColumn,
  type PageRequest,
  totalLimit,
} from '@switchyard/database';
import { empty, join, named, plannedEachTime, type Sql, sql } from '@switchyard/database/sql';
import { inGroup, type PriorityTables, priorityOrders } from '@switchyard/directory';
import { inEpic } from '../../epic-trees';
import type { IssueQuery, IssueScope } from '../domain/issue-query';
import { issueConditions } from './issue.filter';
import { issueFrom, issueSelect, toIssueView } from './issue.row';
import { openToLevel, visibleIssues } from './issue.visibility';

const id: OrderColumn = { name: 'id', expression: sql`i.id`, type: 'bigint' };

/** What the orders by milestone and label are kept with. */
export const issueOrders: PriorityTables = {
  rows: 'issues',
  labels: 'issue_labels',
  labelled: 'issue_id',
  sources: 'issue_order_sources',
};

const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`i.created_at`, type: 'timestamptz' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`i.updated_at`, type: 'timestamptz' }, id],
  title: [{ name: 'title', expression: sql`lower(i.title)`, type: 'text' }, id],
  due_date: [emptyLast('due_date', 'date', sql`i.due_date`), id],
  weight: [emptyLast('weight', 'integer', sql`i.weight`), id],
  ...priorityOrders('i', id),
  popularity: [{ name: 'upvotes', expression: sql`i.upvotes`, type: 'integer' }, id],
  // Nothing moves an issue by hand yet: each stands where it was put when it was made.
  relative_position: [id],
  // Within one epic, where each has a place.
  epic_position: [
    {
      name: 'epic_position',
      expression: sql`(select link.relative_position from epic_issues link where link.issue_id = i.id)`,
      type: 'bigint',
    },
    id,
  ],
};

/** Issues that the texts of a merge request name. */
const namedBy = ({
  mergeRequest,
  closing,
}: Extract<IssueScope, { mergeRequest: unknown }>): Sql => sql`i.id = any(array(
  select named.id from issue_merge_requests link
  join issues named on named.project_id = link.project_id and named.iid = link.iid
  where link.merge_request_project_id = ${mergeRequest.projectId} and link.merge_request_iid = ${mergeRequest.iid}
    ${closing ? sql`and link.closes` : empty}))`;

function conditionsOf({ scope, filter, viewer }: IssueQuery): Sql[] {
  const where = issueConditions(filter, viewer);
  // The gateway has resolved what the viewer is in a project it names; everywhere else visibility is part of the
  // statement.
  if (scope !== 'all' && 'projectId' in scope) {
    return [sql`i.project_id = ${scope.projectId}`, ...where, sql`p.issues_enabled`, openToLevel(viewer, scope.level)];
  }
  where.push(visibleIssues(viewer));
  if (scope === 'all') return where;
  if ('epicId' in scope) return [inEpic(sql`i.id`, scope.epicId), ...where];
  return ['groupId' in scope ? inGroup(scope.groupId) : namedBy(scope), ...where];
}

/** Opens the lists. */
export const issueList = (db: Database) => ({
  async page(query: IssueQuery, request: PageRequest) {
    const { rows, page } = await listPage({
      db,
      name: 'list_issues',
      searches: query.filter.search !== undefined,
      select: issueSelect(query.viewer),
      from: issueFrom,
      where: conditionsOf(query),
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toIssueView), page };
  },

  async counts(query: IssueQuery) {
    const where = join(conditionsOf({ ...query, filter: { ...query.filter, state: undefined } }), ' and ');
    const counted = (state: string): Sql => sql`(select count(*) from (
      select 1 from ${issueFrom} where ${where} and i.state = ${state} limit ${totalLimit + 1}) as counted)::int`;
    const prepare = query.filter.search === undefined ? named : plannedEachTime;
    const row = await db.one<{ opened: number; closed: number }>(
      prepare('count_issues', sql`select ${counted('opened')} as opened, ${counted('closed')} as closed`),
    );
    const { opened, closed } = row!;
    return { all: opened + closed, opened, closed };
  },
});

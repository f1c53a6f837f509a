import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { joinProject, type Viewer } from '@switchyard/directory';
import {
  type EpicIssueLink,
  epicFrom,
  findLink,
  lockTrees,
  maxChildren,
  maxLevels,
  type Neighbours,
  reorder,
  visibleEpics,
} from '../../epic-trees';
import { visibleIssues } from '../../issues';
import type { ProgressRow } from '../domain/epic-progress';
import type { EpicView } from '../domain/epic-view';
import { epicSelect, toEpicView } from './epic.row';

interface CountedRow {
  child: ProgressRow['child'] | null;
  issues_opened: number;
  issues_closed: number;
  weights_opened: number;
  weights_closed: number;
  epics_opened: number;
  epics_closed: number;
}

/** Opens what epics are made of. */
export const epicTreeStore = (db: Database) => ({
  link: (key: { readonly issueId: number } | { readonly id: number }): Promise<EpicIssueLink | undefined> =>
    findLink(db, key),

  async children(epicId: number, viewer: Viewer): Promise<EpicView[]> {
    const rows = await db.query(
      named(
        'list_child_epics',
        sql`select ${epicSelect(viewer)} from ${epicFrom} where e.parent_id = ${epicId} and ${visibleEpics(viewer)}
          order by e.relative_position, e.id limit ${maxChildren}`,
      ),
    );
    return rows.map(toEpicView);
  },

  reorder: (kind: 'issues' | 'epics', epicId: number, id: number, neighbours: Neighbours): Promise<boolean> =>
    db.transaction(async (tx) => {
      await lockTrees(tx);
      return reorder(tx, kind, epicId, id, neighbours);
    }),

  async progress(epicId: number, viewer: Viewer): Promise<ProgressRow[]> {
    // Issues that are not confidential are seen as their project is: they are counted first, and asked about together.
    const rows = await db.query<CountedRow>(
      named(
        'epic_progress',
        sql`
      with recursive tree as (
        select e.id, null::bigint as branch, e.state, 1 as level from epics e where e.id = ${epicId}
        union all
        select e.id, coalesce(tree.branch, e.id), e.state, tree.level + 1
        from tree join epics e on e.parent_id = tree.id join directory.namespaces n on n.id = e.group_id
        where tree.level < ${maxLevels} and ${visibleEpics(viewer)}),
      parts as (
        select link.epic_id, i.project_id, i.confidential,
          case when i.confidential then i.id end as id, case when i.confidential then i.author_id end as author_id,
          count(*) filter (where i.state = 'opened') as opened, count(*) filter (where i.state = 'closed') as closed,
          sum(i.weight) filter (where i.state = 'opened') as weight_opened, sum(i.weight) filter (where i.state = 'closed') as weight_closed
        from tree join epic_issues link on link.epic_id = tree.id join issues i on i.id = link.issue_id group by 1, 2, 3, 4, 5),
      counted as (
        select i.epic_id, sum(i.opened) as opened, sum(i.closed) as closed,
          sum(i.weight_opened) as weight_opened, sum(i.weight_closed) as weight_closed
        from parts i ${joinProject(sql`i.project_id`)} where ${visibleIssues(viewer)} group by i.epic_id),
      branches as (
        select tree.branch, coalesce(sum(counted.opened), 0)::int as issues_opened, coalesce(sum(counted.closed), 0)::int as issues_closed,
          coalesce(sum(counted.weight_opened), 0)::bigint as weights_opened, coalesce(sum(counted.weight_closed), 0)::bigint as weights_closed,
          (count(*) filter (where tree.branch is not null and tree.state = 'opened'))::int as epics_opened,
          (count(*) filter (where tree.branch is not null and tree.state = 'closed'))::int as epics_closed
        from tree left join counted on counted.epic_id = tree.id group by tree.branch)
      select branches.*, case when c.id is not null then
        json_build_object('id', c.id, 'iid', c.iid, 'groupId', c.group_id, 'title', c.title, 'state', c.state) end as child
      from branches left join epics c on c.id = branches.branch
      order by c.relative_position nulls first, c.id`,
      ),
    );
    return rows.map((row) => ({
      child: row.child ?? undefined,
      issues: { opened: row.issues_opened, closed: row.issues_closed },
      weights: { opened: row.weights_opened, closed: row.weights_closed },
      epics: { opened: row.epics_opened, closed: row.epics_closed },
    }));
  },
});

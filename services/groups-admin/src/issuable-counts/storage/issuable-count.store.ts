import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { memberProjects, visibleProjects } from '../../directory';
import type { CountedIssuable } from '../domain/counted-issuable';

/** Counts that labels and projects print. */
export const issuableCounts = {
  /**
   * Replaces the known state of one, and changes the counts by the difference. A state older than the known one changes
   * nothing, and neither does one in a deleted project.
   */
  async count(tx: Tx, { kind, id, projectId, version, state, confidential, labelIds }: CountedIssuable): Promise<void> {
    // A lock of its own: the statement below sees what stood when it began.
    await tx.query(sql`select 1 from counted_issuables where kind = ${kind} and id = ${id} for update`);
    await tx.query(sql`
      with before as (select * from counted_issuables where kind = ${kind} and id = ${id}),
      after as (
        insert into counted_issuables as known (kind, id, project_id, version, state, confidential, label_ids)
        select ${kind}, ${id}, p.id, ${version}, ${state}, ${confidential}, ${[...labelIds]}::bigint[]
        from projects p where p.id = ${projectId}
        on conflict (kind, id) do update set version = excluded.version, state = excluded.state,
          confidential = excluded.confidential, label_ids = excluded.label_ids
        where known.version <= excluded.version and known.state <> 'gone'
        returning *),
      moved as (
        select -1 as by, before.* from before, after
        union all
        select 1 as by, after.* from after),
      difference as (
        select label_id, project_id,
          coalesce(sum(by) filter (where kind = 'issue' and state = 'opened'), 0)::int as open_issues,
          coalesce(sum(by) filter (where kind = 'issue' and state = 'opened' and confidential), 0)::int as open_confidential_issues,
          coalesce(sum(by) filter (where kind = 'issue' and state = 'closed'), 0)::int as closed_issues,
          coalesce(sum(by) filter (where kind = 'issue' and state = 'closed' and confidential), 0)::int as closed_confidential_issues,
          coalesce(sum(by) filter (where kind = 'merge_request' and state = 'opened'), 0)::int as open_merge_requests
        from moved, unnest(0::bigint || label_ids) as label_id
        where label_id = 0 or exists (select from labels l where l.id = label_id)
        group by label_id, project_id)
      insert into issuable_counts as c (label_id, project_id, open_issues, open_confidential_issues, closed_issues,
        closed_confidential_issues, open_merge_requests)
      select * from difference
      where (open_issues, open_confidential_issues, closed_issues, closed_confidential_issues, open_merge_requests)
        is distinct from (0, 0, 0, 0, 0)
      order by label_id
      on conflict (label_id, project_id) do update set open_issues = c.open_issues + excluded.open_issues,
        open_confidential_issues = c.open_confidential_issues + excluded.open_confidential_issues,
        closed_issues = c.closed_issues + excluded.closed_issues,
        closed_confidential_issues = c.closed_confidential_issues + excluded.closed_confidential_issues,
        open_merge_requests = c.open_merge_requests + excluded.open_merge_requests`);
  },

  /** Forgets what is known of projects that are purged. */
  async forgetProjects(tx: Tx, projectIds: readonly number[]): Promise<void> {
    await tx.query(sql`delete from counted_issuables where project_id = any(${[...projectIds]}::bigint[])`);
    await tx.query(sql`delete from issuable_counts where project_id = any(${[...projectIds]}::bigint[])`);
  },

  /** Forgets what is known of a label that is deleted. */
  async forgetLabel(tx: Tx, labelId: number): Promise<void> {
    await tx.query(sql`delete from issuable_counts where label_id = ${labelId}`);
  },
};

/**
 * Issues of a project `p` that the viewer counts: those that are confidential only where all of them are open to the
 * viewer.
 */
const counted = (viewer: Viewer, all: Sql, confidential: Sql): Sql =>
  viewer.admin
    ? all
    : sql`(${all} - case when ${memberProjects(viewer, levels.planner)} then 0 else ${confidential} end)`;

/** Whether a feature of a project `p` is open to the viewer; a condition on its column. */
const isOpen = (viewer: Viewer, column: Sql): Sql =>
  viewer.admin
    ? sql`${column} <> 'disabled'`
    : sql`(${column} not in ('disabled', 'private') or (${column} = 'private' and ${memberProjects(viewer)}))`;

/** Open issues of the project `p` as the viewer counts them; an expression. */
export const openIssuesOf = (viewer: Viewer): Sql => sql`coalesce((
  select ${counted(viewer, sql`c.open_issues`, sql`c.open_confidential_issues`)} from issuable_counts c
  where c.label_id = 0 and c.project_id = p.id and ${isOpen(viewer, sql`p.issues_access_level`)}), 0)`;

/**
 * `LabelCounts` of the label `l` as the viewer counts them, in one project or in all that the viewer sees; an
 * expression for select lists, where it is read for the rows of the page alone.
 * @param projectId undefined: wherever the label is used
 */
export const labelCounts = (viewer: Viewer, projectId: number | undefined): Sql => sql`(
  select json_build_object(
    'open_issues', coalesce(sum(${counted(viewer, sql`c.open_issues`, sql`c.open_confidential_issues`)})
      filter (where ${isOpen(viewer, sql`p.issues_access_level`)}), 0),
    'closed_issues', coalesce(sum(${counted(viewer, sql`c.closed_issues`, sql`c.closed_confidential_issues`)})
      filter (where ${isOpen(viewer, sql`p.issues_access_level`)}), 0),
    'open_merge_requests', coalesce(sum(c.open_merge_requests)
      filter (where ${isOpen(viewer, sql`p.merge_requests_access_level`)}), 0))
  from issuable_counts c join projects p on p.id = c.project_id join namespaces n on n.id = p.namespace_id
  where c.label_id = l.id and ${projectId === undefined ? visibleProjects(viewer) : sql`c.project_id = ${projectId}`})`;

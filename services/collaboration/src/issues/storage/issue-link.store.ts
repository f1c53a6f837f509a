import { type Database, listPage, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { joinProject, type Viewer } from '@switchyard/directory';
import { readableMergeRequests } from '../../merge-requests';
import type { IssueLink, LinkedMergeRequest } from '../domain/issue-link';

/** What merge requests name, as rows. */
export const issueLinks = {
  async replace(tx: SqlExecutor, mergeRequest: LinkedMergeRequest, links: readonly IssueLink[]): Promise<void> {
    await issueLinks.remove(tx, mergeRequest.id);
    if (links.length === 0) return;
    // One issue can be named in two ways, and it is closed when one of them says so.
    await tx.query(sql`
      insert into issue_merge_requests (merge_request_id, project_id, iid, merge_request_project_id, merge_request_iid, closes, closed)
      select ${mergeRequest.id}, project_id, iid, ${mergeRequest.projectId}, ${mergeRequest.iid}, bool_or(closes), ${mergeRequest.closed}
      from unnest(${links.map(({ projectId }) => projectId)}::bigint[], ${links.map(({ iid }) => iid)}::bigint[],
        ${links.map(({ closes }) => closes)}::boolean[]) as link (project_id, iid, closes)
      group by project_id, iid`);
  },

  /** Takes note of whether a merge request is closed. */
  async setClosed(tx: SqlExecutor, { id, closed }: LinkedMergeRequest): Promise<void> {
    await tx.query(sql`
      update issue_merge_requests set closed = ${closed}::boolean where merge_request_id = ${id} and closed <> ${closed}::boolean`);
  },

  async remove(tx: SqlExecutor, mergeRequestId: number): Promise<void> {
    await tx.query(sql`delete from issue_merge_requests where merge_request_id = ${mergeRequestId}`);
  },

  closedBy: (tx: SqlExecutor, mergeRequestId: number): Promise<{ id: number; projectId: number }[]> =>
    tx.query(sql`
      select i.id, i.project_id as "projectId" from issue_merge_requests link
      join issues i on i.project_id = link.project_id and i.iid = link.iid
      join directory.projects p on p.id = i.project_id
      where link.merge_request_id = ${mergeRequestId} and link.closes and i.state = 'opened'
        and p.issues_enabled and not p.archived
      order by i.id`),

  open: (
    tx: SqlExecutor,
    numbers: readonly { readonly projectId: number; readonly iid: number }[],
  ): Promise<{ id: number; projectId: number }[]> =>
    tx.query(sql`
      select distinct i.id, i.project_id as "projectId"
      from unnest(${numbers.map(({ projectId }) => projectId)}::bigint[], ${numbers.map(({ iid }) => iid)}::bigint[])
        as named (project_id, iid)
      join issues i on i.project_id = named.project_id and i.iid = named.iid
      join directory.projects p on p.id = i.project_id
      where i.state = 'opened' and p.issues_enabled and not p.archived
      order by i.id`),
};

/** Opens the list. */
export const issueMergeRequestList = (db: Database) => ({
  async page(issue: { projectId: number; iid: number }, closing: boolean, viewer: Viewer, request: PageRequest) {
    const { rows, page } = await listPage<{ id: number }>({
      db,
      name: 'list_issue_merge_requests',
      select: sql`link.merge_request_id as id`,
      from: sql`issue_merge_requests link ${joinProject(sql`link.merge_request_project_id`)}`,
      where: [
        sql`link.project_id = ${issue.projectId} and link.iid = ${issue.iid}`,
        ...(closing ? [sql`link.closes and not link.closed`] : []),
        // What the owner would withhold is not counted either.
        readableMergeRequests(viewer),
      ],
      orders: { id: [{ name: 'id', expression: sql`link.merge_request_id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { ids: rows.map(({ id }) => id), page };
  },
});

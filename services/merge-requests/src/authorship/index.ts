import { sql } from '@switchyard/database/sql';
import { type AuthoredPlace, authorship } from '@switchyard/service';
import type { Edges } from '../edges';

const ofProject = (projectId: number) => sql`t.project_id = ${projectId}`;
const ofMergeRequest = (projectId: number) =>
  sql`t.merge_request_id in (select m.id from merge_requests m where m.project_id = ${projectId})`;
const once = sql`merge_request_id`;
const user = sql`user_id`;

/** Where those stand who took part in imported merge requests, and who made deployments and releases. */
export const places: readonly AuthoredPlace[] = [
  { table: sql`merge_requests`, user: sql`author_id`, ofProject },
  { table: sql`merge_requests`, user: sql`merge_user_id`, ofProject },
  { table: sql`merge_requests`, user: sql`closed_by_id`, ofProject },
  { table: sql`merge_request_assignees`, user, ofProject, once },
  { table: sql`merge_request_reviewers`, user, ofProject, once },
  { table: sql`merge_request_approvals`, user, ofProject, once },
  { table: sql`merge_request_participants`, user, ofProject: ofMergeRequest, once },
  { table: sql`resource_events`, user, ofProject: ofMergeRequest },
  { table: sql`timelogs`, user, ofProject: ofMergeRequest },
  { table: sql`landing_receipts`, user: sql`added_by_id`, ofProject },
  { table: sql`deployments`, user, ofProject },
  { table: sql`releases`, user: sql`author_id`, ofProject },
];

/** Builds how placeholder users are replaced in merge requests and releases. */
export const composeAuthorship = ({ db }: Pick<Edges, 'db'>) => authorship(db, places);

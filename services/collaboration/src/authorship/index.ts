import { sql } from '@switchyard/database/sql';
import { type AuthoredPlace, authorship } from '@switchyard/service';
import type { Edges } from '../edges';

const ofIssue = (projectId: number) => sql`t.issue_id in (select i.id from issues i where i.project_id = ${projectId})`;
const ofProject = (projectId: number) => sql`t.project_id = ${projectId}`;
const ofNoteable = (projectId: number) =>
  sql`t.noteable_id in (select c.id from noteables c where c.project_id = ${projectId})`;

/** Where those stand who wrote imported issues, notes and snippets, and in the feed of what they and merge requests began with. */
export const places: readonly AuthoredPlace[] = [
  { table: sql`issues`, user: sql`author_id`, ofProject },
  { table: sql`issues`, user: sql`closed_by_id`, ofProject },
  { table: sql`issue_assignees`, user: sql`user_id`, ofProject: ofIssue, once: sql`issue_id` },
  { table: sql`issue_participants`, user: sql`user_id`, ofProject: ofIssue, once: sql`issue_id` },
  { table: sql`resource_events`, user: sql`user_id`, ofProject: ofIssue },
  { table: sql`notes`, user: sql`author_id`, ofProject: ofNoteable },
  { table: sql`notes`, user: sql`resolved_by_id`, ofProject: ofNoteable },
  { table: sql`timelogs`, user: sql`user_id`, ofProject: ofIssue },
  { table: sql`snippets`, user: sql`author_id`, ofProject },
  { table: sql`activity_events`, user: sql`author_id`, ofProject },
];

/** Builds how placeholder users are replaced in issues and notes. */
export const composeAuthorship = ({ db }: Pick<Edges, 'db'>) => authorship(db, places);

import { type Sql, sql } from '@switchyard/database/sql';

/** Name of a user in the export of a project (ADR 60); null for one who was deleted. @param id a column */
export const exportedUser = (id: Sql): Sql =>
  sql`(select u.username from directory.users u where u.id = ${id} and u.deleted_at is null)`;

/** Names of users, sorted. @param links what stands behind `from`: rows `link` with `user_id` */
export const exportedUsers = (links: Sql): Sql => sql`array(
  select u.username from directory.users u where u.deleted_at is null and u.id in (select link.user_id from ${links})
  order by u.username)`;

/** Titles of labels, sorted. @param links what stands behind `from`: rows `link` with `label_id` */
export const exportedLabels = (links: Sql): Sql => sql`array(
  select l.title from directory.labels l where l.deleted_at is null and l.id in (select link.label_id from ${links})
  order by l.title)`;

/** Title of a milestone. @param id a column */
export const exportedMilestone = (id: Sql): Sql =>
  sql`(select ms.title from directory.milestones ms where ms.id = ${id} and ms.deleted_at is null)`;

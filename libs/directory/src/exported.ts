import { type Sql, sql } from '@switchyard/database/sql';

/** Name of a user in the export of a project (ADR 60); null for one who was deleted, and for the ghost. @param id a column */
export const exportedUser = (id: Sql): Sql =>
  sql`(select u.username from directory.users u where u.id = ${id} and u.deleted_at is null and u.kind <> 'ghost')`;

/** Names of users, sorted. @param links what stands behind `from`: rows `link` with `user_id` */
export const exportedUsers = (links: Sql): Sql => sql`array(
  select u.username from directory.users u where u.deleted_at is null and u.id in (select link.user_id from ${links})
  order by u.username)`;

/** Titles of labels, sorted. @param links what stands behind `from`: rows `link` with `label_id` */
export const exportedLabels = (links: Sql): Sql => sql`array(
  select l.title from directory.labels l where l.deleted_at is null and l.id in (select link.label_id from ${links})
  order by l.title)`;

/**
 * What has events, one record each (ADR 60): its number, and the events, oldest first.
 * @param from rows `o` and their condition
 * @param of a condition on rows `e` of `resource_events`
 */
export const exportedEvents = (from: Sql, of: Sql): Sql => sql`
  select o.id, json_build_object('iid', o.iid, 'events', (
    select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'action', e.action, 'title', case e.kind
      when 'label' then (select l.title from directory.labels l where l.id = e.object_id and l.deleted_at is null)
      when 'milestone' then ${exportedMilestone(sql`e.object_id`)} end,
      'user', ${exportedUser(sql`e.user_id`)}, 'created_at', e.created_at) order by e.id)
    from resource_events e where ${of})) as record
  from ${from} and exists (select 1 from resource_events e where ${of})`;

/** Entries of time spent in an export. @param of a condition on rows `t` of `timelogs` */
export const exportedTimelogs = (of: Sql): Sql => sql`(
  select coalesce(json_agg(json_build_object('user', ${exportedUser(sql`t.user_id`)}, 'time_spent', t.time_spent,
    'spent_at', t.spent_at, 'summary', t.summary, 'created_at', t.created_at) order by t.id), '[]')
  from timelogs t where ${of})`;

/** Title of a milestone. @param id a column */
export const exportedMilestone = (id: Sql): Sql =>
  sql`(select ms.title from directory.milestones ms where ms.id = ${id} and ms.deleted_at is null)`;

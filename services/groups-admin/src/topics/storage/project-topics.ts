import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';

/** Names of the topics of the project `p`, in their order. */
export const topicNames: Sql = sql`array(
  select t.name from project_topics pt join topics t on t.id = pt.topic_id
  where pt.project_id = p.id order by pt.position, pt.topic_id)`;

/** A condition on `p`: the project has the topic with this name, in any case. */
export const hasTopic = (name: string): Sql => sql`exists (
  select from project_topics pt
  where pt.project_id = p.id and pt.topic_id = (select t.id from topics t where lower(t.name) = lower(${name}::text)))`;

/** A condition on `p`: the project has this topic. */
export const hasTopicId = (id: number): Sql =>
  sql`exists (select from project_topics pt where pt.project_id = p.id and pt.topic_id = ${id}::bigint)`;

/**
 * Replaces the topics of a locked project, and makes those that do not exist. Two names that differ in case alone are
 * one topic. Triggers count.
 */
export async function assignTopics(tx: Tx, projectId: number, names: readonly string[]): Promise<void> {
  const given = sql`unnest(${[...names]}::text[]) with ordinality as given (name, position)`;
  // In one order, so that two projects with the same new topics do not wait for each other in a circle.
  if (names.length > 0)
    await tx.query(sql`
      insert into topics (name, title)
      select name, name from (select distinct on (lower(name)) name from ${given} order by lower(name), position) named
      on conflict (lower(name)) do nothing`);
  await tx.query(sql`
    delete from project_topics where project_id = ${projectId}::bigint and topic_id not in (
      select t.id from topics t join ${given} on lower(t.name) = lower(given.name))`);
  if (names.length > 0)
    await tx.query(sql`
      with wanted as (
        select lower(name) as name, min(position) as position from ${given} group by 1
      ), locked as (
        -- A topic that is being deleted is not assigned.
        select t.id, w.position from topics t join wanted w on w.name = lower(t.name) for key share of t
      )
      insert into project_topics (project_id, topic_id, position) select ${projectId}::bigint, id, position from locked
      on conflict (project_id, topic_id) do update set position = excluded.position`);
}

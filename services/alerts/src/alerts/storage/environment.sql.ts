import { type Sql, sql } from '@switchyard/database/sql';

/** Longest name of an environment; also in the index `alerts_by_environment`. */
const longestName = 255;

/**
 * The environment `e` of an alert `a`: the one of the name in the payload that the project had by then, as GitLab looks
 * it up. No reference is stored: a name belongs to one environment at a time and never changes, and one that is made
 * later is another one. The second is what clocks of two processes may differ.
 */
export const isEnvironmentOf: Sql = sql`e.project_id = a.project_id and e.name = a.environment
  and e.created_at <= a.created_at + interval '1 second'`;

/** The environment of an alert `a` as JSON; null without one. */
export const environmentJson: Sql = sql`case when length(a.environment) <= ${longestName} then (
  select json_build_object('id', e.id, 'name', e.name) from environments e where ${isEnvironmentOf}
  order by e.id desc limit 1) end`;

/** Condition: the environment of an alert `a` has this name. */
export const hasEnvironment = (name: string): Sql =>
  sql`length(a.environment) <= ${longestName} and a.environment = ${name}
    and exists (select 1 from environments e where ${isEnvironmentOf})`;

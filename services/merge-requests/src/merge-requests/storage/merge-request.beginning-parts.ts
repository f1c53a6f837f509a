import { empty, join, type Sql, sql } from '@switchyard/database/sql';

/** What a list covers. */
export type MergeRequestScope = { projectId: number } | { groupId: number } | 'all';

/** Where a filter finds the ids of all that it leaves. */
export interface Beginning {
  /** Selects of which each holds them all, others and repeated ones among them. */
  readonly at: readonly Sql[];
  /** One row for each merge request of the project that the filter leaves, no other and none twice. */
  readonly exact?: Sql | undefined;
  /** Its selects may read an entry of an index for each merge request of the project: they are asked after all others. */
  readonly slow?: boolean;
}

/** Nothing to begin at: the list is walked. */
export const walked: Beginning = { at: [] };

/** The project of a scope; undefined for groups and the whole instance. */
export const projectOf = (scope: MergeRequestScope): number | undefined =>
  scope !== 'all' && 'projectId' in scope ? scope.projectId : undefined;

/** Links of one table in a scope, by their merge requests. */
export function linksOf(table: Sql, condition: Sql, scope: MergeRequestScope): Sql {
  const here = projectOf(scope);
  return sql`select link.merge_request_id as id from ${table} link where ${condition}${
    here === undefined ? empty : sql` and link.project_id = ${here}`
  }`;
}

/** Each id of a select once. */
export const once = (those: Sql): Sql => sql`select distinct found.id from (${those}) found`;

/** Merge requests of a project by an index that begins with its id. */
export const inProject = (project: number, condition: Sql): Sql =>
  sql`select mr.id from merge_requests mr where mr.project_id = ${project} and ${condition}`;

/** A beginning by a column of merge requests, at a select that holds what the filter leaves and nothing else. */
export const exactly = (those: Sql): Beginning => ({ at: [those], exact: those });

/**
 * Those of a project whose column holds none of some numbers: the ranges of its index between these. Numbers may repeat;
 * rows without a value are not among them.
 * @param column with an index on (project_id, column, id)
 * @param values an array of bigint
 */
export const outsideOf = (project: number, column: Sql, values: Sql): Sql => sql`
  select mr.id from (
    select coalesce(lag(v) over (order by v), -1) as low, v as high from unnest(${values}) v
    union all select coalesce(max(v), -1), 9223372036854775807 from unnest(${values}) v) gap
  join merge_requests mr on mr.project_id = ${project} and ${column} > gap.low and ${column} < gap.high`;

/** One more than a list begins at. */
const many = sql`1001`;

/**
 * Up to 2,002 of a project without a link that meets one of some conditions. Nothing is kept of what is not there, so this reads
 * two indexes side by side, from the newest merge request on, until there are many: where nearly all have such a link, an
 * entry of each for each merge request, which takes a tenth of walking the rows.
 * @param table with an index in which the links that meet one condition are ordered by merge request
 */
export function withoutLink(project: number, table: Sql, ...conditions: readonly Sql[]): Beginning {
  // In order, and `offset 0` keeps it so: else all links may be read into memory before the first of them is compared.
  const linked = conditions.map(
    (condition) => sql`not exists (select from (select link.merge_request_id from ${table} link
      where ${condition} and link.project_id = ${project} order by link.merge_request_id desc offset 0) ordered
      where ordered.merge_request_id = mr.id)`,
  );
  // Two ranges of an index that are each ordered by id: there is none of whole projects.
  const half = (approved: Sql): Sql =>
    sql`(${inProject(
      project,
      join([sql`mr.approved = ${approved}`, ...linked], ' and '),
    )} order by mr.id desc limit ${many})`;
  return { at: [sql`${half(sql`false`)} union all ${half(sql`true`)}`], slow: true };
}

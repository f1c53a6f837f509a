import { join, type Sql, sql } from '@switchyard/database/sql';
import { inGroup } from '@switchyard/directory';
import type { TodoFilter } from '../domain/todo';

/** Joins a to-do `t` with its project `p`, if it has one, and the namespace `n` of the project or its own group. */
export const joinPlace: Sql = sql`left join directory.projects p on p.id = t.project_id
  join directory.namespaces n on n.id = coalesce(p.namespace_id, t.group_id)`;

type Clauses = { [F in keyof Required<TodoFilter>]: (value: NonNullable<TodoFilter[F]>) => Sql };

const clauses: Clauses = {
  action: (action) => sql`t.action = ${action}`,
  authorId: (id) => sql`t.author_id = ${id}`,
  projectId: (id) => sql`t.project_id = ${id}`,
  groupId: (id) => inGroup(id),
  state: (state) => sql`t.state = ${state}`,
  targetType: (type) => sql`t.target_type = ${type}`,
};

/** Conditions of a filter on `todos t` with the target's namespace `n`. */
export const conditionsOf = (userId: number, filter: TodoFilter): Sql[] => [
  sql`t.user_id = ${userId}`,
  ...Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [(clauses[name as keyof TodoFilter] as (given: unknown) => Sql)(value)],
  ),
];

/** `conditionsOf` as one condition. */
export const whereOf = (userId: number, filter: TodoFilter): Sql => join(conditionsOf(userId, filter), ' and ');

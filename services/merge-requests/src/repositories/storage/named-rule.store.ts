import {
  contains,
  type Database,
  databaseError,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { named, raw, type Sql, sql } from '@switchyard/database/sql';

/** A rule of a project by a name, which may be a wildcard; a project has one of each name. */
interface NamedRule {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
}

interface NamedRules<Rule extends NamedRule> {
  /** Its unique index of project and name is `<table>_name`. */
  readonly table: 'protected_branches' | 'protected_tags';
  /** The rule as a row. */
  readonly columns: Sql;
  /** Inserts a row. */
  insert(rule: Omit<Rule, 'id'>): Promise<Rule>;
}

const orders = {
  name: [
    { name: 'name', expression: sql`name`, type: 'text' as const },
    { name: 'id', expression: sql`id`, type: 'bigint' as const },
  ],
};

/** A table of rules by name. */
export const namedRuleStore = <Rule extends NamedRule>(db: Database, { table, columns, insert }: NamedRules<Rule>) => ({
  /** Every rule of a project; a project has few. */
  all: (projectId: number): Promise<Rule[]> =>
    db.query(
      named(
        `${table}_of_project`,
        sql`select ${columns} from ${raw(table)} where project_id = ${projectId} order by id`,
      ),
    ),

  /** A page of rules by name. @param search part of the name; empty: all */
  list: (projectId: number, search: string, request: PageRequest): Promise<{ rows: Rule[]; page: PageInfo }> =>
    listPage<Rule>({
      db,
      name: `list_${table}`,
      select: columns,
      from: raw(table),
      where: [sql`project_id = ${projectId}`, ...(search === '' ? [] : [sql`name ilike ${contains(search)}`])],
      orders,
      request,
      count: true,
    }),

  /** One rule by its own name. */
  find: (projectId: number, name: string): Promise<Rule | undefined> =>
    db.one(
      named(
        `${table}_by_name`,
        sql`select ${columns} from ${raw(table)} where project_id = ${projectId} and name = ${name}`,
      ),
    ),

  /** Adds a rule; undefined when there is one of that name. */
  async add(rule: Omit<Rule, 'id'>): Promise<Rule | undefined> {
    try {
      return await insert(rule);
    } catch (error) {
      if (isUniqueViolation(error, `${table}_name`)) return undefined;
      throw databaseError(error);
    }
  },

  /**
   * Removes a rule; false when there is none. @throws AppError precondition_failed when it changed after
   * `unmodifiedSince`
   */
  remove: (projectId: number, name: string, unmodifiedSince?: Date): Promise<boolean> =>
    db.transaction(async (tx) => {
      const row = await tx.one<{ id: number }>(sql`
        select id from ${raw(table)} where project_id = ${projectId} and name = ${name} for update`);
      if (row === undefined) return false;
      await requireUnmodified(tx, table, row.id, unmodifiedSince);
      await tx.query(sql`delete from ${raw(table)} where id = ${row.id}`);
      return true;
    }),
});

import { type Database, listPage, named, type PageInfo, type PageRequest, sql } from '@switchyard/database';
import type { ProtectedBranch } from '../domain/protected-branch';

const columns = sql`id, project_id as "projectId", name, push_access_level as "pushAccessLevel",
  merge_access_level as "mergeAccessLevel", allow_force_push as "allowForcePush"`;

const orders = {
  name: [
    { name: 'name', expression: sql`name`, type: 'text' as const },
    { name: 'id', expression: sql`id`, type: 'bigint' as const },
  ],
};

/** `%`, `_` and the backslash stand for themselves in a search. */
const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The table of protected branches. */
export const protectedBranchStore = (db: Database) => ({
  /** Every rule of a project; a project has few. */
  all: (projectId: number): Promise<ProtectedBranch[]> =>
    db.query(
      named(
        'protected_branches_of_project',
        sql`select ${columns} from protected_branches where project_id = ${projectId} order by id`,
      ),
    ),

  /** A page of rules by name. */
  list: (
    projectId: number,
    search: string,
    request: PageRequest,
  ): Promise<{ rows: ProtectedBranch[]; page: PageInfo }> =>
    listPage<ProtectedBranch>({
      db,
      name: 'list_protected_branches',
      select: columns,
      from: sql`protected_branches`,
      where: [sql`project_id = ${projectId}`, ...(search === '' ? [] : [sql`name ilike ${contains(search)}`])],
      orders,
      request,
      count: true,
    }),

  /** One rule by its own name. */
  find: (projectId: number, name: string): Promise<ProtectedBranch | undefined> =>
    db.one(
      named(
        'protected_branch',
        sql`select ${columns} from protected_branches where project_id = ${projectId} and name = ${name}`,
      ),
    ),

  /** Adds a rule; undefined when there is one of that name. */
  add: (rule: Omit<ProtectedBranch, 'id'>): Promise<ProtectedBranch | undefined> =>
    db.one(sql`
      insert into protected_branches (project_id, name, push_access_level, merge_access_level, allow_force_push)
      values (${rule.projectId}, ${rule.name}, ${rule.pushAccessLevel}, ${rule.mergeAccessLevel}, ${rule.allowForcePush})
      on conflict (project_id, name) do nothing
      returning ${columns}`),

  /** Changes a rule; what is undefined stays. Undefined when there is none. */
  change: (
    projectId: number,
    name: string,
    change: { pushAccessLevel?: number; mergeAccessLevel?: number; allowForcePush?: boolean },
  ): Promise<ProtectedBranch | undefined> =>
    db.one(sql`
      update protected_branches set
        push_access_level = coalesce(${change.pushAccessLevel ?? null}::int, push_access_level),
        merge_access_level = coalesce(${change.mergeAccessLevel ?? null}::int, merge_access_level),
        allow_force_push = coalesce(${change.allowForcePush ?? null}::boolean, allow_force_push),
        updated_at = now()
      where project_id = ${projectId} and name = ${name}
      returning ${columns}`),

  /** Removes a rule; false when there is none. */
  async remove(projectId: number, name: string): Promise<boolean> {
    const rows = await db.query(
      sql`delete from protected_branches where project_id = ${projectId} and name = ${name} returning id`,
    );
    return rows.length > 0;
  },
});

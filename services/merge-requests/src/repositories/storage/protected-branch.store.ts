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
import { named, sql } from '@switchyard/database/sql';
import type { PrismaClient, ProtectedBranch as Row } from '../../generated/prisma/client';
import type { ProtectedBranch } from '../domain/protected-branch';

const columns = sql`id, project_id as "projectId", name, push_access_level as "pushAccessLevel",
  merge_access_level as "mergeAccessLevel", allow_force_push as "allowForcePush"`;

const orders = {
  name: [
    { name: 'name', expression: sql`name`, type: 'text' as const },
    { name: 'id', expression: sql`id`, type: 'bigint' as const },
  ],
};

const toRule = ({ id, projectId, name, pushAccessLevel, mergeAccessLevel, allowForcePush }: Row): ProtectedBranch => ({
  id: Number(id),
  projectId: Number(projectId),
  name,
  pushAccessLevel,
  mergeAccessLevel,
  allowForcePush,
});

const refuse = (error: unknown): never => {
  throw databaseError(error);
};

/** The table of protected branches. */
export const protectedBranchStore = (db: Database, prisma: PrismaClient) => ({
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
  async add(rule: Omit<ProtectedBranch, 'id'>): Promise<ProtectedBranch | undefined> {
    try {
      const row = await prisma.protectedBranch.create({ data: { ...rule, projectId: BigInt(rule.projectId) } });
      return toRule(row);
    } catch (error) {
      if (isUniqueViolation(error, 'protected_branches_name')) return undefined;
      throw databaseError(error);
    }
  },

  /** Changes a rule; what is undefined stays. Undefined when there is none. */
  async change(
    projectId: number,
    name: string,
    change: { pushAccessLevel?: number; mergeAccessLevel?: number; allowForcePush?: boolean },
  ): Promise<ProtectedBranch | undefined> {
    const [row] = await prisma.protectedBranch
      .updateManyAndReturn({
        where: { projectId: BigInt(projectId), name },
        data: { ...change, updatedAt: new Date() },
      })
      .catch(refuse);
    return row && toRule(row);
  },

  /**
   * Removes a rule; false when there is none. @throws AppError precondition_failed when it changed after
   * `unmodifiedSince`
   */
  remove: (projectId: number, name: string, unmodifiedSince?: Date): Promise<boolean> =>
    db.transaction(async (tx) => {
      const row = await tx.one<{ id: number }>(sql`
        select id from protected_branches where project_id = ${projectId} and name = ${name} for update`);
      if (row === undefined) return false;
      await requireUnmodified(tx, 'protected_branches', row.id, unmodifiedSince);
      await tx.query(sql`delete from protected_branches where id = ${row.id}`);
      return true;
    }),
});

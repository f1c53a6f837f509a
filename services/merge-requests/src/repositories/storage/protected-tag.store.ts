import {
  type Database,
  databaseError,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { PrismaClient } from '../../generated/prisma/client';
import type { ProtectedTag } from '../domain/protected-tag';

const columns = sql`id, project_id as "projectId", name, create_access_level as "createAccessLevel"`;

const orders = {
  name: [
    { name: 'name', expression: sql`name`, type: 'text' as const },
    { name: 'id', expression: sql`id`, type: 'bigint' as const },
  ],
};

/** The table of protected tags. */
export const protectedTagStore = (db: Database, prisma: PrismaClient) => ({
  /** Every rule of a project; a project has few. */
  all: (projectId: number): Promise<ProtectedTag[]> =>
    db.query(
      named(
        'protected_tags_of_project',
        sql`select ${columns} from protected_tags where project_id = ${projectId} order by id`,
      ),
    ),

  /** A page of rules by name. */
  list: (projectId: number, request: PageRequest): Promise<{ rows: ProtectedTag[]; page: PageInfo }> =>
    listPage<ProtectedTag>({
      db,
      name: 'list_protected_tags',
      select: columns,
      from: sql`protected_tags`,
      where: [sql`project_id = ${projectId}`],
      orders,
      request,
      count: true,
    }),

  /** One rule by its own name. */
  find: (projectId: number, name: string): Promise<ProtectedTag | undefined> =>
    db.one(
      named(
        'protected_tag',
        sql`select ${columns} from protected_tags where project_id = ${projectId} and name = ${name}`,
      ),
    ),

  /** Adds a rule; undefined when there is one of that name. */
  async add(rule: Omit<ProtectedTag, 'id'>): Promise<ProtectedTag | undefined> {
    try {
      const { id } = await prisma.protectedTag.create({ data: { ...rule, projectId: BigInt(rule.projectId) } });
      return { ...rule, id: Number(id) };
    } catch (error) {
      if (isUniqueViolation(error, 'protected_tags_name')) return undefined;
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
        select id from protected_tags where project_id = ${projectId} and name = ${name} for update`);
      if (row === undefined) return false;
      await requireUnmodified(tx, 'protected_tags', row.id, unmodifiedSince);
      await tx.query(sql`delete from protected_tags where id = ${row.id}`);
      return true;
    }),
});

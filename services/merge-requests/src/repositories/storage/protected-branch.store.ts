import { type Database, databaseError } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { PrismaClient, ProtectedBranch as Row } from '../../generated/prisma/client';
import type { ProtectedBranch } from '../domain/protected-branch';
import { namedRuleStore } from './named-rule.store';

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
  ...namedRuleStore<ProtectedBranch>(db, {
    table: 'protected_branches',
    columns: sql`id, project_id as "projectId", name, push_access_level as "pushAccessLevel",
  merge_access_level as "mergeAccessLevel", allow_force_push as "allowForcePush"`,
    insert: async (rule) =>
      toRule(await prisma.protectedBranch.create({ data: { ...rule, projectId: BigInt(rule.projectId) } })),
  }),

  /**
   * Gives a project the rules of an archive, each name once; one that it has by the name, as its default branch may,
   * becomes as the archive has it.
   */
  async bringIn(projectId: number, rules: readonly Omit<ProtectedBranch, 'id' | 'projectId'>[]): Promise<void> {
    const column = <T>(read: (rule: (typeof rules)[number]) => T): T[] => rules.map(read);
    await db.query(sql`
      insert into protected_branches (project_id, name, push_access_level, merge_access_level, allow_force_push)
      select ${projectId}::bigint, name, push, merge, force
      from unnest(${column(({ name }) => name)}::text[], ${column(({ pushAccessLevel }) => pushAccessLevel)}::int[],
        ${column(({ mergeAccessLevel }) => mergeAccessLevel)}::int[], ${column(({ allowForcePush }) => allowForcePush)}::boolean[])
        as given (name, push, merge, force)
      on conflict (project_id, name) do update set push_access_level = excluded.push_access_level,
        merge_access_level = excluded.merge_access_level, allow_force_push = excluded.allow_force_push, updated_at = now()`);
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
});

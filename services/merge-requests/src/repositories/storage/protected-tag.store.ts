import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { PrismaClient } from '../../generated/prisma/client';
import type { ProtectedTag } from '../domain/protected-tag';
import { namedRuleStore } from './named-rule.store';

/** The table of protected tags. */
export const protectedTagStore = (db: Database, prisma: PrismaClient) => ({
  ...namedRuleStore<ProtectedTag>(db, {
    table: 'protected_tags',
    columns: sql`id, project_id as "projectId", name, create_access_level as "createAccessLevel"`,
    async insert(rule) {
      const { id } = await prisma.protectedTag.create({ data: { ...rule, projectId: BigInt(rule.projectId) } });
      return { ...rule, id: Number(id) };
    },
  }),

  /** Gives a project the rules of an archive that it does not have by name. */
  async bringIn(projectId: number, rules: readonly Omit<ProtectedTag, 'id' | 'projectId'>[]): Promise<void> {
    await prisma.protectedTag.createMany({
      data: rules.map((rule) => ({ ...rule, projectId: BigInt(projectId) })),
      skipDuplicates: true,
    });
  },
});

import {
  type Database,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { unprocessable } from '@switchyard/errors';
import {
  type ProtectionFields,
  type ProtectionRule,
  type RequiredRole,
  requiredLevels,
} from '../domain/protection-rule';

interface RuleRow {
  id: number;
  project_id: number;
  format: string;
  name_pattern: string;
  push_level: number | null;
  delete_level: number | null;
}

const columns = sql`r.id, r.project_id, r.format, r.name_pattern, r.push_level, r.delete_level`;

const roleOf = (level: number | null): RequiredRole | undefined =>
  (Object.keys(requiredLevels) as RequiredRole[]).find((role) => requiredLevels[role] === level);

const levelOf = (role: RequiredRole | undefined): number | null => (role === undefined ? null : requiredLevels[role]);

const toRule = (row: RuleRow): ProtectionRule => ({
  id: row.id,
  projectId: row.project_id,
  format: row.format,
  namePattern: row.name_pattern,
  push: roleOf(row.push_level),
  delete: roleOf(row.delete_level),
});

/** Two rules for the same packages would say nothing that one cannot say. */
const taken = (error: unknown): never => {
  throw isUniqueViolation(error, 'package_protection_rules_unique')
    ? unprocessable(['Package name pattern has already been taken'])
    : error;
};

/** Opens the store. */
export const protectionRuleStore = (db: Database) => ({
  async page(projectId: number, request: PageRequest): Promise<{ rows: ProtectionRule[]; page: PageInfo }> {
    const { rows, page } = await listPage<RuleRow>({
      db,
      name: 'list_package_protection_rules',
      select: columns,
      from: sql`package_protection_rules r`,
      where: [sql`r.project_id = ${projectId}`],
      orders: { id: [{ name: 'id', expression: sql`r.id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { rows: rows.map(toRule), page };
  },

  add: (projectId: number, fields: ProtectionFields, limit: number): Promise<ProtectionRule | undefined> =>
    db
      .transaction(async (tx) => {
        // Additions to one project wait for each other, so that none passes the limit.
        await tx.query(
          sql`select pg_advisory_xact_lock(hashtextextended('package_protection_rules', ${projectId}::bigint))`,
        );
        const [row] = await tx.query<RuleRow>(sql`
          insert into package_protection_rules as r (project_id, format, name_pattern, push_level, delete_level)
          select ${projectId}::bigint, ${fields.format}, ${fields.namePattern}, ${levelOf(fields.push)}::int, ${levelOf(fields.delete)}::int
          where (select count(*) from package_protection_rules where project_id = ${projectId}) < ${limit}
          returning ${columns}`);
        return row && toRule(row);
      })
      .catch(taken),

  change: (
    projectId: number,
    id: number,
    decide: (before: ProtectionRule) => ProtectionFields,
  ): Promise<ProtectionRule | undefined> =>
    db
      .transaction(async (tx) => {
        const [before] = await tx.query<RuleRow>(sql`
          select ${columns} from package_protection_rules r where r.project_id = ${projectId} and r.id = ${id} for update`);
        if (before === undefined) return undefined;
        const fields = decide(toRule(before));
        const [row] = await tx.query<RuleRow>(sql`
          update package_protection_rules r set format = ${fields.format}, name_pattern = ${fields.namePattern},
            push_level = ${levelOf(fields.push)}::int, delete_level = ${levelOf(fields.delete)}::int, updated_at = now()
          where r.id = ${id} returning ${columns}`);
        return row && toRule(row);
      })
      .catch(taken),

  remove: (projectId: number, id: number, since: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      const [row] = await tx.query(sql`
        select 1 from package_protection_rules where project_id = ${projectId} and id = ${id} for update`);
      if (row === undefined) return false;
      await requireUnmodified(tx, 'package_protection_rules', id, since);
      await tx.query(sql`delete from package_protection_rules where id = ${id}`);
      return true;
    }),

  async ofFormat(from: Pick<Tx, 'query'>, projectId: number, format: string): Promise<ProtectionRule[]> {
    const rows = await from.query<RuleRow>(sql`
      select ${columns} from package_protection_rules r where r.project_id = ${projectId} and r.format = ${format}`);
    return rows.map(toRule);
  },
});

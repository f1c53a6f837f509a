import {
  type Database,
  isForeignKeyViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { Keyring } from '@switchyard/secrets';
import { maxVariables } from '../domain/variable';
import { severalVariables, type VariableChangeRequest } from '../domain/variable-change';
import type {
  NewVariable,
  ResolveQuery,
  ShownVariable,
  StoredVariable,
  Variable,
  VariableKey,
  VariableParent,
} from '../domain/variable-row';
import {
  identityOf,
  ownedBy,
  parentIds,
  toShown,
  toStored,
  type VariableRow,
  variableColumns,
} from './variable.columns';
import { resolveVariables } from './variable.resolve';

const withKey = (parent: VariableParent, { key, environmentScope }: VariableKey) =>
  sql`${ownedBy(parent)} and v.key = ${key}
    and ${environmentScope === undefined ? sql`true` : sql`v.environment_scope = ${environmentScope}`}`;

/**
 * Serialises the changes of keys in one parent until the transaction ends: of two that give one key and scope, or the
 * last free place, the later sees the earlier.
 */
const lockKeys = (tx: Tx, { kind, id }: VariableParent) =>
  tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`variables of ${kind} ${id}`}, 0))`);

const isTaken = async (tx: Tx, parent: VariableParent, key: string, scope: string, except = 0): Promise<boolean> =>
  (await tx.one(
    sql`select 1 from variables v where ${withKey(parent, { key, environmentScope: scope })} and v.id <> ${except}`,
  )) !== undefined;

async function isFull(tx: Tx, parent: VariableParent): Promise<boolean> {
  const limit = maxVariables[parent.kind];
  const row = await tx.one<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from variables v where ${ownedBy(parent)} limit ${limit}) as counted`,
  );
  return (row?.count ?? 0) >= limit;
}

/** Variables in the database; the ring encrypts their values. */
export const variableStore = (db: Database, ring: Keyring) => ({
  /** A page of variables by id: one statement and one count. */
  async list(parent: VariableParent, request: PageRequest): Promise<{ rows: ShownVariable[]; page: PageInfo }> {
    const { rows, page } = await listPage<VariableRow>({
      db,
      name: 'list_variables',
      select: variableColumns,
      from: sql`variables v`,
      where: [ownedBy(parent)],
      orders: { id: [{ name: 'id', expression: sql`v.id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { rows: toShown(rows, ring).map(({ variable }) => variable), page };
  },

  async find(parent: VariableParent, key: VariableKey): Promise<ShownVariable | undefined> {
    const rows = await db.query<VariableRow>(
      sql`select ${variableColumns} from variables v where ${withKey(parent, key)} order by v.id limit 2`,
    );
    if (rows.length > 1) throw severalVariables();
    return toShown(rows, ring)[0]?.variable;
  },

  create: (
    parent: VariableParent,
    given: Pick<NewVariable, 'key' | 'environmentScope'>,
    decide: (facts: { readonly isTaken: boolean; readonly isFull: boolean }) => NewVariable,
  ): Promise<ShownVariable> =>
    db
      .transaction(async (tx) => {
        await lockKeys(tx, parent);
        const variable = decide({
          isTaken: await isTaken(tx, parent, given.key, given.environmentScope),
          isFull: await isFull(tx, parent),
        });
        const drawn = await tx.one<{ id: number }>(
          sql`select nextval(pg_get_serial_sequence('variables', 'id')) as id`,
        );
        const row = { id: drawn?.id ?? 0, ...parentIds(parent), key: variable.key };
        const sealed = ring.encrypt(identityOf(row), variable.value);
        await tx.query(sql`
          insert into variables (id, namespace_id, project_id, key, value, variable_type, protected, masked, hidden, raw,
            environment_scope, description)
          values (${row.id}, ${row.namespace_id}, ${row.project_id}, ${row.key}, ${sealed}, ${variable.variableType},
            ${variable.protected}, ${variable.masked}, ${variable.hidden}, ${variable.raw}, ${variable.environmentScope},
            ${variable.description ?? null})`);
        return { ...variable, id: row.id, value: variable.hidden ? undefined : variable.value };
      })
      .catch((error: unknown) => {
        // The parent was purged in the meantime.
        throw isForeignKeyViolation(error) ? notFound(parent.kind === 'group' ? 'Group' : 'Project') : error;
      }),

  change: (
    { parent, key, orOldest = false, environmentScope, unmodifiedSince }: VariableChangeRequest,
    decide: (variable: StoredVariable, isTaken: boolean) => Variable | undefined,
  ): Promise<{ readonly variable: ShownVariable | undefined } | undefined> =>
    db.transaction(async (tx) => {
      if (environmentScope !== undefined) await lockKeys(tx, parent);
      const [row, another] = await tx.query<VariableRow>(
        sql`select ${variableColumns} from variables v where ${withKey(parent, key)} order by v.id limit 2 for no key update`,
      );
      if (row === undefined) return undefined;
      if (another !== undefined && !orOldest) throw severalVariables();
      await requireUnmodified(tx, 'variables', row.id, unmodifiedSince);
      const taken = environmentScope !== undefined && (await isTaken(tx, parent, row.key, environmentScope, row.id));
      const variable = decide(toStored(row, ring), taken);
      if (variable === undefined) {
        await tx.query(sql`delete from variables where id = ${row.id}`);
        return { variable: undefined };
      }
      const sealed = ring.encrypt(identityOf(row), variable.value);
      await tx.query(sql`
        update variables set value = ${sealed}, variable_type = ${variable.variableType}, protected = ${variable.protected},
          masked = ${variable.masked}, raw = ${variable.raw}, environment_scope = ${variable.environmentScope},
          description = ${variable.description ?? null}, updated_at = now()
        where id = ${row.id}`);
      return { variable: { ...variable, value: variable.hidden ? undefined : variable.value } };
    }),

  resolve: (query: ResolveQuery) => resolveVariables(db, ring, query),
});

import { raw, type Sql, sql } from '@switchyard/database/sql';
import { AppError } from '@switchyard/errors';
import type { Keyring } from '@switchyard/secrets';
import { logger } from '@switchyard/telemetry';
import { parentColumn } from '../../parents';
import type { ShownVariable, StoredVariable, Variable, VariableParent, VariableType } from '../domain/variable-row';

/** A row of `variables`. */
export interface VariableRow {
  readonly id: number;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
  readonly key: string;
  /** Encrypted. */
  readonly value: Buffer;
  readonly variable_type: VariableType;
  readonly protected: boolean;
  readonly masked: boolean;
  readonly hidden: boolean;
  readonly raw: boolean;
  readonly environment_scope: string;
  readonly description: string | null;
}

/** Columns of `VariableRow`, on the alias `v`. */
export const variableColumns = sql`v.id, v.namespace_id, v.project_id, v.key, v.value, v.variable_type, v.protected,
  v.masked, v.hidden, v.raw, v.environment_scope, v.description`;

/** What a value is encrypted for: id, parent and key never change, so a value that was moved is not decrypted (D7). */
export const identityOf = ({
  id,
  namespace_id,
  project_id,
  key,
}: Pick<VariableRow, 'id' | 'namespace_id' | 'project_id' | 'key'>): string =>
  `variable ${id} of group ${namespace_id ?? 0}, project ${project_id ?? 0}: ${key}`;

/** The columns that name a parent. */
export const parentIds = ({
  kind,
  id,
}: VariableParent): { readonly namespace_id: number | null; readonly project_id: number | null } => ({
  namespace_id: kind === 'group' ? id : null,
  project_id: kind === 'project' ? id : null,
});

/** A condition on `v`: the variables of a parent. */
export const ownedBy = (parent: VariableParent): Sql =>
  parent.kind === 'instance'
    ? sql`v.namespace_id is null and v.project_id is null`
    : sql`v.${parentColumn(parent)} = ${parent.id}`;

const attributes = (row: VariableRow): Omit<Variable, 'value'> => ({
  id: row.id,
  key: row.key,
  variableType: row.variable_type,
  protected: row.protected,
  masked: row.masked,
  hidden: row.hidden,
  raw: row.raw,
  environmentScope: row.environment_scope,
  description: row.description ?? undefined,
});

/** Keys that an error names; its body may not grow with the variables. */
const namedKeys = 10;

/**
 * The failure of a request that would show values which cannot be decrypted. Without them a reply would look as if they were
 * empty, and a client that writes back what it read would make them so.
 */
function unreadable(rows: readonly VariableRow[], cause: unknown): AppError {
  const keys = rows.slice(0, namedKeys).map(({ key }) => key);
  const others = rows.length > namedKeys ? ` and ${rows.length - namedKeys} more` : '';
  const ids = rows.map(({ id }) => id).join(', ');
  return new AppError(
    'internal',
    `500 Internal Server Error - cannot be decrypted: ${keys.join(', ')}${others}; give each a new value, or delete it`,
    { cause: new Error(`variables ${ids} cannot be decrypted`, { cause }) },
  );
}

/** The variable to change: without a value, and with an error in the log, where that cannot be decrypted. */
export function toStored(row: VariableRow, ring: Keyring): StoredVariable {
  try {
    return { ...attributes(row), value: ring.decrypt(identityOf(row), row.value) };
  } catch (error) {
    logger.error({ err: error, variable: row.id }, 'a variable that changes cannot be decrypted');
    return { ...attributes(row), value: undefined };
  }
}

/**
 * The variables as they may be shown: hidden values are not decrypted, unless all are wanted.
 * @throws AppError internal when others cannot be decrypted; it names them all
 */
export function toShown<Row extends VariableRow>(
  rows: readonly Row[],
  ring: Keyring,
  { withHidden = false }: { readonly withHidden?: boolean } = {},
): { readonly row: Row; readonly variable: ShownVariable }[] {
  const lost: Row[] = [];
  let firstProblem: unknown;
  const shown = rows.map((row) => {
    let value: string | undefined;
    try {
      if (withHidden || !row.hidden) value = ring.decrypt(identityOf(row), row.value);
    } catch (error) {
      firstProblem ??= error;
      lost.push(row);
    }
    return { row, variable: { ...attributes(row), value } };
  });
  if (lost.length > 0) throw unreadable(lost, firstProblem);
  return shown;
}

/** `*` of a scope means any text; everything else means itself. */
export const scopePattern = raw(
  String.raw`replace(replace(replace(replace(v.environment_scope, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')`,
);

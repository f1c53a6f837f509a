import { raw, type Sql, sql } from '@switchyard/database/sql';
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

/** The variable with its value. @throws Error when the value cannot be decrypted */
export const toVariable = (row: VariableRow, ring: Keyring): Variable => ({
  ...attributes(row),
  value: ring.decrypt(identityOf(row), row.value),
});

/** The variable to change; `onUnreadable` is called where its value cannot be decrypted. */
export function toStored(
  row: VariableRow,
  ring: Keyring,
  onUnreadable: (error: unknown) => void = () => undefined,
): StoredVariable {
  try {
    return toVariable(row, ring);
  } catch (error) {
    onUnreadable(error);
    return { ...attributes(row), value: undefined };
  }
}

/**
 * The variable as it may be shown: a hidden value is not decrypted.
 * @throws Error when another value cannot be decrypted
 */
export const toShown = (row: VariableRow, ring: Keyring): ShownVariable =>
  row.hidden ? { ...attributes(row), value: undefined } : toVariable(row, ring);

/** The variables of one reply. A value that cannot be decrypted is left out, with one warning for all of them. */
export function toShownPage(rows: readonly VariableRow[], ring: Keyring): ShownVariable[] {
  const unreadable: number[] = [];
  let firstProblem: unknown;
  const shown = rows.map((row) =>
    row.hidden
      ? { ...attributes(row), value: undefined }
      : toStored(row, ring, (error) => {
          firstProblem ??= error;
          unreadable.push(row.id);
        }),
  );
  if (unreadable.length > 0) logger.warn({ err: firstProblem, variables: unreadable }, 'variables cannot be decrypted');
  return shown;
}

/** `*` of a scope means any text; everything else means itself. */
export const scopePattern = raw(
  String.raw`replace(replace(replace(replace(v.environment_scope, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')`,
);

import { loadModule, parseSync } from 'libpg-query';

/** A statement that PostgreSQL parsed: the kind of its node, and the node. */
type Node = Record<string, unknown>;

const asList = (value: unknown): Node[] => (Array.isArray(value) ? value : []);
const nameOf = (relation: unknown): string => String((relation as { relname?: string } | undefined)?.relname);

/** Kinds of statements that change nothing for a version that does not know of them. */
const harmless = new Set([
  'CreateStmt',
  'CreateSchemaStmt',
  'CreateSeqStmt',
  'CreateEnumStmt',
  'CreateFunctionStmt',
  'CreateTrigStmt',
  'CreateStatsStmt',
  'CommentStmt',
  'InsertStmt',
  'UpdateStmt',
  'SelectStmt',
  'VariableSetStmt',
]);

/** What may be done to a table that is there already. */
const harmlessChanges = new Set([
  'AT_DropNotNull',
  'AT_SetStatistics',
  'AT_SetStorage',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_ValidateConstraint',
]);

const constraintsOf = (definition: unknown): Node[] =>
  asList((definition as Node | undefined)?.constraints).map((one) => one.Constraint as Node);

function faultOfChange({ subtype, name, def }: Node): string | undefined {
  if (harmlessChanges.has(subtype as string)) return undefined;
  if (subtype === 'AT_ColumnDefault' && def !== undefined) return undefined;
  if (subtype === 'AT_AddColumn') {
    const column = (def as Node).ColumnDef as Node;
    const kinds = constraintsOf(column).map(({ contype }) => contype);
    const isFree = !kinds.includes('CONSTR_NOTNULL') || kinds.includes('CONSTR_DEFAULT');
    const limits = kinds.filter(
      (kind) => !['CONSTR_NOTNULL', 'CONSTR_DEFAULT', 'CONSTR_NULL'].includes(kind as string),
    );
    return isFree && limits.length === 0 ? undefined : `column ${column.colname} refuses what older versions write`;
  }
  return `${subtype}${name === undefined ? '' : ` of ${name}`} is not additive`;
}

/** Foreign keys of a new table, of its columns and its own. */
const foreignKeysOf = ({ tableElts }: Node): Node[] =>
  asList(tableElts)
    .flatMap(({ ColumnDef, Constraint }) => (ColumnDef ? constraintsOf(ColumnDef) : [Constraint as Node | undefined]))
    .filter((one): one is Node => one?.contype === 'CONSTR_FOREIGN');

/** Columns, as `table.column`, that migrations add to tables which are there already. */
export async function columnsAddedBy(scripts: readonly string[]): Promise<ReadonlySet<string>> {
  await loadModule();
  const columns = scripts.flatMap((script) => {
    const { stmts } = parseSync(script) as { stmts?: { stmt: Record<string, Node> }[] };
    return (stmts ?? []).flatMap(({ stmt }) =>
      asList(stmt.AlterTableStmt?.cmds)
        .map((one) => one.AlterTableCmd as Node)
        .filter(({ subtype }) => subtype === 'AT_AddColumn')
        .map(({ def }) => `${nameOf(stmt.AlterTableStmt?.relation)}.${((def as Node).ColumnDef as Node).colname}`),
    );
  });
  return new Set(columns);
}

/** The column that has to be set, or true, for a row to be in an index; undefined of other conditions. */
function columnInCondition(condition: Node | undefined): string | undefined {
  const test = condition?.NullTest as Node | undefined;
  const reference = (test?.nulltesttype === 'IS_NOT_NULL' ? (test.arg as Node) : condition)?.ColumnRef as
    | Node
    | undefined;
  const [field] = asList(reference?.fields);
  return (field?.String as Node | undefined)?.sval as string | undefined;
}

/**
 * What a migration does that versions before it would not survive (`additive`), and what holds up those who write while it runs (`locks`):
 * expand first, contract a release later. Tables that the migration makes itself are nobody's yet.
 * @param newColumns what `columnsAddedBy` the migrations since the release: no older version writes them
 */
export async function faultsOf(
  script: string,
  newColumns: ReadonlySet<string> = new Set(),
): Promise<{ additive: string[]; locks: string[] }> {
  await loadModule();
  const faults = { additive: [] as string[], locks: [] as string[] };
  const own = new Set<string>();
  const { stmts } = parseSync(script) as { stmts?: { stmt: Record<string, Node> }[] };
  // What is made concurrently runs outside a transaction, and several statements sent together are one.
  const isAlone = stmts?.length === 1 && script.startsWith('-- no transaction');
  for (const { stmt } of stmts ?? []) {
    for (const [kind, node] of Object.entries(stmt)) {
      if (kind === 'CreateStmt') {
        own.add(nameOf(node.relation));
        for (const refused of foreignKeysOf(node)) {
          // Without a rule for deletions, rows of the other table can no longer be deleted by those who do not know this one.
          if (!own.has(nameOf(refused.pktable)) && refused.fk_del_action === 'a')
            faults.additive.push(
              `${nameOf(node.relation)} holds rows of ${nameOf(refused.pktable)} back from deletion`,
            );
        }
      }
      if (own.has(nameOf(node.relation))) continue;
      if (kind === 'IndexStmt') {
        const of = `index ${node.idxname} of ${nameOf(node.relation)}`;
        if (!node.concurrent) faults.locks.push(`${of} is not made concurrently`);
        else if (!isAlone) faults.locks.push(`${of} needs a migration of its own, with "-- no transaction"`);
        const column = columnInCondition(node.whereClause as Node | undefined);
        const isOfNewRows = column !== undefined && newColumns.has(`${nameOf(node.relation)}.${column}`);
        if (node.unique && !isOfNewRows) faults.additive.push(`${of} refuses what older versions write`);
      } else if (kind === 'AlterTableStmt') {
        for (const { AlterTableCmd: change } of asList(node.cmds)) {
          const fault = faultOfChange(change as Node);
          if (fault !== undefined) faults.additive.push(`${nameOf(node.relation)}: ${fault}`);
          const constraint = ((change as Node).def as Node | undefined)?.Constraint as Node | undefined;
          if ((change as Node).subtype === 'AT_AddConstraint' && !constraint?.skip_validation)
            faults.locks.push(`${nameOf(node.relation)}: constraint ${constraint?.conname} is not added as not valid`);
          if ((change as Node).subtype === 'AT_AlterColumnType')
            faults.locks.push(`${nameOf(node.relation)}: another type of ${(change as Node).name} rewrites the table`);
        }
      } else if (kind === 'DropStmt' && node.removeType === 'OBJECT_INDEX') {
        faults.additive.push('an index may be what older versions rely on');
        if (!node.concurrent) faults.locks.push('an index is not dropped concurrently');
      } else if (!harmless.has(kind) || node.replace) {
        faults.additive.push(`${kind} is not additive`);
      }
    }
  }
  return faults;
}

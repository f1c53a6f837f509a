import { readFileSync } from 'node:fs';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

const block = /^(model|enum)\s+(\w+)\s*\{([\s\S]*?)^\}/gm;

/** Columns by table as a schema.prisma declares them; relation fields (whose type is a model) have none. */
function declaredColumns(schema: string): Map<string, Set<string>> {
  const blocks = [...schema.matchAll(block)];
  const models = new Set(blocks.filter(([, kind]) => kind === 'model').map(([, , name]) => name));
  const tables = new Map<string, Set<string>>();
  for (const [, kind, name = '', body = ''] of blocks) {
    if (kind !== 'model') continue;
    const columns = new Set<string>();
    for (const line of body.split('\n')) {
      const field = /^\s+(\w+)\s+(\w+)[[\]?]*(.*)$/.exec(line);
      if (field === null || models.has(field[2])) continue;
      columns.add(/@map\("([^"]+)"\)/.exec(field[3] ?? '')?.[1] ?? (field[1] as string));
    }
    tables.set(/@@map\("([^"]+)"\)/.exec(body)?.[1] ?? name, columns);
  }
  return tables;
}

/**
 * Where a migrated database and a schema.prisma differ, as `table.column` with what is missing on which side; tables of schema `public`
 * alone. Migrations are SQL checked by hand, so nothing else keeps the two together.
 */
export async function schemaDrift(url: string, schemaFile: string): Promise<string[]> {
  const declared = declaredColumns(readFileSync(schemaFile, 'utf8'));
  const db = openDatabase({ url, applicationName: 'schema-drift', poolSize: 1 });
  try {
    const rows = await db.query<{ table: string; column: string }>(sql`
      select c.table_name as "table", c.column_name as "column"
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> '_prisma_migrations'`);
    const actual = new Set(rows.map((row) => `${row.table}.${row.column}`));
    const wanted = new Set(
      [...declared].flatMap(([table, columns]) => [...columns].map((column) => `${table}.${column}`)),
    );
    return [
      ...[...wanted].filter((name) => !actual.has(name)).map((name) => `${name} is not in the database`),
      ...[...actual].filter((name) => !wanted.has(name)).map((name) => `${name} is not in schema.prisma`),
    ].sort();
  } finally {
    await db.close();
  }
}

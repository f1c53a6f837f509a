import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

const run = promisify(execFile);
const differ = join(__dirname, '..', 'prisma', 'schema-diff.mjs');

/** What Prisma prints when there is nothing to change. */
const nothing = '-- This is an empty migration.';

/** Indexes over expressions: they have no form in the schema language, and Prisma's diff passes over them. */
async function expressionIndexes(url: string): Promise<string[]> {
  const db = openDatabase({ url, applicationName: 'schema-drift', poolSize: 1 });
  try {
    const rows = await db.query<{ name: string }>(sql`
      select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'public'::regnamespace and i.indexprs is not null order by 1`);
    return rows.map(({ name }) => name);
  } finally {
    await db.close();
  }
}

/**
 * Where a migrated database and a schema.prisma differ, in schema `public`: the statements by which Prisma would make the database what
 * the schema describes (tables, types, defaults, keys, indexes), and indexes over expressions that are not among `overExpressions` or
 * missing. Checks have no form in the schema language and are not compared.
 * @param overExpressions names of the indexes over expressions that the migrations make
 */
export async function schemaDrift(
  url: string,
  schemaFile: string,
  overExpressions: readonly string[] = [],
): Promise<string[]> {
  const [{ stdout }, present] = await Promise.all([
    run(process.execPath, [differ, schemaFile], { env: { ...process.env, DATABASE_URL: url } }),
    expressionIndexes(url),
  ]);
  const statements = stdout.split('\n\n').map((statement) => statement.trim());
  return [
    ...statements.filter((statement) => statement !== '' && statement !== nothing),
    ...present.filter((name) => !overExpressions.includes(name)).map((name) => `${name} is not listed`),
    ...overExpressions.filter((name) => !present.includes(name)).map((name) => `${name} is not in the database`),
  ];
}

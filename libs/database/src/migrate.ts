import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { assertOwnSession, connectTo, mayWorkLater } from './check-connection';
import { poolConfig } from './database';
import { DatabaseWait } from './database-wait';

/** The migrations of one SQL schema: `<directory>/<14 digits>_<name>/migration.sql`, as Prisma lays them out. */
export interface MigrationSet {
  /** SQL schema they belong to; created when missing, and first in the search path while they run. */
  schema: string;
  directory: string;
}

export interface MigrateOptions {
  url: string;
  /** The variable that holds `url`, for errors; default `DATABASE_URL`. */
  variable?: string;
  /** Applied in this order. */
  sets: MigrationSet[];
}

/** A database that does not fit this version of the program. The message is one line for the person who starts it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Prisma's own advisory lock, so that its CLI and this function exclude each other. */
const prismaLock = 72707369;

/** First line of a migration that cannot run inside a transaction (CREATE INDEX CONCURRENTLY). */
const noTransaction = /^-- no transaction\b/;

/** Line among the first comments of a migration after which the versions before it work as they did. */
const additive = /^(?:--.*\n)*?-- additive\b/;

/** Whether a migration says that versions which do not know it may go on working. */
export const isAdditive = (script: string): boolean => additive.test(script);

interface Migration {
  name: string;
  script: string;
  checksum: string;
}

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  additive: boolean;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Migrations of a directory in the order in which they apply; throws when it cannot be read. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory() && /^\d{14}_/.test(entry.name))
    .map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(joinPath(directory, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}

const tableOf = (schema: string): string => `${quote(schema)}._prisma_migrations`;
/** Names of the migrations that were additive: for a version that does not have their files. */
const additiveTableOf = (schema: string): string => `${quote(schema)}._additive_migrations`;

/** Which of the tables that record migrations there are; those of the first versions marked none as additive. */
async function recordsIn(client: pg.Client, schema: string): Promise<{ present: boolean; marked: boolean }> {
  const { rows } = await client.query(
    'select to_regclass($1) is not null as present, to_regclass($2) is not null as marked',
    [tableOf(schema), additiveTableOf(schema)],
  );
  return rows[0];
}

async function appliedIn(client: pg.Client, schema: string): Promise<Applied[]> {
  const { present, marked } = await recordsIn(client, schema);
  if (!present) return [];
  const isMarked = marked ? `migration_name in (select migration_name from ${additiveTableOf(schema)})` : 'false';
  const { rows } = await client.query<Applied>(
    `select migration_name, checksum, finished_at, ${isMarked} as additive from ${tableOf(schema)}
    where rolled_back_at is null order by started_at, migration_name`,
  );
  return rows;
}

/** What of `known` is still to be applied; throws when `applied` shows another history. */
function pendingOf(schema: string, known: Migration[], applied: Applied[]): Migration[] {
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  for (const row of applied) {
    const migration = byName.get(row.migration_name);
    // Under way, or left by half, it is the newer version's to end.
    if (migration === undefined && row.additive) continue;
    if (row.finished_at === null) {
      throw new MigrationError(
        `migration ${row.migration_name} of schema ${schema} was applied by half: repair the database and mark it in ${schema}._prisma_migrations (finished_at or rolled_back_at)`,
      );
    }
    if (migration === undefined) {
      throw new MigrationError(
        `the database is of a newer version: it needs one that knows migration ${row.migration_name} of schema ${schema}`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(
        `migration ${row.migration_name} of schema ${schema} was edited after it had been applied`,
      );
    }
  }
  const done = new Set(applied.map((row) => row.migration_name));
  return known.filter((migration) => !done.has(migration.name));
}

const tableDefinitions = (schema: string): string => `
  create table if not exists ${additiveTableOf(schema)} (migration_name varchar(255) primary key);
  create table if not exists ${tableOf(schema)} (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

async function apply(client: pg.Client, schema: string, migration: Migration): Promise<void> {
  const table = tableOf(schema);
  const begin = `insert into ${table} (id, checksum, migration_name, started_at) values ($1, $2, $3, clock_timestamp())`;
  const finish = `update ${table} set finished_at = clock_timestamp(), applied_steps_count = 1 where id = $1`;
  const id = randomUUID();
  // With the script in one transaction a killed process leaves nothing half-applied; only scripts that say they cannot
  // do so leave the mark.
  const whole = !noTransaction.test(migration.script);
  try {
    if (whole) await client.query('begin');
    await client.query(begin, [id, migration.checksum, migration.name]);
    if (isAdditive(migration.script)) {
      await client.query(`insert into ${additiveTableOf(schema)} values ($1) on conflict do nothing`, [migration.name]);
    }
    await client.query(migration.script);
    await client.query(finish, [id]);
    if (whole) await client.query('commit');
  } catch (error) {
    if (whole) await client.query('rollback').catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`migration ${migration.name} of schema ${schema} failed: ${reason}`, { cause: error });
  }
}

const configOf = ({ url }: MigrateOptions): pg.PoolConfig => poolConfig({ url, applicationName: 'switchyard migrate' });

async function connect(options: MigrateOptions): Promise<pg.Client> {
  const { variable = 'DATABASE_URL' } = options;
  const config = configOf(options);
  await assertOwnSession(config, variable);
  // Migrations may take longer than a statement of a request.
  return connectTo({ ...config, statement_timeout: 0, query_timeout: 0 }, variable);
}

/** Waits without a statement under way: CREATE INDEX CONCURRENTLY of another process waits for the end of all that are. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [prismaLock]);
    if (rows[0].locked) return;
    await pause(100);
  }
}

/**
 * Brings a database to this version: applies what is missing of each set, in order, recorded as Prisma's CLI does.
 * Several processes may call it at once. A newer database is left as it is when all that was added is additive. Throws
 * `MigrationError` for an edited or a half-applied migration, and for an unknown one that is not additive.
 * @returns names of the migrations applied by this call
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { sets } = options;
  const client = await connect(options);
  try {
    await takeLock(client);
    const names: string[] = [];
    for (const { schema, directory } of sets) {
      const known = await readMigrations(directory);
      const pending = pendingOf(schema, known, await appliedIn(client, schema));
      await client.query(`create schema if not exists ${quote(schema)}`);
      await client.query(tableDefinitions(schema));
      await client.query(`set search_path to ${quote(schema)}${schema === 'public' ? '' : ', public'}`);
      for (const migration of pending) {
        await apply(client, schema, migration);
        names.push(migration.name);
      }
    }
    return names;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether `migrate` would change nothing; throws where it would refuse. It waits for no lock. */
export async function isMigrated(options: MigrateOptions): Promise<boolean> {
  const client = await connect(options);
  try {
    for (const { schema, directory } of options.sets) {
      if (!(await recordsIn(client, schema)).marked) return false;
      if (pendingOf(schema, await readMigrations(directory), await appliedIn(client, schema)).length > 0) return false;
    }
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Throws unless the migrations of this version are applied. */
async function checkMigrations(client: pg.Client, sets: MigrationSet[]): Promise<void> {
  for (const { schema, directory } of sets) {
    const [missing] = pendingOf(schema, await readMigrations(directory), await appliedIn(client, schema));
    if (missing) {
      throw new MigrationError(
        `migration ${missing.name} of schema ${schema} is not applied: run the service's migrate command first`,
      );
    }
  }
}

/**
 * For the start of a service: waits until the database can be reached, which it says in the log, then refuses
 * (`MigrationError`) unless it holds the migrations of this version, each applied whole, and beside them none but
 * additive ones of newer versions.
 * @param within milliseconds to wait for the database; default 60,000
 */
export async function assertMigrated({
  within = 60_000,
  ...options
}: MigrateOptions & { within?: number }): Promise<void> {
  const deadline = Date.now() + within;
  const wait = new DatabaseWait(configOf(options), options.variable ?? 'DATABASE_URL');
  try {
    for (;;) {
      try {
        const client = await connect(options);
        wait.reached();
        return await checkMigrations(client, options.sets).finally(() => client.end().catch(() => undefined));
      } catch (error) {
        if (!mayWorkLater(error) || Date.now() >= deadline) throw error;
        wait.failed(error);
        await pause(250);
      }
    }
  } finally {
    wait.close();
  }
}

import { createHash, randomBytes } from 'node:crypto';
import { type MigrationSet, migrate, readMigrations } from '@switchyard/database';
import pg from 'pg';
import type { TestCertificate } from './certificate';
import { startServer } from './script-server';

/** A database of its own for one test file. */
export interface TestDatabase {
  url: string;
  /** Drops it, open connections included. */
  close(): Promise<void>;
}

/** Serialises the building of templates among the workers of a run; taken in the maintenance database. */
const templateLock = 72707370;

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url)
    throw new Error('TEST_DATABASE_URL is not set: run the test through Jest, whose global setup starts PostgreSQL');
  return url;
}

const runPrefix = (): string => process.env.TEST_RUN_PREFIX ?? 'switchyard_test_0_';

function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function withServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl(), application_name: 'switchyard testkit' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function templateFor(client: pg.Client, sets: MigrationSet[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { schema, directory } of sets) {
    hash.update(`${schema}\n`);
    for (const { name, checksum } of await readMigrations(directory)) hash.update(`${name} ${checksum}\n`);
  }
  const name = `${runPrefix()}template_${hash.digest('hex').slice(0, 12)}`;
  await client.query('select pg_advisory_lock($1)', [templateLock]);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      const draft = `${name}_draft`;
      await client.query(`drop database if exists "${draft}" with (force)`);
      await client.query(`create database "${draft}"`);
      await migrate({ url: databaseUrl(draft), sets });
      await client.query(`alter database "${draft}" rename to "${name}"`);
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [templateLock]);
  }
  return name;
}

/**
 * A fresh database with `sets` applied, cloned from a template that is built once per distinct set and run.
 * Without sets it is empty.
 */
export async function testDatabase({ sets = [] }: { sets?: MigrationSet[] } = {}): Promise<TestDatabase> {
  const name = `${runPrefix()}${randomBytes(5).toString('hex')}`;
  await withServer(async (client) => {
    const template = sets.length === 0 ? 'template1' : await templateFor(client, sets);
    // Copying files costs a third of writing each page to the log, as long as no checkpoint waits for a disk.
    await client.query(`create database "${name}" template "${template}" strategy file_copy`);
  });
  return {
    url: databaseUrl(name),
    close: () =>
      withServer(async (client) => void (await client.query(`drop database if exists "${name}" with (force)`))),
  };
}

/**
 * An embedded server of this test alone that takes connections with and without TLS.
 * @returns its address, without parameters
 */
export async function tlsServer({ certificate, key }: TestCertificate): Promise<TestDatabase> {
  const { answer, stop } = await startServer('jest/postgres.mjs', certificate, key);
  return { url: answer.url ?? '', close: stop };
}
